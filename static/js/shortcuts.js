// The keys and menus of every page but those for judging and adjudicating: "/" goes to the search field,
// the arrow keys go through what it found, "?" lists the keys, Escape and a click elsewhere close an open menu.

import { helpDialog, onKeys } from "./keys.js";

const search = document.getElementById("search");
const showKeys = helpDialog();

onKeys({
  ...(search && { "/": () => search.select() }),
  "?": showKeys,
});

function closeMenus({ except, focus }) {
  for (const menu of document.querySelectorAll("details.switcher[open]")) {
    if (menu === except) continue;
    menu.open = false;
    if (focus) menu.querySelector("summary").focus();
  }
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeMenus({ focus: true });
});
search?.form.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const places = [search, ...search.form.querySelectorAll("a")];
  const next = places[places.indexOf(document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
});
document.addEventListener("click", (event) => {
  closeMenus({ except: event.target.closest("details.switcher"), focus: false });
});
