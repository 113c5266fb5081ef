// What both reading pages share (judging and deciding): panes that show the facet's sentences, the panels above the
// dock, the guideline beside the texts, time spent, and the answer that goes into the outbox.

import { newKey, Outbox, showSaveState } from "./outbox.js";
import { keep, recall } from "./kept.js";
import { onKeys } from "./keys.js";
import { Sequence } from "./sequence.js";

export const find = (id) => document.getElementById(id);
const page = document.body.dataset;

// What stays at the top of a pane, and a little of the text before.
const above = (pane) => (pane.querySelector(".sides")?.offsetHeight ?? 0) + 40;

// Scrolls a pane so that its facet's sentences are in view, if they are not.
export function showFacet(pane) {
  pane.scrollTop = 0;
  const marked = [...pane.querySelectorAll("p.in-facet")];
  if (!marked.length) return;
  const bottom = marked.at(-1).offsetTop + marked.at(-1).offsetHeight; // the pane is their offset parent
  if (bottom > pane.clientHeight) pane.scrollTop = marked[0].offsetTop - above(pane);
}

// To the next sentence of the facet below what is in view; from the last to the first.
function jumpToFacet(pane) {
  const places = [...pane.querySelectorAll("p.in-facet")].map((p) => p.offsetTop - above(pane));
  if (places.length)
    pane.scrollTop = places.find((place) => place > pane.scrollTop + 4) ?? places[0];
}

// The seconds that a pair was on screen and the page was in use: after a minute without a sign they stop.
class Stopwatch {
  #sum = 0;
  #since = performance.now();
  constructor() {
    for (const name of ["keydown", "pointermove", "scroll", "wheel"]) {
      addEventListener(name, () => this.#tick(), { passive: true, capture: true });
    }
  }
  #tick() {
    const now = performance.now();
    this.#sum += Math.min(now - this.#since, 60_000);
    this.#since = now;
  }
  restart() {
    this.#sum = 0;
    this.#since = performance.now();
  }
  get seconds() {
    this.#tick();
    return this.#sum / 1000;
  }
}

const focusInto = (panel) => panel.querySelector("textarea, input:not([type=hidden])")?.focus();

// A panel above the dock, opened by a key or its button; closed by Escape.
function panels() {
  const all = [...document.querySelectorAll("details.lift")];
  const close = () => {
    const open = all.filter((each) => each.open);
    for (const each of open) each.open = false;
    return open.length > 0;
  };
  for (const each of all) {
    each.addEventListener("toggle", () => {
      if (!each.open) return;
      for (const other of all) if (other !== each) other.open = false;
      focusInto(each);
    });
    each.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && close()) each.querySelector("summary").focus();
    });
  }
  const toggle = (id) => {
    const panel = find(id);
    if (!panel) return;
    panel.open = !panel.open;
    if (panel.open) focusInto(panel); // at once: the next key may be a letter of the note
  };
  return { close, toggle };
}

// describe(body, article): the answer in words; remember(article, body): the article as it will be once it is saved;
// fill(article): the forms for it; keys: further commands; holds(body, article): true keeps an answer from being sent.
export function readingPage({ what, describe, remember, fill, keys = {}, holds }) {
  const outbox = new Outbox(page.person);
  const watch = new Stopwatch();
  const lifts = panels();
  const form = find("answer");
  const candidate = find("pair");
  const pace = { times: [], left: Number(page.left) };

  const sequence = new Sequence({
    place: candidate,
    url: page.moreUrl,
    // What was put off comes again, also when the server does not know that yet.
    known: () => outbox.waiting.filter((entry) => !entry.comesAgain).map((entry) => entry.token),
    shown(article) {
      prepare(article);
      lifts.close();
      showFacet(candidate);
      watch.restart();
      history.replaceState(null, "", article.dataset.url);
      document.body.classList.remove("ended");
      enable(true);
    },
    ended() {
      candidate.replaceChildren(find("ended").content.cloneNode(true));
      candidate.querySelector("a[data-next]").focus();
      find("position").textContent = "";
      document.body.classList.add("ended");
      enable(false);
    },
  });

  function prepare(article) {
    fill(article);
    find("position").textContent = article.dataset.answered ? "Looking back: →" : "";
    document.body.classList.toggle("answered", Boolean(article.dataset.answered));
  }

  function enable(on) {
    for (const button of form.querySelectorAll("button")) button.disabled = !on;
  }

  function answer(event) {
    event.preventDefault();
    const article = sequence.current;
    if (!article || sequence.waiting) return;
    const body = new FormData(event.target, event.submitter);
    if (holds?.(body, article)) return;
    body.delete("csrfmiddlewaretoken");
    body.set("key", newKey());
    body.set("seconds", watch.seconds.toFixed(1));
    body.set("person", page.person);
    const first = !article.dataset.answered;
    outbox.add({
      key: body.get("key"),
      token: article.dataset.token,
      url: article.dataset.url,
      body: new URLSearchParams(body).toString(),
      title: article.dataset.title,
      said: describe(body, article),
    });
    remember(article, body);
    article.dataset.answered = "yes";
    find("last").textContent = `${first ? "Last" : "Changed to"}: ${describe(body, article)}`;
    if (first) count(watch.seconds);
    sequence.next();
  }

  function count(seconds) {
    pace.left = Math.max(pace.left - 1, 0);
    pace.times = [...pace.times, seconds].slice(-30);
    const total = Number(page.total);
    find("done").textContent = total - pace.left;
    find("progress").value = total - pace.left;
    const typical = [...pace.times].sort((a, b) => a - b)[Math.floor(pace.times.length / 2)];
    if (pace.times.length >= 3) find("pace").textContent = `${Math.round(typical)} s a ${what}`;
    const minutes = Math.ceil(
      (pace.left * (pace.times.length >= 3 ? typical : Number(page.pace))) / 60,
    );
    find("left").textContent = `${minutes} min left`;
  }

  for (const each of document.querySelectorAll("form[data-answers]"))
    each.addEventListener("submit", answer);
  outbox.addEventListener("refused", ({ detail: { entry } }) =>
    sequence.renew(entry.token, entry.url),
  );
  showSaveState(outbox, {
    chip: find("saved"),
    notice: find("trouble"),
    loginUrl: page.loginUrl,
    what: page.what,
  });

  const press = Object.fromEntries(
    [...form.querySelectorAll("[data-key]")].map((button) => [
      button.dataset.key,
      () => button.click(),
    ]),
  );
  const guideline = () => {
    const panel = find("guideline");
    panel.hidden = !panel.hidden;
    keep("qrelsmith:guideline", panel.hidden ? "" : "open");
  };
  find("show-guideline")?.addEventListener("click", guideline);
  if (recall("qrelsmith:guideline") && innerWidth > 1100) find("guideline").hidden = false;
  find("undo").addEventListener("click", (event) => {
    event.preventDefault();
    sequence.back();
  });
  onKeys({
    ...press,
    u: () => find("undo").click(),
    n: () => lifts.toggle("note"),
    c: () => lifts.toggle("cannot"),
    g: guideline,
    f: () => jumpToFacet(candidate),
    ArrowLeft: () => sequence.back(),
    ArrowRight: () => sequence.next(),
    Enter: () => document.querySelector(".ended a[data-next]")?.click(),
    Escape: () => lifts.close() || (sequence.current?.dataset.answered && sequence.next()),
    "?": () => find("keys").showModal(),
    ...keys,
  });

  // What was answered before this page was loaded and is not sent yet.
  for (const entry of outbox.waiting) {
    const article = sequence.trail.find((each) => each.dataset.token === entry.token);
    if (article) {
      remember(article, new URLSearchParams(entry.body));
      article.dataset.answered = "yes";
    }
  }
  const answered = sequence.known();
  const ahead = [...find("ahead").content.querySelectorAll("article")];
  sequence.ready.push(...ahead.filter((article) => !answered.includes(article.dataset.token)));
  if (sequence.current) prepare(sequence.current);
  document.fonts.ready.then(() => [find("query"), candidate].forEach(showFacet));
  outbox.deliver();
  const { current } = sequence;
  const goesOn =
    current?.dataset.answered && !location.search && location.pathname !== current.dataset.url;
  sequence.fill().then(() => goesOn && sequence.current === current && sequence.next());
  return { sequence, outbox };
}
