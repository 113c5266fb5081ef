// On every page of a logged-in person: sends what this browser kept of that person's judgments and
// other answers, and says what cannot be sent. Without such answers it only reads the names in the
// browser's storage. A workspace sends the answers of its own work itself.

import { text } from "./language.js";
import { forGood } from "./storage.js";

const body = document.body.dataset;
const host = document.getElementById("unsaved");
const { person } = host.dataset;
const loginUrl = `${host.dataset.loginUrl}?next=${encodeURIComponent(location.pathname)}`;
const own = `${body.work}:${body.collection}`;
const outboxes = new Map();

// "judging:7" for each work and collection with answers that are not sent, or refused.
function unsavedWork() {
  const found = new Set();
  for (const name of forGood.names()) {
    const [, work, owner, collection] =
      name.match(/^qrelsmith:(\w+):(\d+):(\d+):(?:waiting|refused):/) ?? [];
    if (work && owner === person) found.add(`${work}:${collection}`);
  }
  found.delete(own);
  return found;
}

async function look() {
  const unsent = [...unsavedWork()].filter((work) => !outboxes.has(work));
  if (!unsent.length) return;
  const [{ Outbox }, { showSaveState }] = await Promise.all([
    import("./outbox.js"),
    import("./savestate.js"),
  ]);
  for (const name of unsent) if (!outboxes.has(name)) follow(name, Outbox, showSaveState);
}

function follow(name, Outbox, showSaveState) {
  const [work, collection] = name.split(":");
  const outbox = new Outbox({ work, person, collection });
  outboxes.set(name, outbox);
  const trouble = document.createElement("div");
  trouble.className = "notices";
  trouble.hidden = true;
  host.append(trouble);
  const waited = outbox.entries().length > 0;
  showSaveState(outbox, { work, trouble, loginUrl, look: text("Open it"), isElsewhere: true });
  outbox.addEventListener("change", () => {
    // A list of this work must count the answers that were sent just now.
    const isSent = waited && !outbox.entries().length && !outbox.refused().length;
    if (isSent && body.listsWork === work && body.collection === collection) location.reload();
  });
  outbox.deliver();
}

// Answers stay in this browser, but are sent only once the same person logs in here again.
function askBeforeLogout(event) {
  if (!event.target.matches("[data-logout]") || !unsentCount()) return;
  const question =
    text("Not saved yet: {number} of your answers.", { number: unsentCount() }) +
    " " +
    text(
      "They stay on this computer and are sent when you log in again in this browser. Log out now?",
    );
  if (!confirm(question)) event.preventDefault();
}

const unsentCount = () =>
  forGood.names().filter((name) => name.match(/^qrelsmith:\w+:(\d+):\d+:waiting:/)?.[1] === person)
    .length;

addEventListener("focus", look);
addEventListener("pageshow", look);
document.addEventListener("submit", askBeforeLogout);
look();
