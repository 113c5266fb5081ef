// Checking sentence labels: a digit or letter labels the sentence in focus and goes to the next, arrows move between
// sentences, Enter confirms. Each page starts at its least certain sentence.

import { onKeys } from "./keys.js";

const SEEN_MS = 300; // a second press of Enter is not meant for the page that it meets
const form = document.getElementById("check");
const sentences = [...(form?.querySelectorAll("fieldset") ?? [])];
const shownAt = performance.now();

// Behind the last sentence is the button.
function place() {
  const found = sentences.findIndex((sentence) => sentence.contains(document.activeElement));
  return found < 0 ? sentences.length : found;
}

function goTo(number) {
  const sentence = sentences[Math.max(0, number)];
  const target =
    sentence?.querySelector(":checked") ??
    sentence?.querySelector("input") ??
    form.querySelector("button");
  target.focus();
  (sentence ?? target).scrollIntoView({ block: "nearest" });
}

function choose(number) {
  const radio = sentences[place()]?.querySelectorAll("input")[number];
  if (!radio || radio.disabled) return;
  radio.checked = true;
  goTo(place() + 1);
}

if (form) {
  const commands = {
    ArrowUp: () => goTo(place() - 1),
    ArrowDown: () => goTo(Math.min(place() + 1, sentences.length)),
    Enter: () => performance.now() - shownAt > SEEN_MS && form.requestSubmit(),
    u: () => document.getElementById("undo")?.click(),
  };
  for (const [number, radio] of [...sentences[0].querySelectorAll("input")].entries()) {
    for (const key of [String(number + 1), radio.dataset.key]) commands[key] = () => choose(number);
  }
  onKeys(commands);
  goTo(sentences.findIndex((sentence) => "start" in sentence.dataset));
}
