// What every page does: theme, dialogs, menus that close, tabs in view, focus on a refused form's faults, "/" for search.

import { keep } from "./kept.js";

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  if (opener) openDialog(opener);
  if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
  if (event.target.closest("[data-theme-switch]")) switchTheme();
  const copier = event.target.closest("[data-copy]");
  if (copier) copy(copier);
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
      menu.open = false;
    }
  }
  const typing = event.target.closest("input, textarea, select");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.getElementById("search");
  if (search) {
    event.preventDefault();
    search.focus();
  }
});

// A row of choices applies at once; without scripts its button does.
for (const button of document.querySelectorAll("button[data-auto]")) {
  button.hidden = true;
  button.form.addEventListener("change", () => button.form.requestSubmit());
}

// Ticking "all" ticks every box of the same form with the given name.
document.addEventListener("change", (event) => {
  const name = event.target.dataset?.all;
  if (!name) return;
  for (const box of event.target.form.querySelectorAll(`input[name="${name}"]`)) {
    box.checked = event.target.checked;
  }
});

// A name that must be typed before what cannot be undone.
document.addEventListener("input", (event) => {
  const { confirms } = event.target.dataset;
  if (confirms)
    event.target.form.querySelector("button").disabled = event.target.value !== confirms;
});

// A dialog for one of many rows: the button's data-fill-x goes into the field x, data-say-x into its words.
function openDialog(opener) {
  const dialog = document.getElementById(opener.dataset.dialog);
  for (const [key, value] of Object.entries(opener.dataset)) {
    if (key.startsWith("fill"))
      dialog.querySelector(`[name="${key.slice(4).toLowerCase()}"]`).value = value;
    if (key.startsWith("say"))
      dialog.querySelector(`[data-${key.slice(3).toLowerCase()}]`).textContent = value;
  }
  dialog.showModal();
}

async function copy(button) {
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
  button.textContent = "Copied";
}

function switchTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  keep("qrelsmith:theme", next);
}

// Tabs that do not fit scroll sideways: the current one comes into view.
for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const tabs = tab.parentElement;
  tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
}

const refused = document.querySelector(
  ".refused input, .refused textarea, .refused select, [data-focus]",
);
refused?.closest("dialog")?.showModal();
refused?.focus();
