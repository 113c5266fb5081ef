// Single keys as commands. They are off while a person types, in a dialog, with a modifier held, when a
// key repeats, and when they are switched off in the list of keys (WCAG 2.1.4).

import { forGood } from "./storage.js";

const OFF = "keys-off";
// Radio buttons and check boxes take no text. The browser puts the focus there if a choice is missing.
const FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";

// A field of a dialog that was just closed can have the focus still.
const isTyping = (target) =>
  target.closest("dialog[open]") || target.closest(FIELDS)?.closest("dialog") === null;

export function onKeys(commands) {
  document.documentElement.classList.add("scripted");
  document.documentElement.classList.toggle(OFF, Boolean(forGood.get(OFF)));
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) return;
    if (forGood.get(OFF) && event.key !== "Escape") return;
    const command = commands[shiftedDigit(event)] ?? commands[nameOf(event)];
    if (!command) return;
    event.preventDefault();
    command(event);
  });
}

// By its place, because the character depends on the keyboard.
const shiftedDigit = (event) =>
  event.shiftKey && /^Digit\d$/.test(event.code) ? `Shift+${event.code.slice(-1)}` : undefined;

// Digits count by their place too: on a French keyboard they need the shift key.
function nameOf(event) {
  const place = /^(?:Digit|Numpad)(\d)$/.exec(event.code);
  if (place && event.key.length === 1 && !event.shiftKey) return place[1];
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

export function helpDialog(onOpen = () => {}) {
  const dialog = document.getElementById("keys");
  const button = document.getElementById("help");
  const box = document.getElementById("keys-on");
  box.checked = !forGood.get(OFF);
  box.addEventListener("change", () => {
    if (box.checked) forGood.remove(OFF);
    else forGood.set(OFF, "1");
    document.documentElement.classList.toggle(OFF, !box.checked);
  });
  const open = () => {
    dialog.showModal();
    onOpen();
  };
  button.hidden = false;
  button.addEventListener("click", open);
  return open;
}
