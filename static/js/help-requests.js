// The form that asks the admin about the pair on the screen. The question goes into the outbox of the
// judgments, so it is kept and sent again as they are. Judging goes on meanwhile.

import { newKey } from "./delivery.js";
import { text } from "./language.js";
import { lift, tellLast } from "./panels.js";

const details = document.getElementById("ask-admin");
const form = document.getElementById("ask-form");

// Returns what opens the form. Without one, as in practice, it does nothing.
export function askAdmin() {
  return details ? lift("ask-admin") : () => {};
}

// Sends the questions with `outbox`. `current` returns the pair on the screen.
export function sendQuestions(outbox, current) {
  form?.elements.text.addEventListener("input", ({ target }) => {
    current().dataset.question = target.value;
  });
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const pair = current();
    const fields = new FormData(form, event.submitter);
    fields.set("key", newKey());
    outbox.addForm(fields, {
      // Neither of this pair nor of this query, so that it holds up no judgment and counts as none.
      token: `ask:${pair.dataset.token}`,
      query: "",
      kind: "ask",
      url: `${pair.dataset.url}ask/`,
      title: pair.querySelector("h3").textContent.trim(),
      said: text("question to the admin"),
    });
    delete pair.dataset.question;
    markAsked(pair);
    showQuestionForm(pair);
    details.open = false;
    tellLast(text("Last: asked the admin. Judge this pair now, or put it off."));
  });
}

// The form of the pair that is shown now, with what was typed about it and not sent.
export function showQuestionForm(pair) {
  if (!form) return;
  form.reset();
  form.elements.text.value = pair.dataset.question ?? "";
  form.action = `${pair.dataset.url}ask/`;
}

function markAsked(pair) {
  const line = pair.querySelector(".role-line");
  if (line.querySelector(".asked-admin")) return;
  line.append(
    Object.assign(document.createElement("span"), {
      className: "chip asked-admin",
      textContent: text("asked the admin"),
    }),
  );
}
