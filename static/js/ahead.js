// The next pairs, fetched before they are needed, as the same HTML that a full page holds.

const ENOUGH = 6;

export class Ahead {
  #pairs = [];
  #fetching = null;

  constructor(url, held) {
    this.url = url;
    this.held = held; // tokens that the page holds already, or has judged and not yet sent
  }

  take() {
    const pair = this.#pairs.shift();
    if (this.#pairs.length < ENOUGH) this.fill().catch(() => {});
    return pair;
  }

  drop(token) {
    this.#pairs = this.#pairs.filter((pair) => pair.dataset.token !== token);
  }

  fill() {
    this.#fetching ??= this.#fetch().finally(() => (this.#fetching = null));
    return this.#fetching;
  }

  async #fetch() {
    const without = [...this.held(), ...this.#pairs.map((pair) => pair.dataset.token)];
    const pairs = await fetchPairs(`${this.url}?without=${[...new Set(without)].join(",")}`);
    const held = new Set(this.held());
    this.#pairs.push(...pairs.filter((pair) => !held.has(pair.dataset.token)));
  }
}

// Throws when the server cannot be reached or the login has ended.
export async function fetchPairs(url) {
  const response = await fetch(url, { headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(20_000) });
  const isLogin = !new URL(response.url).pathname.includes("/judge/");
  if (!response.ok || isLogin) throw new Error(`${response.status} from ${response.url}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return [...page.querySelectorAll("article.pair")];
}
