// The judging workspace: shows the next pair at once and sends the answer in the background, with the
// fields that the plain forms would send. Where this browser stores nothing, an answer sent in the
// background could be lost, so the plain forms do the work.

import { Ahead, fetchPairs } from "./ahead.js";
import { newKey } from "./delivery.js";
import { helpDialog, onKeys } from "./keys.js";
import { Outbox } from "./outbox.js";
import { Pace } from "./pace.js";
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
import { storageWorks } from "./storage.js";
import { Stopwatch } from "./stopwatch.js";

const page = document.body.dataset;
const find = (id) => document.getElementById(id);
const forms = { answer: find("answer"), cannot: find("cannot-form"), later: find("later") };
const keys = [...forms.answer.querySelectorAll("[data-key]")];

const REMEMBERED = 60;
const LONGEST = 24 * 3600; // the server takes no more seconds than these

const outbox = new Outbox({ work: "judging", person: page.person, collection: page.collection });
const ahead = new Ahead(page.aheadUrl, { person: page.person, knownTokens });
const watch = new Stopwatch();
const queryRead = foldQuery();
const pace = new Pace();

// Pairs in the order they were shown, judged ones first. The last is the current one, except while
// the annotator goes back.
let trail = [find("pair").querySelector("article")];
let currentIndex = 0;
let shownAt = -Infinity; // nothing was pressed for a pair before the first
let leaving = false;
let waitingWords = () => "";
// An answer goes into the outbox while its pair is still on screen. So what the notice says of the
// pairs that are ready is only true once the next pair is shown.
let updateNotice = () => {};

function knownTokens() {
  const unjudged = trail.filter((pair) => !pair.dataset.judged).map((pair) => pair.dataset.token);
  return [...unjudged, ...outbox.entries().map((entry) => entry.token)];
}

// Showing

function show(position) {
  currentIndex = position;
  const pair = trail[currentIndex];
  find("pair").replaceChildren(pair);
  find("pair").hidden = false;
  find("waiting").hidden = true;
  setEnabled(true);
  fill(pair);
  closeLifts();
  history.replaceState(null, "", pair.dataset.url);
  queryRead();
  scrollTo({ top: 0, behavior: "instant" });
  shownAt = performance.now();
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
  forms.later.action = laterUrl;
  forms.later.hidden = Boolean(judged);
  for (const key of keys)
    key.setAttribute("aria-pressed", String(Boolean(judged) && key.value === grade));
  forms.answer.elements.note.value = reason ? "" : note;
  forms.cannot.elements.note.value = reason ? note : "";
  for (const radio of forms.cannot.elements.reason) radio.checked = radio.value === reason;
  markNote();
  find("undo").search = `?from=${pair.dataset.token}`;
  find("was").hidden = !judged;
  if (judged) find("was-said").textContent = wordsFor(pair.dataset);
}

function wordsFor({ grade, reason }) {
  if (grade === "") return `cannot judge: ${reasonText(reason)}`;
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

function setEnabled(on) {
  for (const button of find("dock").querySelectorAll("form button")) button.disabled = !on;
}

// Answering

function answer(event) {
  event.preventDefault();
  if (tooSoon(shownAt, "pair")) return;
  const pair = trail[currentIndex];
  const body = new FormData(event.currentTarget, event.submitter);
  const first = !pair.dataset.judged;
  send(pair, body, { seconds: Math.min(watch.seconds, LONGEST).toFixed(1) });
  remember(pair, body);
  if (first) pace.count(pace.judged + 1);
  pace.addSeconds(watch.seconds);
  tellLast(`${first ? "Last" : "Changed to"}: ${wordsFor(pair.dataset)}`);
  goToNext();
}

function later(event) {
  event.preventDefault();
  if (tooSoon(shownAt, "pair")) return;
  const pair = trail[currentIndex];
  const body = new FormData(event.currentTarget);
  body.set("key", newKey());
  send(pair, body, {});
  trail.splice(currentIndex, 1);
  tellLast("Last: put off for later");
  goToNext();
}

function send(pair, body, more) {
  body.delete("csrfmiddlewaretoken");
  body.set("person", page.person);
  for (const [name, value] of Object.entries(more)) body.set(name, value);
  const isAnswer = body.has("answer");
  outbox.add({
    key: body.get("key"),
    token: pair.dataset.token,
    query: page.query,
    url: isAnswer ? pair.dataset.url : pair.dataset.laterUrl,
    kind: isAnswer ? "answer" : "later",
    first: isAnswer && !pair.dataset.judged,
    title: pair.querySelector("h3").textContent.trim(),
    said: isAnswer ? describeAnswer(body) : "later",
    body: new URLSearchParams(body).toString(),
  });
}

const describeAnswer = (body) => wordsFor(gradeAndReason(body));

const gradeAndReason = (body) => ({
  grade: body.get("answer") === "cannot" ? "" : body.get("answer"),
  reason: body.get("answer") === "cannot" ? (body.get("reason") ?? "") : "",
});

// The pair as it will be once the server has this answer.
function remember(pair, body) {
  Object.assign(pair.dataset, gradeAndReason(body), {
    judged: "yes",
    note: body.get("note") ?? "",
    supersedes: body.get("key"),
  });
  pair.querySelector(".role-line .chip")?.remove();
}

// Moving

async function goToNext() {
  const then = new URLSearchParams(new FormData(forms.answer)).get("then");
  if (then) return leaveFor(page.mineUrl);
  if (currentIndex < trail.length - 1 && !trail.at(-1).dataset.judged)
    return show(trail.length - 1);
  const next = ahead.take();
  if (!next) return wait();
  return showNew(next);
}

function showNew(pair) {
  trail = [...trail, pair].slice(-REMEMBERED);
  show(trail.length - 1);
}

// No pair is left to show: the query ends, or the network is gone.
async function wait() {
  showWaiting(() => "Fetching the next pair…");
  for (;;) {
    try {
      await outboxEmpty();
      await ahead.fill();
      const next = ahead.take();
      return next ? showNew(next) : leaveFor(page.goOnUrl);
    } catch {
      showWaiting(
        () =>
          "The next pairs cannot be fetched at the moment. This page tries again automatically.",
      );
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}

// Takes the pair off the screen and says why. What is unsaved is said by the notice in the dock.
function showWaiting(otherwise) {
  find("pair").hidden = true;
  find("was").hidden = true;
  setEnabled(false);
  waitingWords = () => {
    const unsaved = outbox.entries().length;
    if (!unsaved) return otherwise();
    if (outbox.state === "idle" || outbox.state === "sending") return "Saving your last judgments…";
    const which = unsaved === 1 ? "1 judgment is" : `${unsaved} judgments are`;
    return `You have judged every pair that is ready here. ${which} not saved yet. This page goes on automatically once they are saved.`;
  };
  updateWaitingText();
  find("waiting").hidden = false;
  updateNotice();
}

function updateWaitingText() {
  const line = find("waiting").querySelector("p");
  const words = waitingWords();
  if (line.textContent !== words) line.textContent = words;
}

function outboxEmpty() {
  return new Promise((resolve) => {
    const check = () => {
      if (outbox.entries().length) return;
      outbox.removeEventListener("change", check);
      resolve();
    };
    outbox.addEventListener("change", check);
    check();
  });
}

async function leaveFor(url) {
  if (outbox.entries().length) showWaiting(() => "Going on…");
  await outboxEmpty();
  leaving = true;
  location.assign(url);
}

async function undo(event) {
  event?.preventDefault();
  if (find("pair").hidden) return;
  if (currentIndex === 0) {
    try {
      const earlier = await earlierPair(trail[0]);
      if (!earlier) return tellLast("There is no earlier judgment to undo");
      trail = [earlier, ...trail];
      currentIndex += 1;
    } catch {
      return tellLast("The earlier pair cannot be fetched just now");
    }
  }
  show(currentIndex - 1);
}

// From before this page was loaded: first what still waits to be sent, then what the server has.
async function earlierPair(first) {
  const known = new Set(trail.map((pair) => pair.dataset.token));
  const unsentAnswers = outbox
    .entries()
    .filter((entry) => entry.kind === "answer" && entry.query === page.query);
  const unsent = unsentAnswers.findLast((entry) => !known.has(entry.token));
  const url = unsent ? unsent.url : `${page.undoUrl}?from=${first.dataset.token}`;
  const [pair] = await fetchPairs(url, page.person);
  if (!pair || known.has(pair.dataset.token)) return undefined;
  applyUnsent(pair);
  return pair;
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
  if (!trail[currentIndex].dataset.judged || find("pair").hidden) return;
  goToNext();
}

// The pairs here, as other windows and the server know them

// A pair judged in another window shows that judgment, so that an answer here supersedes it knowingly.
function showJudgmentFromOtherTab(entry) {
  ahead.drop(entry.token);
  const pair = trail.find((known) => known.dataset.token === entry.token);
  if (!pair || entry.kind !== "answer") return;
  const onScreen = pair === trail[currentIndex] && !find("pair").hidden;
  // Half an answer stays as it is: the server will refuse it, with its note shown.
  if (onScreen && hasUnsentInput(pair)) return;
  remember(pair, new URLSearchParams(entry.body));
  if (onScreen) fill(pair);
}

function hasUnsentInput(pair) {
  const { note, reason } = pair.dataset;
  const reasonNow = new FormData(forms.cannot).get("reason") ?? "";
  return forms.answer.elements.note.value !== (reason ? "" : note) || reasonNow !== reason;
}

// After a refusal the page holds a judgment that was never saved: take the server's instead.
async function refetchPair(entry) {
  try {
    const [pair] = await fetchPairs(entry.url, page.person);
    const position = trail.findIndex((known) => known.dataset.token === entry.token);
    if (pair && position >= 0 && position !== currentIndex) trail[position] = pair;
  } catch {
    // The pair stays as it is. The server refuses a judgment of it until it is shown again.
  }
}

// A page from the back-forward cache is as old as when it was left. Offline it is all there is.
async function renew() {
  outbox.deliver();
  if (outbox.inMemoryOnly) return;
  try {
    await fetchPairs(trail[currentIndex].dataset.url, page.person);
  } catch {
    return;
  }
  leaving = true;
  location.reload();
}

// Starting

function start() {
  outbox.addEventListener("saved", ({ detail: { entry, judged } }) => {
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
  outbox.addEventListener("change", updateWaitingText);
  addEventListener("beforeunload", (event) => {
    if (outbox.entries().length && !leaving) event.preventDefault();
  });
  addEventListener("pageshow", (event) => event.persisted && renew());

  forms.answer.addEventListener("submit", answer);
  forms.cannot.addEventListener("submit", answer);
  forms.later.addEventListener("submit", later);
  find("undo").addEventListener("click", undo);
  find("go-on").addEventListener("click", goOn);

  const readyField = find("ready");
  readyField.value = ahead.targetCount;
  readyField.addEventListener("change", () => (ahead.targetCount = Number(readyField.value)));
  readyField.closest("[hidden]").hidden = false;

  updateNotice = showSaveState(outbox, {
    work: "judging",
    chip: find("saved"),
    trouble: find("trouble"),
    loginUrl: page.loginUrl,
    ready: () => ahead.ready + trail.filter((pair) => !pair.dataset.judged).length,
  });
  ahead.addEventListener("change", updateNotice);
  applyUnsent(trail[0]);
  fill(trail[0]);
  // The address of the query shows its next pair. A reload must show this one.
  const { url } = trail[0].dataset;
  if (location.pathname !== url) history.replaceState(null, "", url);
  watch.restart();
  const unsentBefore = outbox.entries();
  pace.count(
    pace.judged + unsentBefore.filter((entry) => entry.first && entry.query === page.query).length,
  );
  outbox.deliver();
  const ready = ahead.fill().catch(() => {});
  // A pair judged before this page was loaded, but not yet sent: go on to the next.
  if (unsentBefore.some((entry) => entry.token === trail[0].dataset.token)) ready.then(goToNext);
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
  l: () => !forms.later.hidden && forms.later.requestSubmit(),
  u: () => find("undo").click(),
  n: note,
  g: () => guideline(),
  "?": help,
  Escape: () => closeLifts() || (!find("was").hidden && find("go-on").click()),
});

if (storageWorks()) start();
else plainForms(Object.values(forms), { trouble: find("trouble"), thing: "pair" });
