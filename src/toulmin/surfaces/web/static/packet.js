// Puts a button beside each identity that copies it. Without this module a click on an identity selects all of it.

for (const identity of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet screen";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy ${identity.dataset.copy}`);
  const told = document.createElement("span");
  told.className = "screen";
  told.setAttribute("role", "status");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(identity.textContent);
      told.textContent = " Copied.";
    } catch {
      told.textContent = " This browser does not let it be copied: select it.";
    }
  });
  identity.after(" ", button, told);
}
