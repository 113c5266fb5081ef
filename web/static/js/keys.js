// Single keys as commands. They are off while a person types, in a dialog, with a modifier held, and when they are
// switched off in the list of keys (WCAG 2.1.4).

import { keep, recall } from "./kept.js";

const OFF = "qrelsmith:keys-off";

export const keysAreOff = () => recall(OFF) === "1";

export function onKeys(commands) {
  const box = document.getElementById("keys-on");
  box.checked = !keysAreOff();
  box.addEventListener("change", () => keep(OFF, box.checked ? "0" : "1"));
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (
      event.target.closest(
        "dialog[open], textarea, select, input:not([type=radio], [type=checkbox])",
      )
    )
      return;
    if (keysAreOff() && event.key !== "Escape") return;
    if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
    const command = commands[nameOf(event)];
    if (!command) return;
    event.preventDefault();
    command(event);
  });
}

// Digits count by their place: on a French keyboard they need the shift key.
function nameOf(event) {
  const place = /^(?:Digit|Numpad)(\d)$/.exec(event.code);
  if (place) return place[1];
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}
