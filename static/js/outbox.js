// Answers that the server has not yet saved or refused. Each is one item of localStorage, written
// before it is sent and removed when the server saves or refuses it, so a closed tab, a lost network
// or an ended login loses nothing. They are sent one after the other, in order. Each has a key, so an
// answer that arrives twice counts once.

import { send } from "./delivery.js";
import { forGood } from "./storage.js";

const WAITS = [1, 2, 4, 8, 15, 30];

// These concern every submission; other trouble may be one submission's own.
const FOR_ALL = new Set(["unreachable", "logged-out", "other-person", "archived"]);

export class Outbox extends EventTarget {
  #memory = new Map();
  #stuck = new Set(); // tokens of the answers that failed since the last retry
  #down = false; // nothing was settled when something was last tried
  #failures = 0;
  #timer = 0;
  #running = false;
  #again = false;
  #retry = false;

  // `work` is "judging", "asked", "deciding", "rating", "screening" or "checking".
  constructor({ work, person, collection }) {
    super();
    this.person = person;
    this.name = `qrelsmith:${work}:${person}:${collection}`;
    this.state = "idle"; // idle, sending, or an outcome that is neither saved nor refused
    this.status = 0; // of the last answer that settled nothing
    addEventListener("online", () => this.deliver());
    addEventListener("focus", () => this.deliver());
    addEventListener("storage", (event) => this.#elsewhere(event));
  }

  entries() {
    return this.#items("waiting");
  }

  refused() {
    return this.#items("refused");
  }

  // True if an answer waits in this tab's memory only, because this browser refused to store it.
  get inMemoryOnly() {
    return this.#memory.size > 0;
  }

  add(entry) {
    // Not the time alone: after a clock is set back, an answer would be sent before the one it changes.
    const last = this.entries().at(-1);
    this.#put("waiting", { ...entry, order: Math.max(Date.now(), (last?.order ?? 0) + 1) });
    this.#tell();
    this.#run();
  }

  // Adds the fields of a form. They name the person, so that the server saves them for no other account.
  addForm(fields, entry) {
    fields.delete("csrfmiddlewaretoken");
    fields.set("person", this.person);
    this.add({ ...entry, key: fields.get("key"), body: new URLSearchParams(fields).toString() });
  }

  waitsFor(token) {
    return this.entries().some((entry) => entry.token === token);
  }

  // Resolves once every answer is saved or refused.
  whenEmpty() {
    return new Promise((resolve) => {
      const check = () => {
        if (this.entries().length) return;
        this.removeEventListener("change", check);
        resolve();
      };
      this.addEventListener("change", check);
      check();
    });
  }

  dismiss(entry) {
    this.#drop("refused", entry);
    this.#tell();
  }

  deliver() {
    return this.#run({ retry: true });
  }

  // New answers are sent at once. Failed ones wait for a retry, or each key press would send them
  // all again.
  async #run({ retry = false } = {}) {
    if (retry) {
      this.#retry = true;
      clearTimeout(this.#timer);
      this.#timer = 0;
    }
    if (this.#running) {
      this.#again ||= retry || this.state === "idle" || this.state === "sending";
      return;
    }
    this.#running = true;
    try {
      do {
        this.#again = false;
        const isRetry = this.#retry;
        this.#retry = false;
        if (isRetry) this.#stuck.clear(); // here, because the pass before may have added to it
        await this.#oneTabAtATime(() => this.#pass(isRetry));
      } while (this.#again);
    } finally {
      this.#running = false;
    }
    if (this.entries().length && !this.#timer) this.#retryLater();
    this.#tell();
  }

  #oneTabAtATime(work) {
    if (!navigator.locks) return work();
    return navigator.locks.request(this.name, { ifAvailable: true }, (lock) => lock && work());
  }

  #retryLater() {
    const wait = WAITS[Math.min(this.#failures, WAITS.length) - 1] ?? WAITS[0];
    this.#timer = setTimeout(() => this.deliver(), wait * 1000);
  }

  // Tries every waiting answer once. A rejected answer holds up only later answers of its own pair.
  async #pass(retry) {
    let trouble = this.state;
    let tried = false;
    let settled = false;
    let entry;
    while ((entry = this.entries().find((candidate) => !this.#stuck.has(candidate.token)))) {
      if (this.state === "idle") this.#enter("sending");
      tried = true;
      const { outcome, status, answer } = await send(entry.url, entry.body);
      if (outcome === "saved" || outcome === "refused") {
        this.#finish(entry, outcome, answer);
        settled = true;
        if (this.#down) this.#stuck.clear(); // what held everything up is over
        this.#down = false;
        continue;
      }
      trouble = outcome;
      this.status = status;
      this.#stuck.add(entry.token);
      if (FOR_ALL.has(outcome) || status === 0) break; // 0: sent to another address
    }
    if (tried) this.#down = !settled;
    const waits = this.entries().length > 0;
    if (!waits) this.#failures = 0;
    else if (retry || !this.#failures) this.#failures += 1;
    this.#enter(waits ? trouble : "idle");
  }

  #finish(entry, outcome, answer) {
    if (outcome === "refused") this.#put("refused", { ...entry, message: answer.message });
    this.#drop("waiting", entry);
    if (outcome === "saved") {
      for (const old of this.refused()) if (old.token === entry.token) this.#drop("refused", old);
    }
    this.dispatchEvent(new CustomEvent(outcome, { detail: { entry, ...answer } }));
  }

  #elsewhere(event) {
    if (!event.key?.startsWith(`${this.name}:`)) return;
    const entry =
      event.key.startsWith(`${this.name}:waiting:`) &&
      !event.oldValue &&
      parseEntry(event.newValue);
    if (entry) this.dispatchEvent(new CustomEvent("added-elsewhere", { detail: entry }));
    this.#tell();
  }

  #enter(state) {
    this.state = state;
    this.#tell();
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }

  #items(kind) {
    const prefix = `${this.name}:${kind}:`;
    const inMemory = [...this.#memory]
      .filter(([name]) => name.startsWith(prefix))
      .map(([, text]) => text);
    const stored = forGood
      .names()
      .filter((name) => name.startsWith(prefix))
      .map((name) => forGood.get(name));
    return [...inMemory, ...stored]
      .map(parseEntry)
      .filter(Boolean)
      .sort((a, b) => a.order - b.order);
  }

  #put(kind, entry) {
    const name = `${this.name}:${kind}:${entry.key}`;
    const text = JSON.stringify(entry);
    if (!forGood.set(name, text)) this.#memory.set(name, text);
  }

  #drop(kind, entry) {
    const name = `${this.name}:${kind}:${entry.key}`;
    this.#memory.delete(name);
    forGood.remove(name);
  }
}

function parseEntry(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
