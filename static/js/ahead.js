// The next pairs, fetched before they are needed, as the same HTML that a full page holds.

import { forGood } from "./storage.js";

const PATIENCE = 20_000;
const NAME = "pairs-ready";
// Fetched beyond the target count, so that a request is due once in so many pairs and not at each.
const SPARE = 10;
// Servers and proxies refuse longer addresses; pairs left out of this one are recognised on arrival.
const LONGEST_ADDRESS = 3500;

// Tells with a "change" event that pairs have arrived.
export class Ahead extends EventTarget {
  #pairs = [];
  #fetching = null;
  #complete = false; // the server had nothing more when it was asked last

  // `target` is how many pairs are kept, where the person does not choose it.
  constructor(url, { person, knownTokens, target = 0 }) {
    super();
    this.url = url;
    this.target = target;
    this.person = person;
    this.knownTokens = knownTokens; // of pairs on the page, or judged and not yet sent
  }

  get ready() {
    return this.#pairs.length;
  }

  // The number of pairs kept here besides the one on the screen.
  get targetCount() {
    return this.target || Number(forGood.get(NAME)) || 50;
  }

  set targetCount(count) {
    forGood.set(NAME, String(count));
    this.renew();
  }

  take() {
    const pair = this.#pairs.shift();
    if (!this.#complete && this.ready < this.targetCount) this.fill().catch(() => {});
    return pair;
  }

  drop(token) {
    this.#pairs = this.#pairs.filter((pair) => pair.dataset.token !== token);
  }

  // There may be more by now: a pair put off comes again at the end.
  renew() {
    this.#complete = false;
    if (this.ready < this.targetCount) this.fill().catch(() => {});
  }

  // Resolves with the first pairs; if the server sends fewer than asked for, the rest follow.
  async fill() {
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = null));
    await this.#fetching;
    if (!this.#complete && this.ready < this.targetCount) this.fill().catch(() => {});
  }

  get #wantedCount() {
    return Math.max(this.targetCount + (this.target ? 0 : SPARE) - this.ready, 1);
  }

  async #fetch() {
    const excluded = [...this.knownTokens(), ...this.#pairs.map((pair) => pair.dataset.token)];
    const part = await fetchPart(this.#address(excluded), this.person);
    const pairs = pairsIn(part);
    const known = new Set([...this.knownTokens(), ...excluded]);
    const fresh = pairs.filter((pair) => !known.has(pair.dataset.token));
    this.#complete = !fresh.length || Boolean(part?.dataset.last);
    this.#pairs.push(...fresh);
    this.dispatchEvent(new Event("change"));
  }

  #address(excluded) {
    const tokens = [...new Set(excluded)].join(",");
    const room = LONGEST_ADDRESS - this.url.length;
    const cut = tokens.length > room ? tokens.slice(0, tokens.lastIndexOf(",", room)) : tokens;
    return `${this.url}?count=${this.#wantedCount}&without=${cut}`;
  }
}

// Throws when the server cannot be reached, another person is logged in, or something else answers.
// With a `body`, it is sent by POST.
export async function fetchPairs(url, person, body) {
  return pairsIn(await fetchPart(url, person, body));
}

const pairsIn = (part) => [...(part?.querySelectorAll("article.pair") ?? [])];

// The element that holds the pairs, or null if there is none to send.
async function fetchPart(url, person, body) {
  const response = await fetch(url, {
    method: body ? "POST" : "GET",
    body,
    headers: { "HX-Request": "true", "Qrelsmith-Person": person },
    signal: AbortSignal.timeout(PATIENCE),
  });
  if (response.status === 204) return null;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const part = page.querySelector("[data-pairs]");
  if (!response.ok || !part) throw new Error(`${response.status} from ${response.url}`);
  return part;
}
