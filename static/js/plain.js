// Judging and deciding where this browser keeps nothing: each answer is saved by an ordinary page load.

import { text } from "./language.js";
import { tooSoon } from "./panels.js";
import { notice } from "./savestate.js";
import { THINGS } from "./wording.js";

export function plainForms(forms, { trouble, thing }) {
  const shownAt = performance.now();
  for (const form of forms) {
    form.addEventListener("submit", (event) => tooSoon(shownAt, thing) && event.preventDefault());
  }
  const sentences = [
    text("This browser blocks storage for this site, so nothing can be kept on this computer."),
    THINGS[thing].plain,
    text("To change that, allow this site to store data, then reload."),
  ];
  trouble.replaceChildren(notice("warn", sentences.join(" ")));
  trouble.hidden = false;
}
