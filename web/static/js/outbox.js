// Answers that the server has not yet saved or refused. Each is one item of localStorage, written before it is
// sent and removed when the server has said what became of it: a closed tab, a lost network or an ended login
// loses nothing. They are sent one after the other, in order. Each has a key, so one that arrives twice counts once.

const WAITS = [1, 2, 4, 8, 15, 30]; // seconds before the next try
const PATIENCE = 20_000;

export class Outbox extends EventTarget {
  #memory = new Map(); // where this browser stores nothing
  #timer = 0;
  #failures = 0;
  #sending = false;

  constructor(person) {
    super();
    this.person = person;
    this.prefix = `qrelsmith:outbox:${person}:`;
    this.trouble = ""; // why nothing gets through: "", unreachable, logged-out, other-person, failing
    addEventListener("online", () => this.deliver());
    addEventListener("focus", () => this.deliver());
    addEventListener("storage", (event) => event.key?.startsWith(this.prefix) && this.#tell());
  }

  get waiting() {
    return this.#entries().filter((entry) => !entry.refusal);
  }

  get refused() {
    return this.#entries().filter((entry) => entry.refusal);
  }

  get inMemoryOnly() {
    return this.#memory.size > 0;
  }

  // entry: key, token, url, body (as a form sends it), title, said
  add(entry) {
    const last = this.waiting.at(-1);
    this.#put({ ...entry, order: Math.max(Date.now(), (last?.order ?? 0) + 1) });
    this.#tell();
    if (!this.#timer) this.#send();
  }

  dismiss(entry) {
    this.#drop(entry);
    this.#tell();
  }

  deliver() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    return this.#send();
  }

  async #send() {
    if (this.#sending) return;
    this.#sending = true;
    try {
      if (navigator.locks) {
        await navigator.locks.request(
          this.prefix,
          { ifAvailable: true },
          (lock) => lock && this.#pass(),
        );
      } else await this.#pass();
    } finally {
      this.#sending = false;
    }
    if (this.waiting.length && !this.#timer) {
      const wait = WAITS[Math.min(this.#failures, WAITS.length) - 1] ?? WAITS[0];
      this.#timer = setTimeout(() => this.deliver(), wait * 1000);
    }
    this.#tell();
  }

  async #pass() {
    let entry;
    while ((entry = this.waiting[0])) {
      const { outcome, answer } = await post(entry);
      if (outcome === "saved") {
        this.#drop(entry);
        for (const old of this.refused) if (old.token === entry.token) this.#drop(old);
      } else if (outcome === "refused") this.#put({ ...entry, refusal: answer.message });
      else {
        this.trouble = outcome;
        this.#failures += 1;
        return;
      }
      this.trouble = "";
      this.#failures = 0;
      this.dispatchEvent(new CustomEvent(outcome, { detail: { entry, answer } }));
      this.#tell();
    }
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }

  #entries() {
    const texts = [...this.#memory.values()];
    try {
      for (let i = 0; i < localStorage.length; i++) {
        const name = localStorage.key(i);
        if (name.startsWith(this.prefix)) texts.push(localStorage.getItem(name));
      }
    } catch {
      // storage is switched off: what is in memory is all there is
    }
    return texts.map((text) => JSON.parse(text)).sort((a, b) => a.order - b.order);
  }

  #put(entry) {
    const text = JSON.stringify(entry);
    try {
      localStorage.setItem(this.prefix + entry.key, text);
    } catch {
      this.#drop(entry); // or its earlier text, if stored, would be sent again
      this.#memory.set(entry.key, text);
    }
  }

  #drop(entry) {
    this.#memory.delete(entry.key);
    try {
      localStorage.removeItem(this.prefix + entry.key);
    } catch {
      // as above
    }
  }
}

// Only JSON that repeats the key comes from this server and ends the wait: a proxy, a portal or a maintenance page
// can answer anything else.
async function post(entry) {
  try {
    const response = await fetch(entry.url, {
      method: "POST",
      body: new URLSearchParams(entry.body),
      headers: { Accept: "application/json", "X-CSRFToken": csrfToken() },
      redirect: "manual",
      keepalive: true,
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (response.type === "opaqueredirect" || response.status === 403) {
      const answer = await json(response);
      if (answer?.error === "OtherPerson") return { outcome: "other-person" };
      if (answer?.key !== entry.key) return { outcome: "logged-out" };
      return { outcome: "refused", answer };
    }
    const answer = await json(response);
    if (answer?.key !== entry.key) return { outcome: "failing" };
    return { outcome: answer.error ? "refused" : "saved", answer };
  } catch {
    return { outcome: "unreachable" };
  }
}

async function json(response) {
  try {
    return await response.json();
  } catch {
    return null;
  }
}

// Read each time: a login in another tab changes it.
function csrfToken() {
  return /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";
}

// `crypto.randomUUID` exists on HTTPS and localhost only; a laboratory's server may have neither.
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

const REASONS = {
  unreachable: "The server cannot be reached.",
  "logged-out": "You are logged out.",
  "other-person": "Someone else is logged in on this browser now.",
  failing: "The server cannot save just now.",
};

// Says in words what is saved: a chip, and a notice where a person must know or act.
export function showSaveState(outbox, { chip, notice, loginUrl, what = "judgment" }) {
  const update = () => {
    const waiting = outbox.waiting.length;
    const refused = outbox.refused;
    if (chip) {
      const late = waiting > 0 && outbox.trouble;
      chip.textContent = refused.length
        ? `${refused.length} refused`
        : late
          ? `${waiting} unsaved`
          : waiting
            ? "saving"
            : "saved";
      chip.className = `chip ${refused.length ? "bad" : late ? "warn" : "good"}`;
    }
    const lines = [];
    if (waiting && outbox.trouble) {
      const number = waiting === 1 ? `1 ${what} is` : `${waiting} ${what}s are`;
      const kept = outbox.inMemoryOnly
        ? "kept in this tab only: do not close it."
        : "kept on this computer and sent again by themselves.";
      lines.push(
        line(
          "warn",
          `${REASONS[outbox.trouble]} ${number} ${kept}`,
          needsLogin(outbox) && link("Log in", loginUrl),
        ),
      );
    }
    for (const entry of refused) {
      const close = document.createElement("button");
      close.className = "small plain";
      close.textContent = "Dismiss";
      close.addEventListener("click", () => outbox.dismiss(entry));
      const note = new URLSearchParams(entry.body).get("note");
      const words = `Not saved: ${entry.said} for “${entry.title}”. ${entry.refusal}${note ? ` Your note was: ${note}` : ""}`;
      lines.push(line("bad", words, link("See it", entry.url), close));
    }
    notice.replaceChildren(...lines);
    notice.hidden = !lines.length;
  };
  outbox.addEventListener("change", update);
  update();
}

const needsLogin = (outbox) => ["logged-out", "other-person"].includes(outbox.trouble);

function line(kind, words, ...actions) {
  const box = document.createElement("p");
  box.className = `notice ${kind}`;
  box.append(words, ...actions.filter(Boolean).flatMap((action) => [" ", action]));
  return box;
}

const link = (caption, href) =>
  Object.assign(document.createElement("a"), { href, textContent: caption });
