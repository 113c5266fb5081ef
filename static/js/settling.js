// The adjudicator's case, or a rater's pair of full texts: keys, and an answer that is kept until the
// server has it. Then the next one comes, as a page of its own.

import { helpDialog, onKeys } from "./keys.js";
import { Outbox } from "./outbox.js";
import {
  closeLifts,
  foldQuery,
  guidelinePanel,
  lift,
  measureDock,
  noteForOther,
  tellLast,
  tooSoon,
} from "./panels.js";
import { plainForms } from "./plain.js";
import { showSaveState } from "./savestate.js";
import { Stopwatch } from "./stopwatch.js";
import { forThisTab, storageWorks } from "./storage.js";
import { Visit } from "./visit.js";

const page = document.body.dataset;
const find = (id) => document.getElementById(id);
const forms = [find("answer"), find("cannot-form")];
const noteField = forms[0].elements.note;
const LONGEST = 24 * 3600; // the server takes no more seconds than these
const clock = `qrelsmith:clock:${page.person}:${location.pathname}`;
const draft = `qrelsmith:draft:${page.person}:${location.pathname}`;
let shownAt = performance.now();
const { work = "settling", thing = "case" } = page;
const noun = work === "settling" ? "decision" : "rating";
const outbox = new Outbox({ work, person: page.person, collection: page.collection });
const visit = new Visit(outbox);

function submit(event) {
  event.preventDefault();
  if (visit.ends || tooSoon(shownAt, thing)) return;
  if (unsentDecision())
    return tellLast(`Your ${noun} waits to be saved. You can change it after that.`);
  const { currentTarget: form, submitter } = event;
  tellLast("");
  submitter?.classList.add("pressed");
  const body = new URLSearchParams(new FormData(form, submitter));
  body.delete("csrfmiddlewaretoken");
  body.set("person", page.person);
  outbox.add({
    key: body.get("key"),
    token: page.token,
    query: page.query,
    url: form.getAttribute("action"),
    kind: "decision",
    title: document.querySelector(".pair h3").textContent.trim(),
    said: describeAnswer(body),
    body: body.toString(),
  });
}

const unsentDecision = () => outbox.entries().find((entry) => entry.token === page.token);

function describeAnswer(body) {
  const answer = body.get("answer");
  if (answer === "cannot") return `cannot be judged: ${body.get("reason")}`;
  return /\d/.test(answer) ? answer : `judgment ${answer.toUpperCase()}`;
}

function goToNext({ detail: { entry, next } }) {
  if (entry.token !== page.token) return;
  forThisTab.remove(draft);
  forThisTab.remove(clock);
  queryRead();
  visit.leaveFor(next);
}

// A case that is settled or gone has a next one; any other refusal is shown here.
function handleRefusal({ detail: { entry, next } }) {
  if (entry.token !== page.token) return;
  for (const button of document.querySelectorAll(".pressed")) button.classList.remove("pressed");
  if (!next) return;
  outbox.dismiss(entry);
  visit.leaveFor(next);
}

// Reading a paper takes minutes, with breaks: the time of earlier visits in this tab counts too.
function startClock() {
  const watch = new Stopwatch();
  const earlier = Number(forThisTab.get(clock)) || 0;
  const total = () => Math.min(earlier + watch.seconds, LONGEST).toFixed(1);
  watch.restart();
  for (const form of forms)
    form.addEventListener("submit", () => (form.elements.seconds.value = total()));
  addEventListener("pagehide", () => visit.ends || forThisTab.set(clock, total()));
}

const markNote = () => {
  document.querySelector(".has-note").hidden = !noteField.value.trim();
};

function start() {
  for (const form of forms) form.addEventListener("submit", submit);
  outbox.addEventListener("saved", goToNext);
  outbox.addEventListener("refused", handleRefusal);
  visit.watch();
  showSaveState(outbox, {
    work,
    chip: find("saved"),
    trouble: find("trouble"),
    loginUrl: page.loginUrl,
    look: work === "settling" ? "See both judgments as they are" : undefined,
  });
  outbox.deliver();
}

noteField.value = forThisTab.get(draft) ?? noteField.value;
noteField.addEventListener("input", () => {
  forThisTab.set(draft, noteField.value);
  markNote();
});
markNote();
measureDock();
if ("timed" in page) startClock();
if (forms[1].elements.note) noteForOther(forms[1]);
const queryRead = foldQuery();

// After the list of keys, a press does not repeat one of the case before. The close event of the
// list may come later than the next key, so it is not used.
const help = helpDialog(() => (shownAt = -Infinity));
const guideline = guidelinePanel();
const cannot = lift("cannot");
const note = lift("note");
const buttons = [...document.querySelectorAll("[data-key]")];
onKeys({
  ...Object.fromEntries(buttons.map((button) => [button.dataset.key, () => button.click()])),
  c: cannot,
  u: () => find("undo").click(),
  n: note,
  g: () => guideline(),
  "?": help,
  Escape: () => closeLifts() || find("go-on")?.click(),
});

if (storageWorks()) start();
else plainForms(forms, { trouble: find("trouble"), thing });
