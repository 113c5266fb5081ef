// On the list of cases: the notes that this tab keeps of cases without a decision, such as one that
// another adjudicator has taken meanwhile. They stay readable here until they are saved or discarded.

import { notice } from "./savestate.js";
import { forThisTab } from "./storage.js";

const host = document.getElementById("unsaved");
const prefix = `qrelsmith:draft:${host.dataset.person}:`;

for (const name of forThisTab.names()) {
  const path = name.slice(prefix.length);
  const text = forThisTab.get(name);
  if (!name.startsWith(prefix) || !path.startsWith(location.pathname) || !text?.trim()) continue;
  const open = Object.assign(document.createElement("a"), {
    href: path,
    className: "button small",
    textContent: "Open the case",
  });
  const discard = Object.assign(document.createElement("button"), {
    type: "button",
    className: "plain small",
    textContent: "Discard the note",
  });
  const box = notice("", `Your note on a case that you did not save: ${text}`, open, discard);
  discard.addEventListener("click", () => {
    forThisTab.remove(name);
    box.remove();
  });
  host.append(box);
}
