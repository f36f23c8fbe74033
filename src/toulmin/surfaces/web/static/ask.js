// Asks without leaving the form: passages at once, then each step, then the packet. Without this module the form does the same in one go.
// Every text is set as text, never as markup.

const form = document.querySelector("form[data-ask]");
const progress = document.getElementById("progress");
const step = document.getElementById("step");
const judged = document.getElementById("judged");
const found = document.getElementById("found");
const verdicts = JSON.parse(form.dataset.verdicts);

// Each returns whether nothing follows.
const handlers = {
  search({ results }) {
    tell(results.length === 1 ? "1 passage was found." : `${results.length} passages were found.`);
    found.replaceChildren(...results.map(passage));
  },
  drafting() {
    judged.replaceChildren();
    tell("An answer is being drafted …");
  },
  verdict({ index, status }) {
    tell("The draft is being judged …");
    judged.append(element("li", `Sentence ${index + 1}: ${verdicts[status]}`));
  },
  outcome({ packet, retry_after_s }) {
    if (packet) location.assign(packetAddress(packet.id, retry_after_s));
    else form.submit(); // there is no such question type, and the page says so
    return true;
  },
  error({ title, remedy }) {
    tell(remedy ? `${title}: ${remedy}.` : `${title}.`);
    return true;
  },
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  progress.hidden = false;
  found.replaceChildren();
  judged.replaceChildren();
  tell("Looking for passages …");
  progress.scrollIntoView({ block: "nearest" });
  try {
    await ask();
  } catch {
    tell("The connection was lost. Ask again.");
  }
  button.disabled = false;
});

// A page that comes back from the browser's history is as it was left: ready to ask.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) progress.hidden = true;
});

async function ask() {
  const response = await fetch(form.action, {
    method: "POST",
    headers: { Accept: "text/event-stream" },
    body: new URLSearchParams(new FormData(form)),
  });
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    form.submit(); // something is wrong with the form, and the page that comes of it says what
    return;
  }
  for await (const { name, data } of events(response.body)) {
    if (handlers[name]?.(data)) return;
  }
  tell("The connection was lost. Ask again.");
}

function packetAddress(id, seconds) {
  const address = `/packets/${encodeURIComponent(id)}`;
  return seconds === null ? address : `${address}?again_after_s=${Math.max(1, Math.ceil(seconds))}`;
}

function passage({ document: id, version, start, end, text, heading, pages }) {
  const item = document.createElement("li");
  const title = element("h3", "");
  const link = element("a", `${id} ${version.startsWith("v") ? version : `v${version}`}`);
  link.href = `/sources/${encodeURIComponent(id)}?${new URLSearchParams({ version, start, end })}`;
  link.dir = "auto";
  title.append(link);
  const place = element("p", [heading.join(" › "), ...pages.map(({ label, number }) => `page ${label ?? number}`)].filter(Boolean).join(" · "));
  place.className = "hint";
  const words = element("div", text);
  words.className = "text";
  item.append(title, place, words);
  return item;
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  made.dir = "auto";
  return made;
}

function tell(words) {
  step.textContent = words;
}

// The events of a stream, each with its name and what it holds; comments are left out.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const frames = rest.split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const lines = frame.split("\n");
      const name = lines.find((line) => line.startsWith("event: "))?.slice(7);
      const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
      if (name && data) yield { name, data: JSON.parse(data) };
    }
  }
}
