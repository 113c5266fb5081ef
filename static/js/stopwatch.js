// Seconds that something was on screen; a hidden tab does not count.

export class Stopwatch {
  #sum = 0;
  #since = null;

  constructor() {
    document.addEventListener("visibilitychange", () =>
      document.hidden ? this.#pause() : this.#go(),
    );
  }

  restart() {
    this.#sum = 0;
    this.#since = document.hidden ? null : performance.now();
  }

  get seconds() {
    return (this.#sum + (this.#since === null ? 0 : performance.now() - this.#since)) / 1000;
  }

  #pause() {
    if (this.#since !== null) this.#sum += performance.now() - this.#since;
    this.#since = null;
  }

  #go() {
    this.#since ??= performance.now();
  }
}
