// On a narrow screen: the query paper folds to a line once it was read, the sentences of its facet stay in
// view above the candidate, and no tap gives a grade before the candidate was on the screen.

import { text } from "./language.js";
import { forThisTab } from "./storage.js";

const narrow = matchMedia("(max-width: 47.99rem)");
const query = document.querySelector("details.query");
const dock = document.getElementById("dock");
const BAR = 44; // the height of the bar at the top
const STRIP = 96; // that of the facet's sentences, at most

// Returns what to call once the query was read.
export function foldQuery() {
  const name = `read:${document.body.dataset.query}`;
  const follow = () => {
    const read = narrow.matches && Boolean(forThisTab.get(name));
    query.classList.toggle("read", read);
    query.open = !read;
  };
  narrow.addEventListener("change", follow);
  query.addEventListener("toggle", () => {
    if (!query.open && narrow.matches) query.classList.add("read");
  });
  addStrip();
  follow();
  return () => {
    forThisTab.set(name, "1");
    if (narrow.matches) follow();
  };
}

// A copy of the facet's sentences, or of all sentences where none is marked. While the query itself is
// open, the copy lies over the page once the query is scrolled away, so that no text moves.
function addStrip() {
  const marked = query.querySelectorAll(".paper .in-facet");
  const sentences = marked.length ? marked : query.querySelectorAll(".paper > p");
  if (!sentences.length) return;
  const strip = document.createElement("div");
  strip.className = "strip";
  strip.tabIndex = 0;
  strip.setAttribute("role", "group");
  strip.setAttribute("aria-label", text("The query’s facet sentences"));
  for (const sentence of sentences) {
    const line = document.createElement("p");
    line.textContent = sentence.textContent;
    const { aspect } = sentence.closest("p").dataset;
    if (aspect) line.dataset.aspect = aspect;
    strip.append(line);
  }
  query.after(strip);
  new IntersectionObserver(([entry]) => strip.classList.toggle("needed", !entry.isIntersecting), {
    rootMargin: `-${BAR + STRIP}px 0px 0px`,
  }).observe(query);
}

// Returns what to call when another candidate is shown. A press of a key is never held back,
// because people who do not see the page use keys.
export function waitForCandidate() {
  let isSeen = false;
  let observer;
  const line = document.createElement("p");
  line.className = "unseen";
  line.textContent = text("Scroll to the candidate to grade it.");
  document.getElementById("answer").before(line);

  function watch() {
    observer?.disconnect();
    const parts = [...document.querySelectorAll(".pair h3, .pair .in-facet")];
    const bottom = dock.getBoundingClientRect().top;
    mark(!narrow.matches || parts.some((part) => isBetween(part, BAR, bottom)));
    if (isSeen) return;
    const options = { rootMargin: `-${BAR}px 0px ${bottom - innerHeight}px` };
    observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) mark(true);
    }, options);
    for (const part of parts) observer.observe(part);
  }

  function mark(seen) {
    isSeen = seen;
    line.hidden = seen;
    line.classList.remove("notice", "warn");
    dock.classList.toggle("waits", !seen);
    if (seen) observer?.disconnect();
  }

  dock.addEventListener(
    "click",
    (event) => {
      const byKey = event.detail === 0;
      if (isSeen || byKey || !event.target.closest("[data-key]")) return;
      event.preventDefault();
      line.classList.add("notice", "warn");
    },
    { capture: true },
  );
  narrow.addEventListener("change", watch);
  watch();
  return watch;
}

function isBetween(part, top, bottom) {
  const box = part.getBoundingClientRect();
  return box.bottom > top && box.top < bottom;
}
