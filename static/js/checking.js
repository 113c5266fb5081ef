// The correction queue: keys label the sentences of an abstract, Enter saves them in the background and
// shows the next abstract at once. Labels that are not saved yet survive a reload. Where this browser
// stores nothing, the plain form does the work.

import { Ahead, fetchPairs } from "./ahead.js";
import { newKey } from "./delivery.js";
import { helpDialog, onKeys } from "./keys.js";
import { Outbox } from "./outbox.js";
import { measureDock, tellLast, tooSoon } from "./panels.js";
import { plainForms } from "./plain.js";
import { forThisTab, storageWorks } from "./storage.js";
import { Trail } from "./trail.js";

const page = document.body.dataset;
const find = (id) => document.getElementById(id);
const labelButtons = [...document.querySelectorAll("[data-label]")];

const READY = 3; // more abstracts would often be checked by another person meanwhile
const NOT_FOR_ENTER = "a, button, summary, select, input, textarea, dialog[open]";

const outbox = new Outbox({ work: "checking", person: page.person, collection: page.collection });
const trail = new Trail({
  outbox,
  remembered: 40,
  mark: "checked",
  thing: "abstract",
  goOnUrl: () => `${page.goOnUrl}?without=${postponed}`,
  shown: (article) => {
    restore(article);
    goTo(0);
  },
  enable: (on) => (find("done").disabled = !on),
  waitingWords: () => "Saving your last labels. This page goes on automatically.",
  complete: () => {},
});
const ahead = new Ahead(page.aheadUrl, {
  person: page.person,
  knownTokens: () => [...trail.knownTokens, ...postponed],
  target: READY,
});
trail.ahead = ahead;
let sentenceIndex = 0;
const postponed = [];

const abstract = () => trail.current;
const formOf = (article) => article.querySelector("form");
const tokenOf = (article) => article.dataset.token;
const sentences = () => [...abstract().querySelectorAll(".sentences > li")];
const labelOf = (sentence) => sentence.querySelector("[name=label]");
const draftName = (article) => `qrelsmith:labels:${page.person}:${tokenOf(article)}`;

// Sentences

function goTo(number) {
  const all = sentences();
  sentenceIndex = Math.max(0, Math.min(number, all.length - 1));
  for (const [index, sentence] of all.entries()) {
    if (index === sentenceIndex) sentence.setAttribute("aria-current", "true");
    else sentence.removeAttribute("aria-current");
  }
  all[sentenceIndex].focus({ preventScroll: true });
  all[sentenceIndex].scrollIntoView({ block: "nearest", behavior: "instant" });
  pressLabel();
}

function pressLabel() {
  const label = labelOf(sentences()[sentenceIndex]).value;
  for (const button of labelButtons)
    button.setAttribute("aria-pressed", String(button.dataset.label === label));
}

function setLabel(label) {
  const field = labelOf(sentences()[sentenceIndex]);
  if (![...field.options].some((option) => option.value === label))
    return tellLast("The labels of this abstract cannot change");
  field.value = label;
  keepDraft();
  goTo(sentenceIndex + 1);
}

// Both move a boundary on the server, which knows the words; nothing is saved by that.
const join = () => sentences()[sentenceIndex].querySelector("[value^=join-]")?.click();

function chooseSplit() {
  const field = sentences()[sentenceIndex].querySelector("[name^=place-]");
  if (!field) return;
  field.closest("details").open = true;
  field.focus();
}

async function edit(body) {
  const article = abstract();
  body.set("person", page.person);
  try {
    const [edited] = await fetchPairs(article.dataset.url, page.person, body);
    if (article !== abstract()) return;
    trail.replace(edited);
    find("pair").replaceChildren(edited);
    keepDraft();
    goTo(sentenceIndex);
  } catch {
    tellLast("The boundary was not moved. Choose a word for a split, or reload the page.");
  }
}

// Drafts: labels that are not saved survive a reload.

const fieldsOf = (article) => new URLSearchParams(new FormData(formOf(article)));

function keepDraft() {
  forThisTab.set(draftName(abstract()), fieldsOf(abstract()).toString());
  pressLabel();
}

// Puts labels that were not saved back into the form.
function restore(article) {
  const fields = fieldsOf(article);
  const draft = new URLSearchParams(forThisTab.get(draftName(article)) ?? "");
  if (draft.get("seen") === fields.get("seen")) return putBack(article, draft);
  const kept = [...outbox.refused(), ...outbox.entries()].findLast(
    (entry) => entry.token === tokenOf(article),
  );
  if (!kept) return undefined;
  tellLast("These are your labels that are not saved");
  return putBack(article, new URLSearchParams(kept.body));
}

function putBack(article, kept) {
  const fields = fieldsOf(article);
  if (String(kept.getAll("length")) === String(fields.getAll("length"))) {
    const labels = kept.getAll("label");
    for (const [index, field] of [...article.querySelectorAll("[name=label]")].entries())
      field.value = labels[index];
    return undefined;
  }
  for (const name of ["seen", "csrfmiddlewaretoken"]) kept.set(name, fields.get(name));
  kept.set("step", "show");
  return edit(kept);
}

function later(event) {
  event.preventDefault();
  postponed.push(tokenOf(abstract()));
  trail.putOff();
}

function undo(event) {
  event.preventDefault();
  trail.goBack();
}

// Saving

function submit(event) {
  event.preventDefault();
  const { submitter } = event;
  const article = abstract();
  if (submitter?.name === "step") {
    return edit(new URLSearchParams(new FormData(formOf(article), submitter)));
  }
  if (tooSoon(trail.shownAt, "abstract")) return;
  if (outbox.waitsFor(tokenOf(article)))
    return tellLast("These labels wait to be saved. You can change them after that.");
  send(article);
  forThisTab.remove(draftName(article));
  article.dataset.checked = "yes";
  trail.goToNext();
}

function send(article) {
  const fields = [...article.querySelectorAll("[name=label]")];
  const corrections = fields.filter(
    ({ value, dataset }) => dataset.predicted && dataset.predicted !== value,
  ).length;
  const said = `${fields.length} labels, ${corrections} corrected`;
  outbox.addForm(fieldsOf(article), {
    token: tokenOf(article),
    url: article.dataset.url,
    kind: "check",
    title: article.querySelector("h3").textContent.trim(),
    said,
  });
  tellLast(`Last: ${said}`);
}

// The abstract as it is saved now: the next submission of it must say so.
function noteSaved({ detail: { entry, seen, progress } }) {
  if (!outbox.entries().length) find("progress").textContent = progress;
  const article = trail.withToken(entry.token);
  if (!article) return;
  const { elements } = formOf(article);
  elements.namedItem("seen").value = seen;
  elements.namedItem("key").value = newKey();
}

// After a refusal the abstract is fetched as it is on the server; `restore` puts the labels back.
async function refetch({ detail: { entry } }) {
  try {
    const [article] = await fetchPairs(entry.url, page.person);
    const isCurrent = trail.isShown && entry.token === tokenOf(abstract());
    if (!article) return;
    trail.replace(article);
    if (isCurrent) trail.show(trail.currentIndex);
  } catch {
    // It stays as it is, and the notice has a link to it.
  }
}

function start() {
  find("pair").addEventListener("submit", submit);
  find("later").addEventListener("click", later);
  find("undo").addEventListener("click", undo);
  outbox.addEventListener("saved", noteSaved);
  outbox.addEventListener("refused", refetch);
  trail.visit.start({ work: "checking", look: "See this abstract" });
  restore(abstract());
  outbox.deliver();
  ahead.fill().catch(() => {});
}

// With a mouse or a finger, the keys work again after a choice. With the keyboard the focus stays.
let usesPointer = false;
document.addEventListener("pointerdown", () => (usesPointer = true));
document.addEventListener("keydown", () => (usesPointer = false), { capture: true });
find("pair").addEventListener("change", ({ target }) => {
  if (target.name !== "label") return;
  sentenceIndex = sentences().indexOf(target.closest("li"));
  keepDraft();
  if (usesPointer) goTo(sentenceIndex);
});
find("pair").addEventListener("click", ({ target }) => {
  const sentence = target.closest("li");
  if (sentence && !target.closest(NOT_FOR_ENTER)) goTo(sentences().indexOf(sentence));
});
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const place = event.target.closest("[name^=place-]");
  if (place && event.key === "Escape") goTo(sentenceIndex);
  if (event.key !== "Enter" || (!place && event.target.closest(NOT_FOR_ENTER))) return;
  event.preventDefault();
  if (place) place.parentElement.querySelector("button").click();
  else find("done").click();
});
for (const button of labelButtons) {
  button.hidden = false;
  button.addEventListener("click", () => setLabel(button.dataset.label));
}

const down = () => goTo(sentenceIndex + 1);
const up = () => goTo(sentenceIndex - 1);
onKeys({
  ArrowDown: down,
  ArrowUp: up,
  j: down,
  k: up,
  [find("join").dataset.key]: join,
  [find("split").dataset.key]: chooseSplit,
  [find("later").dataset.key]: () => find("later").click(),
  u: () => find("undo").click(),
  ...Object.fromEntries(
    labelButtons.map((button) => [button.dataset.key, () => setLabel(button.dataset.label)]),
  ),
  "?": helpDialog(),
});
measureDock();
goTo(0);

if (storageWorks()) start();
else plainForms([formOf(abstract())], { trouble: find("trouble"), thing: "abstract" });
