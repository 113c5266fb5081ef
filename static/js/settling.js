// The adjudicator's case: keys, and a decision that is kept until the server has it. Then the next
// case comes, as a page of its own.

import { helpDialog, onKeys } from "./keys.js";
import { Outbox } from "./outbox.js";
import {
  closeLifts,
  foldQuery,
  guidelinePanel,
  lift,
  measureDock,
  tellLast,
  tooSoon,
} from "./panels.js";
import { plainForms } from "./plain.js";
import { showSaveState } from "./savestate.js";
import { forThisTab, storageWorks } from "./storage.js";

const page = document.body.dataset;
const find = (id) => document.getElementById(id);
const forms = [find("answer"), find("cannot-form")];
const noteField = forms[0].elements.note;
const draft = `qrelsmith:draft:${page.person}:${location.pathname}`;
let shownAt = performance.now();
const outbox = new Outbox({ work: "settling", person: page.person, collection: page.collection });
let leaving = false;

function submit(event) {
  event.preventDefault();
  if (leaving || tooSoon(shownAt, "case")) return;
  if (unsentDecision())
    return tellLast("Your decision waits to be saved. You can change it after that.");
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
  queryRead();
  leaveFor(next);
}

// A case that is settled or gone has a next one; any other refusal is shown here.
function handleRefusal({ detail: { entry, next } }) {
  if (entry.token !== page.token) return;
  for (const button of document.querySelectorAll(".pressed")) button.classList.remove("pressed");
  if (!next) return;
  outbox.dismiss(entry);
  leaveFor(next);
}

function leaveFor(url) {
  leaving = true;
  location.assign(url);
}

// A page from the back-forward cache is as old as when it was left. Offline it is all there is.
async function renew() {
  leaving = false;
  outbox.deliver();
  if (outbox.inMemoryOnly) return;
  try {
    const response = await fetch(location.href, { method: "HEAD" });
    if (!response.ok) return;
  } catch {
    return;
  }
  leaving = true;
  location.reload();
}

const markNote = () => {
  document.querySelector(".has-note").hidden = !noteField.value.trim();
};

function start() {
  for (const form of forms) form.addEventListener("submit", submit);
  outbox.addEventListener("saved", goToNext);
  outbox.addEventListener("refused", handleRefusal);
  addEventListener("beforeunload", (event) => {
    if (outbox.entries().length && !leaving) event.preventDefault();
  });
  addEventListener("pageshow", (event) => event.persisted && renew());
  showSaveState(outbox, {
    work: "settling",
    chip: find("saved"),
    trouble: find("trouble"),
    loginUrl: page.loginUrl,
    look: "See both judgments as they are",
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
const queryRead = foldQuery();

// After the list of keys, a press is no repeated one of the case before. This is not noted when the
// list closes, because that event may come later than the next key.
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
else plainForms(forms, { trouble: find("trouble"), thing: "case" });
