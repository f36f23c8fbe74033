// Asks without leaving the form: passages at once, then each step, then the packet. Without this module the form does the same in one go.
// Every text is set as text, never as markup.

const form = document.querySelector("form[data-ask]");
const progress = document.getElementById("progress");
const step = document.getElementById("step");
const found = document.getElementById("found");
let judged = 0;

// Each returns whether nothing follows.
const handlers = {
  search({ results }) {
    tell(results.length === 1 ? "1 passage was found." : `${results.length} passages were found.`);
    found.replaceChildren(...results.map(passage));
  },
  drafting() {
    judged = 0;
    tell("An answer is being drafted …");
  },
  verdict() {
    judged += 1;
    tell(judged === 1 ? "1 sentence was judged." : `${judged} sentences were judged.`);
  },
  outcome({ packet }) {
    if (packet) location.assign(`/packets/${encodeURIComponent(packet.id)}`);
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
  tell("Looking for passages …");
  try {
    await ask();
  } catch {
    tell("The connection was lost. Ask again.");
  }
  button.disabled = false;
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

function passage({ document: id, version, start, end, text }) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `/sources/${encodeURIComponent(id)}?${new URLSearchParams({ version, start, end })}`;
  link.textContent = `${id} ${version}`;
  const words = document.createElement("div");
  words.className = "text";
  words.dir = "auto";
  words.textContent = text;
  item.append(link, words);
  return item;
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
