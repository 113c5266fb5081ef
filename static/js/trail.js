// A page that shows one thing after the other without a page load: pairs to judge, abstracts to check.

import { fetchPairs } from "./ahead.js";
import { text } from "./language.js";
import { tellLast } from "./panels.js";
import { Visit } from "./visit.js";
import { THINGS } from "./wording.js";

const page = document.body.dataset;
const find = (id) => document.getElementById(id);

export class Trail {
  // In the order in which they were shown, answered ones first. The last is the current one, except
  // while the person goes back.
  pairs = [find("pair").querySelector("article")];
  currentIndex = 0;
  shownAt = -Infinity; // nothing was pressed for a pair before the first
  #waitingWords = () => "";

  // `mark` is the attribute of an answered pair. `shown`, `enable`, `waitingWords` and `complete` are
  // called to show a pair, to switch its buttons, to say why none is shown, and with a pair from the
  // server.
  constructor({ outbox, remembered, mark, thing, ...calls }) {
    Object.assign(this, { outbox, remembered, mark, thing, ...calls });
    this.visit = new Visit(outbox, () => fetchPairs(this.current.dataset.url, page.person));
    outbox.addEventListener("change", () => this.#updateWaiting());
  }

  get current() {
    return this.pairs[this.currentIndex];
  }

  get isShown() {
    return !find("pair").hidden;
  }

  get unanswered() {
    return this.pairs.filter((pair) => !pair.dataset[this.mark]);
  }

  // Of pairs here that are not answered, or whose answers are not sent.
  get knownTokens() {
    const unsent = this.outbox.entries().map((entry) => entry.token);
    return [...this.unanswered.map((pair) => pair.dataset.token), ...unsent];
  }

  withToken(token) {
    return this.pairs.find((pair) => pair.dataset.token === token);
  }

  replace(pair) {
    const position = this.pairs.indexOf(this.withToken(pair.dataset.token));
    if (position >= 0) this.pairs[position] = pair;
  }

  show(position) {
    this.currentIndex = position;
    find("pair").replaceChildren(this.current);
    find("pair").hidden = false;
    find("waiting").hidden = true;
    find("undo").search = `?from=${this.current.dataset.token}`;
    this.enable(true);
    history.replaceState(null, "", this.current.dataset.url);
    scrollTo({ top: 0, behavior: "instant" });
    this.shown(this.current);
    this.shownAt = performance.now();
  }

  goToNext() {
    const last = this.pairs.length - 1;
    if (this.currentIndex < last && !this.pairs[last].dataset[this.mark]) return this.show(last);
    const next = this.ahead.take();
    return next ? this.#showNew(next) : this.#wait();
  }

  // Takes the current pair out: it comes again later.
  putOff() {
    this.pairs.splice(this.currentIndex, 1);
    tellLast(text("Last: put off for later"));
    this.goToNext();
  }

  async goBack() {
    if (!this.isShown) return;
    if (this.currentIndex === 0) {
      try {
        const earlier = await this.#fetchEarlier();
        if (!earlier) return tellLast(THINGS[this.thing].noEarlier);
        this.pairs = [earlier, ...this.pairs];
        this.currentIndex += 1;
      } catch {
        return tellLast(THINGS[this.thing].earlierFailed);
      }
    }
    this.show(this.currentIndex - 1);
  }

  async leaveFor(url) {
    await this.waitUntilSaved();
    this.visit.leaveFor(url);
  }

  async waitUntilSaved() {
    if (this.outbox.entries().length) this.#showWaiting(text("Going on…"));
    await this.outbox.whenEmpty();
  }

  #showNew(pair) {
    this.pairs = [...this.pairs, pair].slice(-this.remembered);
    this.show(this.pairs.length - 1);
  }

  // Nothing is left to show: the work ends, or the network is gone.
  async #wait() {
    this.#showWaiting(THINGS[this.thing].fetching);
    for (;;) {
      try {
        await this.outbox.whenEmpty();
        await this.ahead.fill();
        const next = this.ahead.take();
        return next ? this.#showNew(next) : this.leaveFor(this.goOnUrl());
      } catch {
        this.#showWaiting(THINGS[this.thing].failed);
        await new Promise((resolve) => setTimeout(resolve, 2000));
      }
    }
  }

  #showWaiting(otherwise) {
    find("pair").hidden = true;
    this.enable(false);
    this.#waitingWords = () => this.waitingWords(otherwise);
    this.#updateWaiting();
    find("waiting").hidden = false;
  }

  #updateWaiting() {
    const line = find("waiting").querySelector("p");
    const words = this.#waitingWords();
    if (line.textContent !== words) line.textContent = words;
  }

  // From before this page was loaded: first what still waits to be sent, then what the server has.
  async #fetchEarlier() {
    const unsent = this.outbox
      .entries()
      .filter((entry) => entry.kind !== "later" && entry.query === page.query)
      .findLast((entry) => !this.withToken(entry.token));
    const url = unsent?.url ?? `${page.undoUrl}?from=${this.pairs[0].dataset.token}`;
    const [pair] = await fetchPairs(url, page.person);
    if (!pair || this.withToken(pair.dataset.token)) return undefined;
    this.complete(pair);
    return pair;
  }
}
