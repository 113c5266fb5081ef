// Says in words what is saved and what is not: the chip in the bar, and a notice when a person is needed.

const GRACE = 500; // a save that is quicker than this never shows as "saving"

export function showSaveState(outbox, { chip, trouble, loginUrl }) {
  let timer = 0;
  let shown = "";

  const word = (text, kind) => {
    if (!chip) return;
    chip.textContent = text;
    chip.className = `chip ${kind}`;
  };

  const update = () => {
    const waiting = outbox.entries().length;
    clearTimeout(timer);
    if (!waiting) word("Saved", "good");
    else if (outbox.state === "idle" || outbox.state === "sending") {
      timer = setTimeout(() => word("Saving", ""), GRACE);
    } else word(`${waiting} unsaved`, "warn");
    explain(waiting);
  };

  const explain = (waiting) => {
    const refused = outbox.refused();
    const needed = JSON.stringify([outbox.state, waiting, outbox.kept, refused.map((entry) => entry.key)]);
    if (needed === shown) return;
    shown = needed;
    const notices = refused.map((entry) => refusal(entry));
    if (waiting && outbox.state === "logged-out") notices.unshift(loggedOut(waiting));
    else if (waiting && outbox.state === "unreachable") notices.unshift(unreachable(waiting));
    trouble.replaceChildren(...notices);
    trouble.hidden = !notices.length;
  };

  const many = (count) => (count === 1 ? "1 judgment is" : `${count} judgments are`);
  const alone = (count) => (count === 1 ? "is sent by itself" : "are sent by themselves");
  const where = () => (outbox.kept ? "kept on this computer" : "kept in this tab only: do not close it");

  const unreachable = (waiting) =>
    notice("warn", `The server cannot be reached. ${many(waiting)} ${where()} and ${alone(waiting)} once it can. You can go on.`);

  const loggedOut = (waiting) => {
    const link = Object.assign(document.createElement("a"), {
      href: loginUrl, target: "_blank", textContent: "Log in again in a new tab", className: "button small",
    });
    return notice("warn", `Your login has ended. ${many(waiting)} ${where()}. Log in again as yourself, then come back here: what you judged is sent by itself.`, link);
  };

  const refusal = (entry) => {
    const redo = Object.assign(document.createElement("a"), {
      href: entry.url, textContent: "See this pair", className: "button small",
    });
    const close = Object.assign(document.createElement("button"), {
      type: "button", textContent: "Dismiss", className: "plain small",
    });
    close.addEventListener("click", () => outbox.dismiss(entry));
    const note = new URLSearchParams(entry.body).get("note");
    return notice("bad", `Not saved: ${entry.said} for “${entry.title}”. ${entry.message}${note ? ` Your note was: ${note}` : ""}`, redo, close);
  };

  outbox.addEventListener("change", update);
  update();
}

function notice(kind, text, ...actions) {
  const box = document.createElement("div");
  box.className = `notice ${kind}`;
  const line = document.createElement("p");
  line.textContent = text;
  box.append(line);
  if (actions.length) {
    const row = document.createElement("div");
    row.className = "row";
    row.append(...actions);
    box.append(row);
  }
  return box;
}
