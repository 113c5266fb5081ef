// What helps in reading, on request and remembered in this browser: the words that both texts share, only
// the facet's sentences, the label of each sentence, the size of the text. All is made from what the page shows; nothing is sent.

import { text } from "./language.js";
import { forGood } from "./storage.js";

const NAMES = {
  words: "shared-words",
  facet: "facet-only",
  labels: "sentence-labels",
  size: "text-size",
};
const SIZES = ["small", "normal", "large"];
const SIZE_TEXTS = {
  small: text("Text size: small"),
  normal: text("Text size: normal"),
  large: text("Text size: large"),
};
const QUERY = ":is(.query .paper, .strip) :is(h3, h4, p)";
const CANDIDATE = ".pair .paper :is(h3, h4, p)";
const UNMARKED = ".paper:has(.in-facet) > p:not(:has(.in-facet))";
// A highlight changes no element, so the text stays as the server sent it.
const canHighlight = Boolean(globalThis.CSS?.highlights);

const root = document.documentElement;
const find = (id) => document.getElementById(id);
const isOn = (aid) => Boolean(forGood.get(NAMES[aid]));
const size = () => (SIZES.includes(forGood.get(NAMES.size)) ? forGood.get(NAMES.size) : "normal");

// This module is also in the head of the page, so that the first paint is as the person wants it.
applyToPage();

function applyToPage() {
  root.classList.toggle("facet-only", isOn("facet"));
  root.classList.toggle("sentence-labels", isOn("labels"));
  root.dataset.textSize = size();
}

// Returns the keys, and `shown` to call when another candidate is shown. `tell` says what was changed.
export function readingAids(tell) {
  const panel = find("aids");
  const boxes = {
    words: find("aid-words"),
    facet: find("aid-facet"),
    labels: find("aid-labels"),
  };
  const radios = [...panel.querySelectorAll("[type=radio]")];
  const papers = document.querySelector(".papers");
  const showAll = find("show-all");

  function update() {
    applyToPage();
    for (const [aid, box] of Object.entries(boxes)) if (box) box.checked = isOn(aid);
    for (const radio of radios) radio.checked = radio.value === size();
    if (canHighlight) highlight(isOn("words"));
    const hidden =
      root.classList.contains("facet-only") && papers.querySelectorAll(UNMARKED).length;
    showAll.hidden = !hidden || papers.classList.contains("all-shown");
    if (hidden)
      showAll.textContent = text("Show all sentences ({number} more)", { number: hidden });
  }

  function shown() {
    papers.classList.remove("all-shown");
    update();
  }

  function switchTo(aid, on) {
    if (on) forGood.set(NAMES[aid], "on");
    else forGood.remove(NAMES[aid]);
    shown();
  }

  function resize(value) {
    forGood.set(NAMES.size, value);
    update();
  }

  function toggle(aid, [on, off]) {
    switchTo(aid, !isOn(aid));
    tell(isOn(aid) ? on : off);
  }

  for (const [aid, box] of Object.entries(boxes)) {
    box?.addEventListener("change", () => switchTo(aid, box.checked));
  }
  for (const radio of radios) radio.addEventListener("change", () => resize(radio.value));
  showAll.addEventListener("click", () => {
    papers.classList.add("all-shown");
    update();
    document.querySelector(".pair h3")?.scrollIntoView({ block: "nearest" });
  });
  if (!canHighlight) boxes.words.closest("label").hidden = true;
  panel.hidden = false;
  update();

  const keys = {
    ...(canHighlight && {
      w: () => toggle("words", [text("Shared words: on"), text("Shared words: off")]),
    }),
    ...(boxes.facet && {
      f: () =>
        toggle("facet", [
          text("Only the facet’s sentences: on"),
          text("Only the facet’s sentences: off"),
        ]),
    }),
    ...(boxes.labels && {
      s: () => toggle("labels", [text("Sentence labels: on"), text("Sentence labels: off")]),
    }),
    t: () => {
      resize(SIZES[(SIZES.indexOf(size()) + 1) % SIZES.length]);
      tell(SIZE_TEXTS[size()]);
    },
  };
  return { keys, shown };
}

// Shared words

const STOP_WORDS = new Set(
  `a about above after again all also although am among an and any are as at be because been before being
  between both but by can cannot could did do does doing done down during each every either et etc few for from
  further had has have having he her here hers him his how however i if in into is it its itself just let
  may me might more most much must my neither no nor not of off on once one only or other our ours out over
  own per rather same several shall she should since so some such than that the their theirs them then
  there therefore these they this those through thus to too two under until up upon us use used uses using
  very via was we well were what when where whether which while who whom whose why will with within without
  would yet you your`.split(/\s+/),
);
const WORD = /[\p{L}\p{N}]+/gu;
// Scripts without spaces between words: only the browser's dictionaries know where a word ends.
const WITHOUT_SPACES =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u;

// Each word of a text with its place.
function wordsOf(text) {
  if (!WITHOUT_SPACES.test(text) || !Intl.Segmenter)
    return [...text.matchAll(WORD)].map((match) => [match.index, match[0]]);
  const segments = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)];
  return segments.filter((part) => part.isWordLike).map((part) => [part.index, part.segment]);
}

// Plural and singular count as one word.
const stem = (word) =>
  word.length > 3 ? word.replace(/ies$/, "y").replace(/(?<![siu])s$/, "") : word;

// Of what the page shows: a word of a hidden sentence is not seen to be shared.
function wordsIn(selector) {
  const words = [];
  for (const part of document.querySelectorAll(selector)) {
    if (!part.checkVisibility()) continue;
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      for (const [start, text] of wordsOf(node.data)) {
        const word = text.toLowerCase();
        if (word.length < 2 || STOP_WORDS.has(word)) continue;
        words.push({ node, start, end: start + text.length, stem: stem(word) });
      }
    }
  }
  return words;
}

function highlight(on) {
  CSS.highlights.delete(NAMES.words);
  if (!on) return;
  const sides = [wordsIn(QUERY), wordsIn(CANDIDATE)];
  const [inQuery, inCandidate] = sides.map((words) => new Set(words.map((word) => word.stem)));
  const shared = sides
    .flat()
    .filter((word) => inQuery.has(word.stem) && inCandidate.has(word.stem));
  const ranges = shared.map(
    ({ node, start, end }) =>
      new StaticRange({
        startContainer: node,
        startOffset: start,
        endContainer: node,
        endOffset: end,
      }),
  );
  CSS.highlights.set(NAMES.words, new Highlight(...ranges));
}
