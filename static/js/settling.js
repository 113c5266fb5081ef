// The adjudicator's case: keys, and a decision that is not lost when the server cannot be reached.

import { helpDialog, onKeys } from "./keys.js";
import { csrfToken } from "./outbox.js";
import { closeLifts, foldQuery, guidelinePanel, lift, measureDock } from "./panels.js";

// A press this soon after the page appeared was meant for the case before.
const UNREAD = 300;

const find = (id) => document.getElementById(id);
const forms = [find("answer"), find("cannot-form")];
const noteField = forms[0].elements.note;
const draft = `qrelsmith:draft:${document.body.dataset.person}:${location.pathname}`;
const shownAt = performance.now();
let sending = false;

async function submit(event) {
  event.preventDefault();
  if (sending || performance.now() - shownAt < UNREAD) return;
  const { currentTarget: form, submitter } = event;
  sending = true;
  submitter?.classList.add("pressed");
  try {
    await send(form, new URLSearchParams(new FormData(form, submitter)));
  } catch {
    tell("The server cannot be reached, so this decision is not saved yet. Nothing you wrote is lost: give it again in a moment.");
  } finally {
    sending = false;
    submitter?.classList.remove("pressed");
  }
}

async function send(form, body) {
  body.set("person", document.body.dataset.person);
  const response = await fetch(form.action, {
    method: "POST", body, redirect: "manual", signal: AbortSignal.timeout(20_000),
    headers: { Accept: "application/json", "X-CSRFToken": csrfToken() },
  });
  if (response.type === "opaqueredirect" || response.status === 403) {
    tell("Your login has ended, so this decision is not saved yet. Log in again as yourself in a new tab, then give it again here.", link("Log in again in a new tab", document.body.dataset.loginUrl, true));
    return;
  }
  const isJson = response.headers.get("content-type")?.includes("json");
  const answer = isJson ? await response.json() : {};
  if (answer.next) {
    sessionStorage.removeItem(draft);
    queryRead();
    location.assign(answer.next);
    await new Promise(() => {}); // until the next case is here, this one takes no more presses
  }
  tell(answer.message ?? "The server could not save this decision. Nothing you wrote is lost: give it again in a moment.", answer.error === "JudgmentsChanged" ? link("See both judgments as they are", location.href) : null);
}

function tell(text, ...actions) {
  const notice = document.createElement("div");
  notice.className = "notice bad";
  const line = document.createElement("p");
  line.textContent = text;
  notice.append(line, ...actions.filter(Boolean));
  find("trouble").replaceChildren(notice);
  find("trouble").hidden = false;
}

function link(text, href, elsewhere = false) {
  const anchor = Object.assign(document.createElement("a"), { href, textContent: text, className: "button small" });
  if (elsewhere) anchor.target = "_blank";
  return anchor;
}

const markNote = () => {
  document.querySelector(".has-note").hidden = !noteField.value.trim();
};

for (const form of forms) form.addEventListener("submit", submit);
noteField.value = sessionStorage.getItem(draft) ?? noteField.value;
noteField.addEventListener("input", () => {
  sessionStorage.setItem(draft, noteField.value);
  markNote();
});
markNote();
measureDock();
const queryRead = foldQuery();

const help = helpDialog();
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
