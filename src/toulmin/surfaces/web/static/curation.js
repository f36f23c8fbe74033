// Takes words from the text as they are selected, with the place where they stand. Without this module they are copied into their field.

const text = document.getElementById("text");
const quote = document.getElementById("quote");
const start = document.getElementById("start");
const end = document.getElementById("end");

// The text gets a caret, so that keys select in it as everywhere; nothing changes it.
text.contentEditable = "true";
text.spellcheck = false;
text.inputMode = "none";
text.setAttribute("role", "textbox");
text.setAttribute("aria-multiline", "true");
text.setAttribute("aria-readonly", "true");
text.setAttribute("aria-labelledby", "text.title");
text.setAttribute("aria-describedby", "text.hint");
for (const kind of ["beforeinput", "drop", "dragstart", "cut", "paste"]) {
  text.addEventListener(kind, (event) => event.preventDefault());
}
document.getElementById("selecting").textContent = "Select the words in the text, with the mouse or with Shift and the arrow keys.";
document.getElementById("around").hidden = true;

document.addEventListener("selectionchange", () => {
  const selection = document.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  if (!text.contains(range.commonAncestorContainer)) return;
  quote.value = range.toString();
  start.value = place(range.startContainer, range.startOffset);
  end.value = place(range.endContainer, range.endOffset);
});

// Words that somebody writes have no place: they are looked for.
quote.addEventListener("input", () => {
  start.value = end.value = "";
  document.getElementById("around").hidden = false;
});

const result = document.getElementById("fault") ?? document.getElementById("result");
if (result) {
  result.tabIndex = -1;
  result.focus();
}

// A place between two characters, counted in code points of the document's text. Each stretch says where it begins; inside of it the page has
// as many characters as the document.
function place(node, offset) {
  const before = document.createRange();
  before.setStart(text, 0);
  before.setEnd(node, offset);
  const stretches = [...text.children];
  const last = stretches.findLast((each) => before.comparePoint(each, 0) <= 0) ?? stretches[0];
  before.setStart(last, 0);
  return Number(last.dataset.start) + [...before.toString()].length;
}
