// The judging workspace: shows the next pair at once and sends the answer in the background, with the
// fields that the plain forms would send. Where this browser stores nothing, an answer sent in the
// background could be lost, so the plain forms do the work.

import { Ahead, fetchPairs } from "./ahead.js";
import { readingAids } from "./aids.js";
import { aspectMarks } from "./aspects.js";
import { newKey } from "./delivery.js";
import { askAdmin, sendQuestions, showQuestionForm } from "./help-requests.js";
import { helpDialog, onKeys } from "./keys.js";
import { text } from "./language.js";
import { foldQuery, waitForCandidate } from "./narrow.js";
import { Outbox } from "./outbox.js";
import { Pace } from "./pace.js";
import {
  closeLifts,
  guidelinePanel,
  lift,
  measureDock,
  noteForOther,
  tellLast,
  tooSoon,
  tour,
} from "./panels.js";
import { plainForms } from "./plain.js";
import { storageWorks } from "./storage.js";
import { Stopwatch } from "./stopwatch.js";
import { Trail } from "./trail.js";
import { WORK } from "./wording.js";

const page = document.body.dataset;
const find = (id) => document.getElementById(id);
// In practice, no pair can be put off, and the form is missing.
const forms = { answer: find("answer"), cannot: find("cannot-form"), later: find("later") };
const plain = [...Object.values(forms), find("ask-form")].filter(Boolean);
const keys = [...forms.answer.querySelectorAll("[data-key]")];

const LONGEST = 24 * 3600; // the server takes no more seconds than these

const outbox = new Outbox({ work: "judging", person: page.person, collection: page.collection });
const trail = new Trail({
  outbox,
  remembered: 60,
  mark: "judged",
  thing: "pair",
  goOnUrl: () => page.goOnUrl,
  shown,
  enable,
  waitingWords,
  complete: applyUnsent,
});
const ahead = new Ahead(page.aheadUrl, {
  person: page.person,
  knownTokens: () => trail.knownTokens,
});
trail.ahead = ahead;
const watch = new Stopwatch();
const queryRead = foldQuery();
const waitAgain = waitForCandidate();
const aids = readingAids(tellLast);
const pace = new Pace();
const aspects = aspectMarks(() => tooSoon(trail.shownAt, "pair"));

// An answer goes into the outbox while its pair is still on screen. So what the notice says of the
// pairs that are ready is only true once the next pair is shown.
let updateNotice = () => {};

// Showing

function shown(pair) {
  fill(pair);
  closeLifts();
  queryRead();
  waitAgain();
  aids.shown();
  watch.restart();
  updateNotice();
}

// Puts into the forms what a page of this pair would hold.
function fill(pair) {
  const { url, laterUrl, presentation, supersedes, grade, reason, note, judged } = pair.dataset;
  for (const form of [forms.answer, forms.cannot]) {
    form.action = url;
    form.elements.presentation.value = presentation;
    form.elements.supersedes.value = supersedes;
    form.elements.key.value = newKey();
  }
  if (forms.later) {
    forms.later.action = laterUrl;
    forms.later.hidden = Boolean(judged);
  }
  for (const key of keys)
    key.setAttribute("aria-pressed", String(Boolean(judged) && key.value === grade));
  forms.answer.elements.note.value = reason ? "" : note;
  forms.cannot.elements.note.value = reason ? note : "";
  for (const radio of forms.cannot.elements.reason) radio.checked = radio.value === reason;
  markNote();
  showQuestionForm(pair);
  aspects.show(pair);
  find("was").hidden = !judged;
  if (judged) find("was-said").textContent = wordsFor(pair.dataset);
}

function wordsFor({ grade, reason }) {
  if (grade === "") return text("cannot judge: {reason}", { reason: reasonText(reason) });
  return `${grade} ${keys[Number(grade)].dataset.name}`;
}

const reasonText = (reason) =>
  [...forms.cannot.elements.reason]
    .find((radio) => radio.value === reason)
    ?.closest("label")
    .textContent.trim() ?? "";

const markNote = () => {
  document.querySelector(".has-note").hidden = !forms.answer.elements.note.value.trim();
};

function enable(on) {
  if (!on) find("was").hidden = true;
  for (const button of find("dock").querySelectorAll("form button")) button.disabled = !on;
  if (!on) updateNotice();
}

// Answering

function answer(event) {
  event.preventDefault();
  if (tooSoon(trail.shownAt, "pair")) return;
  const pair = trail.current;
  const body = new FormData(event.currentTarget, event.submitter);
  if (body.get("answer") === "0") for (const name of MARKS) body.delete(name); // nothing matches
  const first = !pair.dataset.judged;
  send(pair, body, { seconds: Math.min(watch.seconds, LONGEST).toFixed(1) });
  remember(pair, body);
  if (first) pace.count(pace.judged + 1);
  pace.addSeconds(watch.seconds);
  const answer = wordsFor(pair.dataset);
  tellLast(first ? text("Last: {answer}", { answer }) : text("Changed to: {answer}", { answer }));
  if ("proposes" in page && first && body.get("answer") > 0) return goOnOnceSaved();
  goToNext();
}

// Marked steps can suggest another grade. The server says so once it has the judge's own, and the page
// is left for it: see the event "saved".
async function goOnOnceSaved() {
  await trail.waitUntilSaved();
  if (!trail.visit.ends) goToNext();
}

function later(event) {
  event.preventDefault();
  if (tooSoon(trail.shownAt, "pair")) return;
  const pair = trail.current;
  const body = new FormData(event.currentTarget);
  body.set("key", newKey());
  send(pair, body, {});
  trail.putOff();
}

function send(pair, body, more) {
  for (const [name, value] of Object.entries(more)) body.set(name, value);
  const isAnswer = body.has("answer");
  outbox.addForm(body, {
    token: pair.dataset.token,
    query: page.query,
    url: isAnswer ? pair.dataset.url : pair.dataset.laterUrl,
    kind: isAnswer ? "answer" : "later",
    first: isAnswer && !pair.dataset.judged,
    title: pair.querySelector("h3").textContent.trim(),
    said: isAnswer ? describeAnswer(body) : text("later"),
  });
}

const describeAnswer = (body) => wordsFor(gradeAndReason(body));

const gradeAndReason = (body) => ({
  grade: body.get("answer") === "cannot" ? "" : body.get("answer"),
  reason: body.get("answer") === "cannot" ? (body.get("reason") ?? "") : "",
});

const MARKS = ["aspects", "details"];
const marksOf = (body) => MARKS.flatMap((name) => body.getAll(name)).join(" ");

// The pair as it will be once the server has this answer.
function remember(pair, body) {
  Object.assign(pair.dataset, gradeAndReason(body), {
    judged: "yes",
    note: body.get("note") ?? "",
    supersedes: body.get("key"),
    aspects: marksOf(body),
  });
  pair.querySelector(".role-line .chip")?.remove();
}

// Moving

function goToNext() {
  const then = new URLSearchParams(new FormData(forms.answer)).get("then");
  return then ? trail.leaveFor(page.mineUrl) : trail.goToNext();
}

// What is unsaved is said by the notice in the dock.
function waitingWords(otherwise) {
  const unsaved = outbox.entries().length;
  if (!unsaved) return otherwise;
  if (outbox.state === "idle" || outbox.state === "sending")
    return text("Saving your last judgments…");
  const sentences = [
    ...("proposes" in page ? [] : [text("You have judged every pair that is ready here.")]),
    `${WORK.judging.unsaved(unsaved)}.`,
    text("This page goes on automatically once they are saved."),
  ];
  return sentences.join(" ");
}

function undo(event) {
  event.preventDefault();
  trail.goBack();
}

function applyUnsent(pair) {
  for (const entry of outbox.entries()) {
    if (entry.kind === "answer" && entry.token === pair.dataset.token) {
      remember(pair, new URLSearchParams(entry.body));
    }
  }
}

function goOn(event) {
  event?.preventDefault();
  if (trail.current.dataset.judged && trail.isShown) goToNext();
}

// The pairs here, as other windows and the server know them

// A pair judged in another window shows that judgment, so that an answer here supersedes it knowingly.
function showJudgmentFromOtherTab(entry) {
  ahead.drop(entry.token);
  const pair = trail.withToken(entry.token);
  if (!pair || entry.kind !== "answer") return;
  const onScreen = pair === trail.current && trail.isShown;
  // Half an answer stays as it is: the server will refuse it, with its note shown.
  if (onScreen && hasUnsentInput(pair)) return;
  remember(pair, new URLSearchParams(entry.body));
  if (onScreen) fill(pair);
}

function hasUnsentInput(pair) {
  const { note, reason, aspects: marked = "" } = pair.dataset;
  const markedNow = marksOf(new FormData(forms.answer));
  const reasonNow = new FormData(forms.cannot).get("reason") ?? "";
  return (
    forms.answer.elements.note.value !== (reason ? "" : note) ||
    reasonNow !== reason ||
    markedNow !== marked
  );
}

// After a refusal the page holds a judgment that was never saved: take the server's instead.
async function refetchPair(entry) {
  try {
    const [pair] = await fetchPairs(entry.url, page.person);
    if (pair && entry.token !== trail.current?.dataset.token) trail.replace(pair);
  } catch {
    // The pair stays as it is. The server refuses a judgment of it until it is shown again.
  }
}

// Starting

function start() {
  outbox.addEventListener("saved", ({ detail: { entry, judged, proposal } }) => {
    if (proposal && entry.query === page.query) trail.visit.leaveFor(proposal);
    if (entry.kind === "later") ahead.renew();
    if (entry.query === page.query && !outbox.entries().length) pace.count(judged);
  });
  outbox.addEventListener("refused", ({ detail: { entry } }) => {
    if (entry.query !== page.query) return;
    if (entry.first) pace.count(pace.judged - 1);
    refetchPair(entry);
  });
  outbox.addEventListener("added-elsewhere", ({ detail: entry }) =>
    showJudgmentFromOtherTab(entry),
  );
  forms.answer.addEventListener("submit", answer);
  forms.cannot.addEventListener("submit", answer);
  forms.later?.addEventListener("submit", later);
  sendQuestions(outbox, () => trail.current);
  find("undo").addEventListener("click", undo);
  find("go-on").addEventListener("click", goOn);
  tour();

  const readyField = find("ready");
  readyField.value = ahead.targetCount;
  readyField.addEventListener("change", () => (ahead.targetCount = Number(readyField.value)));
  readyField.closest("[hidden]").hidden = false;

  updateNotice = trail.visit.start({
    work: "judging",
    ready: () => ahead.ready + trail.unanswered.length,
  });
  ahead.addEventListener("change", updateNotice);
  applyUnsent(trail.current);
  fill(trail.current);
  // The address of the query shows its next pair. A reload must show this one.
  const { token, url } = trail.current.dataset;
  if (location.pathname !== url) history.replaceState(null, "", url);
  watch.restart();
  const unsentBefore = outbox.entries();
  pace.count(
    pace.judged + unsentBefore.filter((entry) => entry.first && entry.query === page.query).length,
  );
  outbox.deliver();
  const ready = ahead.fill().catch(() => {});
  // A pair judged before this page was loaded, but not yet sent: go on to the next.
  if (unsentBefore.some((entry) => entry.token === token)) ready.then(goToNext);
}

forms.answer.elements.note.addEventListener("input", markNote);
noteForOther(forms.cannot);
measureDock();

const help = helpDialog();
const guideline = guidelinePanel();
const cannot = lift("cannot");
const note = lift("note");
const grades = Object.fromEntries(keys.map((key) => [key.dataset.key, () => key.click()]));
onKeys({
  ...grades,
  c: cannot,
  l: () => forms.later?.hidden === false && forms.later.requestSubmit(),
  u: () => find("undo").click(),
  n: note,
  a: askAdmin(),
  g: () => guideline(),
  ...aids.keys,
  ...aspects.keys,
  "?": help,
  Escape: () => closeLifts() || (!find("was").hidden && find("go-on").click()),
});

if (storageWorks()) start();
else plainForms(plain, { trouble: find("trouble"), thing: "pair" });
