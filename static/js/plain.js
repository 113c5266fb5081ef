// Judging and deciding where this browser keeps nothing: each answer is saved by an ordinary page load.

import { tooSoon } from "./panels.js";
import { notice } from "./savestate.js";

export function plainForms(forms, { trouble, thing }) {
  const shownAt = performance.now();
  for (const form of forms) {
    form.addEventListener("submit", (event) => tooSoon(shownAt, thing) && event.preventDefault());
  }
  const text =
    "This browser blocks storage for this site, so nothing can be kept on this computer. " +
    `Each answer is saved before the next ${thing} appears, and working offline is not possible. ` +
    "To change that, allow this site to store data, then reload.";
  trouble.replaceChildren(notice("warn", text));
  trouble.hidden = false;
}
