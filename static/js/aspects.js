// What a match is about: sentences of the query, or named aspects, marked before the grade by Shift and a
// digit, or by a click or tap on the sentence. The check boxes of the answer's form hold the marks.

import { text } from "./language.js";
import { tellLast } from "./panels.js";

const boxes = [...document.querySelectorAll("#aspects input")];
const SENTENCES = ":is(.query, .strip) [data-aspect]";

// Returns the keys, and `show` to call with the pair that is shown. `isTooSoon` says whether a press was meant for the pair before.
export function aspectMarks(isTooSoon) {
  function update() {
    for (const sentence of document.querySelectorAll(SENTENCES)) {
      const box = boxes.find(({ value }) => value === sentence.dataset.aspect);
      sentence.classList.toggle("marked", Boolean(box?.checked));
    }
  }

  function toggle(box) {
    if (isTooSoon()) return;
    box.checked = !box.checked;
    changed();
  }

  function changed() {
    update();
    const words = boxes.filter((box) => box.checked).map(nameOf);
    tellLast(
      words.length
        ? text("About {aspects}", { aspects: words.join(", ") })
        : text("Nothing marked"),
    );
  }

  function show({ dataset: { aspects = "" } }) {
    const marked = aspects.split(" ");
    for (const box of boxes) box.checked = marked.includes(box.value);
    update();
  }

  document.body.classList.toggle("scripted-aspects", boxes.length > 0);
  for (const box of boxes) {
    box.addEventListener("click", (event) => isTooSoon() && event.preventDefault());
    box.addEventListener("change", changed);
  }
  document.addEventListener("click", ({ target }) => {
    const number = target.closest?.(SENTENCES)?.dataset.aspect;
    const box = boxes.find(({ value }) => value === number);
    // Who selects words of the sentence does not mark it.
    if (box && getSelection().isCollapsed) toggle(box);
  });
  return { keys: keysFor(toggle), show };
}

// By the last digit of the number, so that sentence 12 has a key too; the first of several has it.
function keysFor(toggle) {
  if (!boxes.length) return {};
  const press = (digit) => {
    const box = boxes.find(({ value }) => value.endsWith(digit));
    if (box) toggle(box);
    else tellLast(text("Nothing to mark has the number {digit}", { digit }));
  };
  return Object.fromEntries(
    [..."0123456789"].map((digit) => [`Shift+${digit}`, () => press(digit)]),
  );
}

const nameOf = (box) => box.closest("label").textContent.trim().replace(/\s+/g, " ");
