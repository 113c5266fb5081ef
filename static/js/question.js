// A page with one thing to answer: a case, a pair of full texts or a paper to screen. The answer is
// kept until the server has it. Then the next one comes, as a page of its own.

import { Outbox } from "./outbox.js";
import { tellLast, tooSoon } from "./panels.js";
import { plainForms } from "./plain.js";
import { forThisTab, storageWorks } from "./storage.js";
import { Visit } from "./visit.js";
import { WORK } from "./wording.js";

const page = document.body.dataset;

export class Question {
  #shownAt = performance.now();
  #outbox;
  #visit;

  // `thing` is what is answered, `title` finds its title on the page, and `describe` says an answer in
  // words. `saved` is called when the server has it.
  constructor({ work, thing, title, forms, describe, look, saved = () => {} }) {
    Object.assign(this, { work, thing, title, forms, describe, look, saved });
    this.draft = `qrelsmith:draft:${page.person}:${location.pathname}`;
    this.#outbox = new Outbox({ work, person: page.person, collection: page.collection });
    this.#visit = new Visit(this.#outbox);
  }

  get ends() {
    return this.#visit.ends;
  }

  // After the list of keys, a press does not repeat one of the page before. The close event of the
  // list may come later than the next key, so it is not used.
  acceptPresses() {
    this.#shownAt = -Infinity;
  }

  // Returns whether a press was meant for the page before.
  isTooEarly() {
    return tooSoon(this.#shownAt, this.thing);
  }

  start() {
    const { work, thing, look, forms } = this;
    if (!storageWorks())
      return plainForms(forms, { trouble: document.getElementById("trouble"), thing });
    for (const form of forms) form.addEventListener("submit", (event) => this.#submit(event));
    this.#outbox.addEventListener("saved", ({ detail }) => this.#goToNext(detail));
    this.#outbox.addEventListener("refused", ({ detail }) => this.#handleRefusal(detail));
    this.#visit.start({ work, look });
    return this.#outbox.deliver();
  }

  #submit(event) {
    event.preventDefault();
    if (this.ends || this.isTooEarly()) return;
    if (this.#outbox.waitsFor(page.token)) return tellLast(WORK[this.work].waits);
    const { currentTarget: form, submitter } = event;
    tellLast("");
    submitter?.classList.add("pressed");
    const fields = new FormData(form, submitter);
    this.#outbox.addForm(fields, {
      token: page.token,
      query: page.query,
      url: form.getAttribute("action"),
      title: document.querySelector(this.title).textContent.trim(),
      said: this.describe(fields),
    });
  }

  #goToNext({ entry, next }) {
    if (entry.token !== page.token) return;
    forThisTab.remove(this.draft);
    this.saved();
    this.#visit.leaveFor(next);
  }

  // A case that is decided or gone has a next one; any other refusal is shown here.
  #handleRefusal({ entry, next }) {
    if (entry.token !== page.token) return;
    for (const button of document.querySelectorAll(".pressed")) button.classList.remove("pressed");
    // With a note, the page stays, so that the refusal above can show what was typed.
    if (!next || new URLSearchParams(entry.body).get("note")) return;
    this.#outbox.dismiss(entry);
    this.#visit.leaveFor(next);
  }
}
