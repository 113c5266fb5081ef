// What pages say about the thing that is answered, as whole sentences: other languages cannot put a noun
// into one. Pages of curators are in English only, so their sentences are not translated.

import { plural, text } from "./language.js";

export const THINGS = {
  pair: {
    tooSoon: text("Press ignored: this pair had only just appeared. Press again."),
    plain: text(
      "Each answer is saved before the next pair appears, and working offline is not possible.",
    ),
    noEarlier: text("There is no earlier judgment to undo"),
    earlierFailed: text("The earlier pair cannot be fetched just now"),
    fetching: text("Fetching the next pair…"),
    failed: text(
      "The next pairs cannot be fetched at the moment. This page tries again automatically.",
    ),
  },
  case: {
    tooSoon: text("Press ignored: this case had only just appeared. Press again."),
    plain: text(
      "Each answer is saved before the next case appears, and working offline is not possible.",
    ),
  },
  paper: {
    tooSoon: "Press ignored: this paper had only just appeared. Press again.",
    plain:
      "Each answer is saved before the next paper appears, and working offline is not possible.",
  },
  abstract: {
    tooSoon: "Press ignored: this abstract had only just appeared. Press again.",
    plain:
      "Each answer is saved before the next abstract appears, and working offline is not possible.",
    noEarlier: "There is no earlier abstract to undo",
    earlierFailed: "The earlier abstract cannot be fetched just now",
    fetching: "Fetching the next abstract…",
    failed:
      "The next abstracts cannot be fetched at the moment. This page tries again automatically.",
  },
};

// `unsaved` counts the answers that the server does not have. `waits` is for one answer that is to change.
export const WORK = {
  asking: {
    unsaved: (number) =>
      plural("{number} question is not saved yet", "{number} questions are not saved yet", number),
  },
  judging: {
    unsaved: (number) =>
      plural("{number} judgment is not saved yet", "{number} judgments are not saved yet", number),
  },
  deciding: {
    unsaved: (number) =>
      plural("{number} decision is not saved yet", "{number} decisions are not saved yet", number),
    waits: text("Your decision waits to be saved. You can change it after that."),
  },
  rating: {
    unsaved: (number) =>
      plural("{number} rating is not saved yet", "{number} ratings are not saved yet", number),
    waits: text("Your rating waits to be saved. You can change it after that."),
  },
  asked: {
    unsaved: (number) =>
      plural("{number} answer is not saved yet", "{number} answers are not saved yet", number),
    waits: text("Your answer waits to be saved. You can change it after that."),
  },
  screening: {
    unsaved: (number) =>
      `${number} ${number > 1 ? "screenings are" : "screening is"} not saved yet`,
    waits: "Your screening waits to be saved. You can change it after that.",
  },
  checking: {
    unsaved: (number) => `${number} ${number > 1 ? "abstracts are" : "abstract is"} not saved yet`,
  },
};
