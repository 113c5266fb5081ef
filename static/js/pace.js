// 41 / 120, 12 s a pair, 16 min left: counted on as judgments are given, without asking the server.

import { text } from "./language.js";

const RECENT = 40;

export class Pace {
  #bar = document.getElementById("progress");
  #pace = document.getElementById("pace");
  #recent = this.#pace.dataset.recent.split(" ").filter(Boolean).map(Number);

  get judged() {
    return this.#bar.value;
  }

  get total() {
    return this.#bar.max;
  }

  count(judged) {
    this.#bar.value = judged;
    document.getElementById("judged").textContent = this.#bar.value;
    this.#show();
  }

  addSeconds(seconds) {
    this.#recent = [...this.#recent, seconds].slice(-RECENT);
    this.#show();
  }

  #show() {
    const seconds = this.#recent.length ? median(this.#recent) : Number(this.#pace.dataset.planned);
    this.#pace.textContent = this.#recent.length
      ? text("{seconds} s a pair", { seconds: Math.round(seconds) })
      : "";
    const minutes = Math.ceil(((this.total - this.judged) * seconds) / 60);
    document.getElementById("left").textContent = text("{minutes} min left", { minutes });
  }
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
