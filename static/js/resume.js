// On the lists around the workspace: sends what an earlier visit left unsent, and says so.

import { Outbox } from "./outbox.js";
import { showSaveState } from "./savestate.js";

const { person, collection, loginUrl, work } = document.body.dataset;
const outbox = new Outbox({ work, person, collection });
const before = outbox.entries().length;

showSaveState(outbox, { work, trouble: document.getElementById("trouble"), loginUrl });
outbox.addEventListener("change", () => {
  // What was sent just now belongs into the counts of this page.
  if (before && !outbox.entries().length && !outbox.refused().length) location.reload();
});
outbox.deliver();
