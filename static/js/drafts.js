// On the list of cases: the notes that this tab keeps of cases without a decision, such as one that
// another adjudicator has taken meanwhile. They stay readable here until they are saved or discarded.

import { text } from "./language.js";
import { notice } from "./savestate.js";
import { forThisTab } from "./storage.js";

const host = document.getElementById("unsaved");
const prefix = `qrelsmith:draft:${host.dataset.person}:`;

for (const name of forThisTab.names()) {
  const path = name.slice(prefix.length);
  const note = forThisTab.get(name);
  if (!name.startsWith(prefix) || !path.startsWith(location.pathname) || !note?.trim()) continue;
  const open = Object.assign(document.createElement("a"), {
    href: path,
    className: "button small",
    textContent: text("Open the case"),
  });
  const discard = Object.assign(document.createElement("button"), {
    type: "button",
    className: "plain small",
    textContent: text("Discard the note"),
  });
  const box = notice(
    "",
    text("Your note on a case that you did not save: {note}", { note }),
    open,
    discard,
  );
  discard.addEventListener("click", () => {
    forThisTab.remove(name);
    box.remove();
  });
  host.append(box);
}
