// Sends documents one after the other, each with the file that states its metadata, and shows how far it is and what became of each.
// Without this module the form sends all of them at once, and the page that comes of it says the same.

const SIDECAR = ".meta.yaml";
const form = document.querySelector("form[data-intake]");
const files = form.querySelector("input[type=file]");
const button = form.querySelector("button");
const progress = document.getElementById("progress");
const step = document.getElementById("step");
const bar = document.getElementById("sent");
const outcomes = document.getElementById("outcomes");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  progress.hidden = false;
  outcomes.replaceChildren();
  const groups = grouped([...files.files]);
  for (const [index, group] of groups.entries()) {
    step.textContent = `${index + 1} of ${groups.length}: ${group[0].name}`;
    try {
      outcomes.append(...told(await send(group), group[0].name));
    } catch {
      outcomes.append(line(`${group[0].name}: the connection was lost. Send it again.`));
    }
  }
  step.textContent = groups.length === 1 ? "Done." : `Done: ${groups.length} documents.`;
  button.disabled = false;
});

// Documents, each with its sidecar; a sidecar without its document goes alone, and is refused for that.
function grouped(chosen) {
  const names = new Set(chosen.map((file) => file.name));
  const isBeside = (file) => file.name.endsWith(SIDECAR) && names.has(file.name.slice(0, -SIDECAR.length));
  const besides = new Map(chosen.filter(isBeside).map((file) => [file.name, file]));
  return chosen
    .filter((file) => !isBeside(file))
    .map((file) => [file, besides.get(file.name + SIDECAR)].filter(Boolean));
}

function send(group) {
  const body = new FormData(form);
  body.delete(files.name);
  for (const file of group) body.append(files.name, file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.responseType = "document";
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      bar.value = total ? loaded / total : 0;
    });
    request.addEventListener("load", () => resolve(request.responseXML));
    request.addEventListener("error", reject);
    request.addEventListener("abort", reject);
    request.send(body);
  });
}

// What a page says of files; of one that says why there is nothing to say, its notice.
function told(page, name) {
  const items = [...page.querySelectorAll("ol.outcomes > li")];
  if (items.length) return items.map((item) => document.importNode(item, true));
  const said = page.querySelector("#fault, .notice, h1")?.textContent.trim().replace(/\s+/g, " ");
  return [line(`${name}: ${said ?? "nothing is known of it. Send it again."}`)];
}

function line(words) {
  const item = document.createElement("li");
  item.className = "refused";
  item.textContent = words;
  return item;
}
