// Seconds of active time on something: in a tab that is seen, until a minute after the last sign of the
// person. Then it stands still until the next one.

const IDLE = 60_000;
export const SIGNS = ["pointermove", "pointerdown", "keydown", "wheel", "scroll"];

export class Stopwatch {
  #sum = 0;
  #since = null; // null while the tab is hidden
  #lastSign = 0;

  constructor() {
    document.addEventListener("visibilitychange", () =>
      document.hidden ? this.#pause() : this.#go(),
    );
    for (const sign of SIGNS)
      addEventListener(sign, () => this.#note(), { passive: true, capture: true });
  }

  restart() {
    this.#sum = 0;
    this.#since = null;
    if (!document.hidden) this.#go();
  }

  get seconds() {
    return (this.#sum + this.#stretch()) / 1000;
  }

  // Of the time since then, only what is not idle.
  #stretch() {
    if (this.#since === null) return 0;
    const end = Math.min(performance.now(), this.#lastSign + IDLE);
    return Math.max(0, end - this.#since);
  }

  #note() {
    if (this.#since !== null && performance.now() > this.#lastSign + IDLE) {
      this.#pause();
      this.#go();
    }
    this.#lastSign = performance.now();
  }

  #pause() {
    this.#sum += this.#stretch();
    this.#since = null;
  }

  #go() {
    this.#since ??= performance.now();
    this.#lastSign = performance.now();
  }
}
