// The judging workspace: shows the next pair at once and sends what was said behind it. The plain
// forms stay the truth: what is sent is what they would send.

import { Ahead, fetchPairs } from "./ahead.js";
import { helpDialog, onKeys } from "./keys.js";
import { Outbox } from "./outbox.js";
import { Pace } from "./pace.js";
import { closeLifts, foldQuery, guidelinePanel, lift, measureDock, noteForOther, tellLast } from "./panels.js";
import { showSaveState } from "./savestate.js";
import { Stopwatch } from "./stopwatch.js";

const page = document.body.dataset;
const find = (id) => document.getElementById(id);
const forms = { answer: find("answer"), cannot: find("cannot-form"), later: find("later") };
const keys = [...forms.answer.querySelectorAll("[data-key]")];

// A press this soon was meant for the pair before: nobody has read anything yet.
const UNREAD = 300;
const REMEMBERED = 60;

const outbox = new Outbox({ person: page.person, collection: page.collection });
const ahead = new Ahead(page.aheadUrl, held);
const watch = new Stopwatch();
const queryRead = foldQuery();
const pace = new Pace();

// Pairs in the order they were shown, judged ones first; the last is where one is when not undoing.
let trail = [find("pair").querySelector("article")];
let here = 0;
let shownAt = 0;
let leaving = false;

function held() {
  const current = trail.filter((pair) => !pair.dataset.judged).map((pair) => pair.dataset.token);
  return [...current, ...outbox.entries().map((entry) => entry.token)];
}

// Showing

function show(position) {
  here = position;
  const pair = trail[here];
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
  for (const key of keys) key.setAttribute("aria-pressed", String(Boolean(judged) && key.value === grade));
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
  [...forms.cannot.elements.reason].find((radio) => radio.value === reason)?.closest("label").textContent.trim() ?? "";

const markNote = () => {
  document.querySelector(".has-note").hidden = !forms.answer.elements.note.value.trim();
};

function setEnabled(on) {
  for (const button of find("dock").querySelectorAll("form button")) button.disabled = !on;
}

// `crypto.randomUUID` exists on HTTPS and localhost only; a laboratory's server may have neither.
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

// Answering

function answer(event) {
  event.preventDefault();
  if (performance.now() - shownAt < UNREAD) return;
  const pair = trail[here];
  const body = new FormData(event.currentTarget, event.submitter);
  const first = !pair.dataset.judged;
  send(pair, body, { seconds: watch.seconds.toFixed(1) });
  remember(pair, body);
  if (first) pace.count(pace.judged + 1);
  pace.timed(watch.seconds);
  tellLast(`${first ? "Last" : "Changed to"}: ${wordsFor(pair.dataset)}`);
  onward();
}

function later(event) {
  event.preventDefault();
  if (performance.now() - shownAt < UNREAD) return;
  const pair = trail[here];
  const body = new FormData(event.currentTarget);
  body.set("key", newKey());
  send(pair, body, {});
  trail.splice(here, 1);
  tellLast("Last: put off for later");
  onward();
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
    said: isAnswer ? said(body) : "later",
    body: new URLSearchParams(body).toString(),
  });
}

const said = (body) => wordsFor(saidIn(body));

const saidIn = (body) => ({
  grade: body.get("answer") === "cannot" ? "" : body.get("answer"),
  reason: body.get("answer") === "cannot" ? (body.get("reason") ?? "") : "",
});

// The pair as it will be once the server has this answer.
function remember(pair, body) {
  Object.assign(pair.dataset, saidIn(body), {
    judged: "yes", note: body.get("note") ?? "", supersedes: body.get("key"),
  });
  pair.querySelector(".role-line .chip")?.remove();
}

// Moving

async function onward() {
  const then = new URLSearchParams(new FormData(forms.answer)).get("then");
  if (then) return leaveFor(page.mineUrl);
  if (here < trail.length - 1 && !trail.at(-1).dataset.judged) return show(trail.length - 1);
  const next = ahead.take();
  if (!next) return wait();
  trail = [...trail, next].slice(-REMEMBERED);
  return show(trail.length - 1);
}

// Nothing is here to show: the query ends, or the network is gone.
async function wait() {
  find("pair").hidden = true;
  find("was").hidden = true;
  setEnabled(false);
  say("Fetching the next pair…");
  find("waiting").hidden = false;
  for (;;) {
    try {
      if (outbox.entries().length) {
        say("You are at the end of what is here. What you judged is being saved.");
        await drained();
      }
      await ahead.fill();
      const next = ahead.take();
      if (!next) return leaveFor(page.goOnUrl);
      trail = [...trail, next].slice(-REMEMBERED);
      return show(trail.length - 1);
    } catch {
      say("The next pairs cannot be fetched just now. Everything you judged is kept; this page goes on by itself.");
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}

const say = (text) => (find("waiting").querySelector("p").textContent = text);

function drained() {
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
  await drained();
  leaving = true;
  location.assign(url);
}

async function back(event) {
  event?.preventDefault();
  if (find("pair").hidden) return;
  if (here === 0) {
    const earlier = await earlierPair(trail[0]);
    if (!earlier) return tellLast("There is nothing to go back to");
    trail = [earlier, ...trail];
    here = 1;
  }
  show(here - 1);
}

// From before this page was loaded: first what still waits to be sent, then what the server has.
async function earlierPair(first) {
  const known = new Set(trail.map((pair) => pair.dataset.token));
  const waiting = outbox.entries().filter((entry) => entry.kind === "answer" && entry.query === page.query);
  const unsent = waiting.findLast((entry) => !known.has(entry.token));
  try {
    const url = unsent ? unsent.url : `${page.backUrl}?from=${first.dataset.token}`;
    const [pair] = await fetchPairs(url);
    if (!pair || known.has(pair.dataset.token)) return undefined;
    applyUnsent(pair);
    return pair;
  } catch {
    tellLast("The earlier pair cannot be fetched just now");
    return undefined;
  }
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
  if (!trail[here].dataset.judged || find("pair").hidden) return;
  onward();
}

// Starting

outbox.addEventListener("saved", ({ detail }) => {
  if (detail.entry.query === page.query && !outbox.entries().length) pace.count(detail.judged);
});
outbox.addEventListener("refused", ({ detail }) => {
  if (detail.entry.first && detail.entry.query === page.query) pace.count(pace.judged - 1);
});
addEventListener("beforeunload", (event) => {
  if (outbox.entries().length && !leaving) event.preventDefault();
});
addEventListener("pageshow", (event) => event.persisted && location.reload());

forms.answer.addEventListener("submit", answer);
forms.cannot.addEventListener("submit", answer);
forms.later.addEventListener("submit", later);
forms.answer.elements.note.addEventListener("input", markNote);
find("undo").addEventListener("click", back);
find("go-on").addEventListener("click", goOn);
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
  u: () => back(),
  n: note,
  g: () => guideline(),
  "?": help,
  Escape: () => closeLifts() || goOn(),
});

showSaveState(outbox, { chip: find("saved"), trouble: find("trouble"), loginUrl: page.loginUrl });
applyUnsent(trail[0]);
fill(trail[0]);
watch.restart();
shownAt = performance.now() - UNREAD;
const unsentBefore = outbox.entries();
pace.count(pace.judged + unsentBefore.filter((entry) => entry.first && entry.query === page.query).length);
outbox.deliver();
const ready = ahead.fill();
// A pair judged before this page was loaded, but not yet sent: go on to the next.
if (unsentBefore.some((entry) => entry.token === trail[0].dataset.token)) {
  ready.catch(() => {}).then(onward);
} else {
  ready.catch(() => {});
}
