// Judgments that the server has not acknowledged yet. Each is one item of localStorage, written
// before it is sent and removed after the answer, so a closed tab, a lost network or an expired login
// loses nothing. They are sent one after the other, in order; a key in each makes twice count once.

const WAITS = [1, 2, 4, 8, 15, 30];
const PATIENCE = 20_000;

export class Outbox extends EventTarget {
  #memory = new Map();
  #failures = 0;
  #timer = 0;
  #running = false;
  #again = false;

  constructor({ person, collection }) {
    super();
    this.person = person;
    this.name = `qrelsmith:judging:${person}:${collection}`;
    this.state = "idle"; // idle, sending, unreachable, logged-out
    this.kept = true; // false when this browser refuses to keep anything
    addEventListener("online", () => this.deliver());
    addEventListener("focus", () => this.deliver());
    addEventListener("storage", (event) => event.key?.startsWith(this.name) && this.#tell());
  }

  entries() {
    return this.#items("waiting");
  }

  refused() {
    return this.#items("refused");
  }

  add(entry) {
    const last = this.entries().at(-1);
    this.#put("waiting", { ...entry, order: Math.max(Date.now(), (last?.order ?? 0) + 1) });
    this.#tell();
    this.deliver();
  }

  dismiss(entry) {
    this.#drop("refused", entry);
    this.#tell();
  }

  async deliver() {
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#running = true;
    clearTimeout(this.#timer);
    try {
      do {
        this.#again = false;
        await this.#oneTabAtATime(() => this.#pass());
      } while (this.#again && this.state === "idle");
    } finally {
      this.#running = false;
    }
    if (this.entries().length) this.#retryLater();
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

  // One go at everything that waits. An answer that the server cannot digest holds up later ones
  // of its own pair only.
  async #pass() {
    const stuck = new Set();
    let entry;
    while ((entry = this.entries().find((waiting) => !stuck.has(waiting.token)))) {
      if (this.state === "idle") this.#enter("sending");
      const outcome = await this.#send(entry);
      if (outcome === "unreachable" || outcome === "logged-out") {
        this.#failures += 1;
        this.#enter(outcome);
        return;
      }
      if (outcome === "broken") stuck.add(entry.token);
    }
    this.#failures = stuck.size ? this.#failures + 1 : 0;
    this.#enter(stuck.size ? "unreachable" : "idle");
  }

  async #send(entry) {
    let response;
    try {
      response = await fetch(entry.url, {
        method: "POST",
        body: new URLSearchParams(entry.body),
        headers: { Accept: "application/json", "X-CSRFToken": csrfToken() },
        redirect: "manual",
        keepalive: true,
        signal: AbortSignal.timeout(PATIENCE),
      });
      if (response.type === "opaqueredirect") return "logged-out";
      return this.#settle(entry, response, await answerOf(response));
    } catch {
      return "unreachable";
    }
  }

  #settle(entry, response, answer) {
    if (response.ok) {
      this.#drop("waiting", entry);
      for (const old of this.refused()) if (old.token === entry.token) this.#drop("refused", old);
      this.dispatchEvent(new CustomEvent("saved", { detail: { entry, ...answer } }));
      return "saved";
    }
    // 403: the login ended or changed, or its token did; both mend once somebody logs in.
    if (response.status === 401 || response.status === 403) return "logged-out";
    if (response.status >= 500 || response.status === 429 || response.status === 408) return "broken";
    this.#put("refused", { ...entry, message: answer.message ?? "This pair is not yours to judge any more." });
    this.#drop("waiting", entry);
    this.dispatchEvent(new CustomEvent("refused", { detail: { entry, ...answer } }));
    return "refused";
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
    const kept = [...this.#memory].filter(([name]) => name.startsWith(prefix)).map(([, text]) => text);
    for (let i = 0; i < localStorage.length; i += 1) {
      const name = localStorage.key(i);
      if (name.startsWith(prefix)) kept.push(localStorage.getItem(name));
    }
    return kept.map((text) => JSON.parse(text)).sort((a, b) => a.order - b.order);
  }

  #put(kind, entry) {
    const name = `${this.name}:${kind}:${entry.key}`;
    try {
      localStorage.setItem(name, JSON.stringify(entry));
    } catch {
      this.kept = false;
      this.#memory.set(name, JSON.stringify(entry));
    }
  }

  #drop(kind, entry) {
    const name = `${this.name}:${kind}:${entry.key}`;
    this.#memory.delete(name);
    localStorage.removeItem(name);
  }
}

// Read anew each time: a login in another tab changes it.
export function csrfToken() {
  const cookie = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  return cookie?.slice("csrftoken=".length) ?? document.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

async function answerOf(response) {
  const isJson = response.headers.get("content-type")?.includes("application/json");
  return isJson ? response.json() : {};
}
