// Things shown one after the other without a page load: pairs to judge, cases to decide. Each is an <article> from
// the server; some are fetched ahead, so that the next appears with the key press, also without a network.

const WANTED = 20;
const REMEMBERED = 100;

export class Sequence extends EventTarget {
  ready = []; // fetched, not yet shown
  waiting = false; // for the server
  #fetching = null;
  #complete = false; // the server had nothing more
  #putOffs = 0; // how often something was put off

  // place: the element that holds the article; url: of more articles; known(): tokens that must not come again;
  // shown(article) and ended() follow. Past the end there is no current article.
  constructor({ place, url, known, shown, ended }) {
    super();
    Object.assign(this, { place, url, known, shown, ended });
    const first = place.querySelector("article");
    this.trail = first ? [first] : []; // in the order shown
    this.index = this.trail.length - 1;
  }

  get current() {
    return this.trail[this.index];
  }

  show(index) {
    this.index = index;
    this.place.replaceChildren(this.current);
    this.shown(this.current);
  }

  // Forward: first through what was looked back at, then the next that nobody has answered.
  next() {
    if (this.index < this.trail.length - 1) return this.show(this.index + 1);
    if (this.current && !this.current.dataset.answered) return undefined;
    return this.#goOn();
  }

  // Shows a new one. Where none is here yet it waits for the server, and tries again where that does not answer:
  // meanwhile `waiting` is true, and nothing can be answered that is not on the screen.
  async #goOn() {
    if (this.waiting) return undefined;
    this.waiting = true;
    document.body.classList.add("waiting");
    while (!this.ready.length && !this.#complete) {
      await this.fill();
      if (!this.ready.length && !this.#complete)
        await new Promise((resolve) => setTimeout(resolve, 2000));
    }
    this.waiting = false;
    document.body.classList.remove("waiting");
    const article = this.ready.shift();
    if (!article) {
      this.index = this.trail.length;
      return this.ended();
    }
    this.trail = [...this.trail, article].slice(-REMEMBERED);
    if (this.ready.length < WANTED / 2) this.fill();
    return this.show(this.trail.length - 1);
  }

  async back() {
    if (this.index > 0) return this.show(this.index - 1);
    const articles = await this.#fetch(`${this.url}?before=${this.current?.dataset.token ?? ""}`);
    const earlier = articles?.[0];
    if (!earlier || this.trail.some((article) => article.dataset.token === earlier.dataset.token))
      return undefined;
    this.trail = [earlier, ...this.trail];
    return this.show(0);
  }

  // Takes the current one out: it comes again later.
  putOff() {
    this.trail.splice(this.index, 1);
    this.index = this.trail.length - 1;
    this.#complete = false;
    this.#putOffs += 1;
    return this.#goOn();
  }

  // Replaces a remembered article by the server's.
  async renew(token, url) {
    const [fresh] = (await this.#fetch(url)) ?? [];
    const index = this.trail.findIndex((article) => article.dataset.token === token);
    if (!fresh || index < 0) return;
    this.trail[index] = fresh;
    if (index === this.index) this.show(index);
  }

  fill() {
    this.#fetching ??= this.#more().finally(() => (this.#fetching = null));
    return this.#fetching;
  }

  async #more() {
    const here = [...this.ready, ...this.trail.filter((article) => !article.dataset.answered)];
    const without = [
      ...new Set([...here.map((article) => article.dataset.token), ...this.known()]),
    ];
    const putOffs = this.#putOffs;
    const articles = await this.#fetch(`${this.url}?without=${without.slice(0, 200).join(",")}`);
    if (!articles) return;
    const known = new Set([...without, ...this.ready.map((article) => article.dataset.token)]);
    const fresh = articles.filter((article) => !known.has(article.dataset.token));
    this.#complete = fresh.length === 0 && putOffs === this.#putOffs; // what was put off meanwhile comes again
    this.ready.push(...fresh);
    this.dispatchEvent(new Event("change"));
  }

  // The articles, or null when the server does not answer.
  async #fetch(url) {
    try {
      const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(20_000) });
      if (!response.ok) return null;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      return page.querySelector("[data-articles]") && [...page.querySelectorAll("article")];
    } catch {
      return null;
    }
  }
}
