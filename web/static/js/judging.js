// The judging workspace: one key grades, saves and shows the next pair.

import { find, readingPage } from "./reading.js";
import { newKey } from "./outbox.js";

const form = find("answer");
const cannot = find("cannot-form");
const grades = [...form.querySelectorAll("[data-key]")];

const describe = (body) =>
  body.get("grade")
    ? `${body.get("grade")} ${grades[Number(body.get("grade"))].dataset.name}`
    : `cannot judge (${cannot
        .querySelector(`[value="${body.get("reason")}"]`)
        ?.closest("label")
        .textContent.trim()})`;

const { sequence, outbox } = readingPage({
  what: "pair",
  describe,
  remember(article, body) {
    Object.assign(article.dataset, {
      grade: body.get("grade") ?? "",
      reason: body.get("reason") ?? "",
      note: body.get("note") ?? "",
      replaces: body.get("key"),
    });
  },
  fill(article) {
    const { url, laterUrl, digest, replaces, grade, reason, note, answered } = article.dataset;
    for (const each of [form, cannot]) {
      each.action = url;
      each.elements.digest.value = digest;
      each.elements.replaces.value = replaces;
      each.elements.note.value = note;
    }
    find("later").action = laterUrl;
    find("later").hidden = Boolean(answered);
    for (const key of grades)
      key.setAttribute("aria-pressed", String(Boolean(answered) && key.value === grade));
    for (const radio of cannot.elements.reason) radio.checked = radio.value === reason;
  },
  keys: { l: () => find("later").hidden || find("later").requestSubmit() },
});

find("later").addEventListener("submit", (event) => {
  event.preventDefault();
  if (sequence.waiting) return;
  const { token, laterUrl, title } = sequence.current.dataset;
  const key = newKey();
  const body = new URLSearchParams({ key, person: document.body.dataset.person }).toString();
  outbox.add({ key, token, url: laterUrl, body, title, said: "later", comesAgain: true });
  find("last").textContent = "Last: put off for later";
  sequence.putOff();
});
