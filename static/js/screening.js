// The screening page: keys for every choice, and an answer that is kept until the server has it. Then
// the next paper comes, as a page of its own.

import { helpDialog, onKeys } from "./keys.js";
import { Question } from "./question.js";
import { forThisTab } from "./storage.js";

const find = (id) => document.getElementById(id);
const form = find("answer");
const question = new Question({
  work: "screening",
  thing: "paper",
  title: ".paper h2",
  forms: [form],
  describe: (fields) => `rating ${fields.get("rating")}`,
  look: "See this paper",
});

// Half an answer survives a reload.
const choices = () => {
  const fields = new URLSearchParams(new FormData(form));
  for (const name of ["csrfmiddlewaretoken", "key"]) fields.delete(name);
  return fields;
};

function restore() {
  const text = forThisTab.get(question.draft);
  if (text === null) return;
  const fields = new URLSearchParams(text);
  for (const input of form.querySelectorAll("[data-key]"))
    input.checked = fields.getAll(input.name).includes(input.value);
  form.elements.reason.value = fields.get("reason") ?? "";
}

function choose(input) {
  input.checked = input.type === "radio" || !input.checked;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

const inputs = [...form.querySelectorAll("[data-key]")];
// A choice by mouse leaves the focus, so that the next key is a command again.
for (const input of inputs)
  input.addEventListener("click", (event) => event.detail > 0 && input.blur());

const reason = form.elements.reason;
reason.addEventListener("keydown", (event) => event.key === "Escape" && reason.blur());

// Enter saves unless it belongs to what has the focus. In a field of the form the browser submits.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.repeat || event.defaultPrevented) return;
  if (event.target.closest("a, button, input, dialog, summary")) return;
  event.preventDefault();
  form.requestSubmit();
});

onKeys({
  ...Object.fromEntries(inputs.map((input) => [input.dataset.key, () => choose(input)])),
  n: () => reason.focus(),
  u: () => find("undo")?.click(),
  "?": helpDialog(() => question.acceptPresses()),
  Escape: () => find("go-on")?.click(),
});

restore();
for (const event of ["input", "change"])
  form.addEventListener(event, () => forThisTab.set(question.draft, choices().toString()));
question.start();
