// The keys and menus of every page but those for judging and adjudicating: "/" goes to the search field,
// "?" lists the keys, Escape and a click elsewhere close the menu of collections.

import { helpDialog, onKeys } from "./keys.js";

const search = document.getElementById("search");
const menu = document.querySelector("details.switcher");
const showKeys = helpDialog();

onKeys({
  ...(search && { "/": () => search.select() }),
  "?": showKeys,
});

function closeMenu({ focus }) {
  if (!menu?.open) return;
  menu.open = false;
  if (focus) menu.querySelector("summary").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeMenu({ focus: true });
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("details.switcher")) closeMenu({ focus: false });
});
