// The screening page: a letter says the type, digits rate one facet after the other, and the last one saves.

import { onKeys } from "./keys.js";

const form = document.getElementById("screening");
const ratings = [...form.querySelectorAll("[data-facet]")];
const sentences = [...document.querySelectorAll("[data-facets]")];
const kind = () => form.querySelector("[name=kind]:checked");
const isRated = (facet) => facet.querySelector(":checked") !== null;
let asked = 0;
let isSent = false;

// The facet that the next digit rates, and its sentences.
function ask(number) {
  asked = number;
  const isNeeded = kind() && !("unfit" in kind().dataset);
  for (const [place, facet] of ratings.entries())
    facet.classList.toggle("asked", Boolean(isNeeded) && place === asked);
  for (const { dataset, classList } of sentences) {
    classList.toggle(
      "in-facet",
      Boolean(isNeeded) && dataset.facets.split(" ").includes(String(asked)),
    );
  }
}

function save() {
  if (!isSent) form.requestSubmit();
}

form.addEventListener("submit", () => {
  isSent = true;
});
addEventListener("pageshow", () => {
  isSent = false; // also when the browser brings this page back
});

function choose(radio) {
  radio.checked = true;
  ask(0);
  if ("unfit" in radio.dataset) save();
  else radio.closest("fieldset").scrollIntoView({ block: "nearest" });
}

function rate(digit) {
  if (!kind() || asked >= ratings.length) return;
  ratings[asked].querySelector(`[value="${digit}"]`).checked = true;
  ask(asked + 1);
  if (asked === ratings.length && ratings.every(isRated)) save();
}

form.addEventListener("change", ({ target }) => {
  const facet = target.closest("[data-facet]");
  ask(facet ? ratings.indexOf(facet) + 1 : 0);
});

onKeys({
  ...Object.fromEntries(
    [...form.querySelectorAll("[data-key]")].map((each) => [each.dataset.key, () => choose(each)]),
  ),
  ...Object.fromEntries([1, 2, 3, 4, 5].map((digit) => [String(digit), () => rate(digit)])),
  Backspace: () => ask(Math.max(asked - 1, 0)),
  Enter: save,
  u: () => document.getElementById("back")?.click(),
  "?": () => document.getElementById("keys").showModal(),
});
ask(0);
