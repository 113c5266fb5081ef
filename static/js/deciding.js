// The adjudicator's case, a judge's pair to look at again, or a rater's pair of full texts: keys, and
// an answer that is kept until the server has it. Then the next one comes, as a page of its own.

import { readingAids } from "./aids.js";
import { keepClaim } from "./claiming.js";
import { helpDialog, onKeys } from "./keys.js";
import { text } from "./language.js";
import { foldQuery, waitForCandidate } from "./narrow.js";
import { closeLifts, guidelinePanel, lift, measureDock, noteForOther, tellLast } from "./panels.js";
import { Question } from "./question.js";
import { Stopwatch } from "./stopwatch.js";
import { forThisTab } from "./storage.js";

const page = document.body.dataset;
const find = (id) => document.getElementById(id);
const forms = [find("answer"), find("cannot-form")];
const noteField = forms[0].elements.note;
const LONGEST = 24 * 3600; // the server takes no more seconds than these
const clock = `qrelsmith:clock:${page.person}:${location.pathname}`;
const { work = "deciding", thing = "case" } = page;
const isCase = work === "deciding";
const queryRead = foldQuery();
const aids = readingAids(tellLast);
waitForCandidate();
const question = new Question({
  work,
  thing,
  title: ".pair h3",
  forms,
  describe: describeAnswer,
  look: isCase && !("blind" in page) ? text("See both judgments as they are") : undefined,
  saved: () => {
    forThisTab.remove(clock);
    queryRead();
  },
});

function describeAnswer(body) {
  const answer = body.get("answer");
  if (answer === "cannot") return text("cannot judge: {reason}", { reason: body.get("reason") });
  if (answer === "keep") return text("the judgment is kept");
  return /\d/.test(answer) ? answer : text("judgment {letter}", { letter: answer.toUpperCase() });
}

// Reading a paper takes minutes, with breaks: the time of earlier visits in this tab counts too.
function startClock() {
  const watch = new Stopwatch();
  const earlier = Number(forThisTab.get(clock)) || 0;
  const total = () => Math.min(earlier + watch.seconds, LONGEST).toFixed(1);
  watch.restart();
  for (const form of forms)
    form.addEventListener("submit", () => (form.elements.seconds.value = total()));
  addEventListener("pagehide", () => question.ends || forThisTab.set(clock, total()));
}

const markNote = () => {
  document.querySelector(".has-note").hidden = !noteField.value.trim();
};

noteField.value = forThisTab.get(question.draft) ?? noteField.value;
noteField.addEventListener("input", () => {
  forThisTab.set(question.draft, noteField.value);
  markNote();
});
markNote();
measureDock();
if ("timed" in page) startClock();
if (forms[1].elements.note) noteForOther(forms[1]);

const help = helpDialog(() => question.acceptPresses());
const guideline = guidelinePanel();
const cannot = lift("cannot");
const note = lift("note");
const ask = find("ask");
const askAdmin = find("ask-admin");
const buttons = [...document.querySelectorAll("[data-key]")];
onKeys({
  ...Object.fromEntries(
    // In an open question, a digit is no decision.
    buttons.map((button) => [
      button.dataset.key,
      () => ask?.open || askAdmin?.open || button.click(),
    ]),
  ),
  c: cannot,
  l: () => find("later")?.requestSubmit(),
  u: () => find("undo")?.click(),
  n: note,
  ...(ask && { q: lift("ask") }),
  ...(askAdmin && { h: lift("ask-admin") }),
  g: () => guideline(),
  ...aids.keys,
  "?": help,
  Escape: () => closeLifts() || find("go-on")?.click(),
});

const later = find("later");
later?.addEventListener("submit", (event) => question.isTooEarly() && event.preventDefault());
const beside = document.querySelector(".beside");
if (beside) {
  const wide = matchMedia("(min-width: 68.75rem)");
  const follow = () => (beside.open = wide.matches);
  wide.addEventListener("change", follow);
  follow();
}

question.start();
keepClaim();
