// A person's visit to a page with something to answer: the answers that wait, and the way out.

import { showSaveState } from "./savestate.js";

export class Visit {
  ends = false; // the next page is on its way

  // `reach` fetches what the page shows, and throws if that cannot be had now.
  constructor(outbox, reach = reachPage) {
    this.outbox = outbox;
    this.reach = reach;
  }

  // Shows what is saved, asks before the person leaves an unsaved answer, and renews a page that the
  // browser kept. Returns what brings the words up to date.
  start(options) {
    addEventListener("beforeunload", (event) => {
      if (this.outbox.entries().length && !this.ends) event.preventDefault();
    });
    addEventListener("pageshow", (event) => event.persisted && this.#renew());
    return showSaveState(this.outbox, {
      chip: document.getElementById("saved"),
      trouble: document.getElementById("trouble"),
      loginUrl: document.body.dataset.loginUrl,
      ...options,
    });
  }

  leaveFor(url) {
    this.ends = true;
    location.assign(url);
  }

  // A page from the back-forward cache is as old as when it was left. Offline it is all there is.
  async #renew() {
    this.ends = false;
    this.outbox.deliver();
    if (this.outbox.inMemoryOnly) return;
    try {
      await this.reach();
    } catch {
      return;
    }
    this.ends = true;
    location.reload();
  }
}

async function reachPage() {
  const response = await fetch(location.href, { method: "HEAD" });
  if (!response.ok) throw new Error(`${response.status} from ${response.url}`);
}
