// The case page: one key decides, saves and shows the next case. A grade that neither judge gave asks for a note first.

import { find, readingPage } from "./reading.js";

const form = find("answer");
const note = find("note");
const text = find("note-text");
const send = find("with-note");
const grades = [...form.querySelectorAll(".grade-key")];
const [acceptA, acceptB] = form.querySelectorAll(".accept button");

const inWords = (grade) =>
  grade === "none" ? "set aside" : `${grade} ${grades[Number(grade)].dataset.name}`;

// The note is in focus at once: the next key may be its first letter.
function askWhy(grade) {
  find("note-label").textContent =
    grade === "none"
      ? "Why does this pair get no grade?"
      : `Why ${inWords(grade)}? Neither judge said so.`;
  send.value = grade;
  send.firstElementChild.textContent = grade === "none" ? "Set aside" : `Decide ${inWords(grade)}`;
  send.hidden = false;
  note.open = true;
  text.focus();
}

function askNothing() {
  find("note-label").textContent = "Note";
  send.hidden = true;
}

const { outbox } = readingPage({
  what: "case",
  describe: (body) => inWords(body.get("grade")),
  holds(body, { dataset: { a, b } }) {
    const grade = body.get("grade");
    if ([a, b].includes(grade) || body.get("note").trim()) return false;
    askWhy(grade);
    return true;
  },
  remember({ dataset }, body) {
    Object.assign(dataset, {
      grade: body.get("grade"),
      note: body.get("note"),
      replaces: body.get("key"),
    });
  },
  fill({ dataset: { url, judgments, replaces, a, b, grade, note: words } }) {
    form.action = url;
    form.elements.judgments.value = judgments;
    form.elements.replaces.value = replaces;
    acceptA.value = a;
    acceptB.value = b;
    text.value = words;
    for (const key of grades) key.setAttribute("aria-pressed", String(key.value === grade));
    find("aside").setAttribute("aria-pressed", String(grade === "none"));
    askNothing();
  },
  keys: { x: () => find("aside").click() },
});

note.addEventListener("toggle", () => note.open || askNothing());
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !send.hidden) send.click();
});

// The list of decided cases is fetched anew when it is opened, and when a decision was saved while it is open.
const decided = find("decided");
outbox.addEventListener("saved", () => decided.open && decided.dispatchEvent(new Event("toggle")));
