// The screening page: keys for every choice, and an answer that is kept until the server has it. Then
// the next paper comes, as a page of its own.

import { helpDialog, onKeys } from "./keys.js";
import { Outbox } from "./outbox.js";
import { tellLast, tooSoon } from "./panels.js";
import { plainForms } from "./plain.js";
import { showSaveState } from "./savestate.js";
import { forThisTab, storageWorks } from "./storage.js";
import { Visit } from "./visit.js";

const page = document.body.dataset;
const find = (id) => document.getElementById(id);
const form = find("answer");
const draft = `qrelsmith:draft:${page.person}:${location.pathname}`;
const outbox = new Outbox({ work: "screening", person: page.person, collection: page.collection });
const visit = new Visit(outbox);
let shownAt = performance.now();

function submit(event) {
  event.preventDefault();
  if (visit.ends || tooSoon(shownAt, "paper")) return;
  if (outbox.entries().some((entry) => entry.token === page.token))
    return tellLast("Your screening waits to be saved. You can change it after that.");
  tellLast("");
  const body = new URLSearchParams(new FormData(form));
  body.delete("csrfmiddlewaretoken");
  body.set("person", page.person);
  outbox.add({
    key: body.get("key"),
    token: page.token,
    url: form.getAttribute("action"),
    kind: "screening",
    title: document.querySelector(".paper h2").textContent.trim(),
    said: `rating ${body.get("rating")}`,
    body: body.toString(),
  });
}

function goToNext({ detail: { entry, next } }) {
  if (entry.token !== page.token) return;
  forThisTab.remove(draft);
  visit.leaveFor(next);
}

// Half an answer survives a reload.
const choices = () => {
  const fields = new URLSearchParams(new FormData(form));
  for (const name of ["csrfmiddlewaretoken", "key"]) fields.delete(name);
  return fields;
};

function restore() {
  const text = forThisTab.get(draft);
  if (text === null) return;
  const fields = new URLSearchParams(text);
  for (const input of form.querySelectorAll("[data-key]"))
    input.checked = fields.getAll(input.name).includes(input.value);
  form.elements.reason.value = fields.get("reason") ?? "";
}

function start() {
  restore();
  for (const event of ["input", "change"])
    form.addEventListener(event, () => forThisTab.set(draft, choices().toString()));
  form.addEventListener("submit", submit);
  outbox.addEventListener("saved", goToNext);
  visit.watch();
  showSaveState(outbox, {
    work: "screening",
    chip: find("saved"),
    trouble: find("trouble"),
    loginUrl: page.loginUrl,
    look: "See this paper",
  });
  outbox.deliver();
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
  "?": helpDialog(() => (shownAt = -Infinity)),
  Escape: () => find("go-on")?.click(),
});

if (storageWorks()) start();
else plainForms([form], { trouble: find("trouble"), thing: "paper" });
