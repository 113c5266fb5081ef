// A visit to a page that holds one thing to answer. Its answer is kept until the server has it, then
// the next page comes.

export class Visit {
  ends = false; // the next page is on its way

  constructor(outbox) {
    this.outbox = outbox;
  }

  // Asks before the person leaves an unsaved answer, and renews a page that the browser kept.
  watch() {
    addEventListener("beforeunload", (event) => {
      if (this.outbox.entries().length && !this.ends) event.preventDefault();
    });
    addEventListener("pageshow", (event) => event.persisted && this.#renew());
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
      const response = await fetch(location.href, { method: "HEAD" });
      if (!response.ok) return;
    } catch {
      return;
    }
    this.ends = true;
    location.reload();
  }
}
