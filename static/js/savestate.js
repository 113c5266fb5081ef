// Shows in words what is saved: the chip in the bar, and a notice when the user must act.

const GRACE = 500; // a save that is quicker than this never shows as "saving"

const THINGS = {
  asking: ["question", "questions"],
  judging: ["judgment", "judgments"],
  deciding: ["decision", "decisions"],
  screening: ["screening", "screenings"],
  rating: ["rating", "ratings"],
  asked: ["answer", "answers"],
  checking: ["abstract", "abstracts"],
};

// `isElsewhere` is for pages of other work: the notice then names the collection, and has a button.
// `ready` tells how many pairs can be judged without the server; `look` names the way to the pair.
// Returns what brings the words up to date after that number has changed.
export function showSaveState(
  outbox,
  { work, chip, trouble, loginUrl, ready, look = "See this pair", isElsewhere = false },
) {
  let timer = 0;
  let shownKey = "";

  const word = (text, kind) => {
    if (!chip) return;
    chip.textContent = text;
    chip.className = `chip ${kind}`;
  };

  const update = () => {
    const unsaved = outbox.entries().length;
    const refused = outbox.refused();
    clearTimeout(timer);
    if (unsaved && (outbox.state === "idle" || outbox.state === "sending")) {
      timer = setTimeout(() => word("Saving", ""), GRACE);
    } else if (unsaved) word(`${unsaved} unsaved`, "warn");
    else if (refused.length) word(`${refused.length} not saved`, "bad");
    else word("Saved", "good");
    explain(unsaved, refused);
  };

  const explain = (unsaved, refused) => {
    const cause = unsaved ? reason() : "";
    const text = cause && [cause, ...safetySentences(unsaved)].join(" ");
    const noticesKey = JSON.stringify([text, refused.map(({ key, message }) => [key, message])]);
    if (noticesKey === shownKey) return;
    shownKey = noticesKey;
    const notices = refused.map((entry) => refusal(entry));
    if (text) notices.unshift(notice("warn", text, ...actions()));
    trouble.replaceChildren(...notices);
    trouble.hidden = !notices.length;
  };

  const actions = () => [
    ...(needsLogin() ? [loginLink()] : []),
    ...(isElsewhere ? [button("Send now", "small", () => outbox.deliver())] : []),
  ];

  const needsLogin = () => outbox.state === "logged-out" || outbox.state === "other-person";

  const reason = () => {
    switch (outbox.state) {
      case "unreachable":
        return "The server cannot be reached.";
      case "logged-out":
        return "You are logged out.";
      case "other-person":
        return "Another person is logged in on this browser now.";
      case "archived":
        return "This collection is archived. An admin can unarchive it.";
      case "failing":
        return `The server cannot save just now (error ${outbox.status}).`;
      case "foreign":
        return outbox.status
          ? `Something else answered in place of the server (status ${outbox.status}), for example a proxy.`
          : "Something else answered in place of the server. This network may want you to log in to it.";
      default:
        return outbox.inMemoryOnly ? "This browser refuses to keep anything on this computer." : "";
    }
  };

  const safetySentences = (unsaved) => {
    const areQuestions = outbox.entries().every((entry) => entry.kind === "ask");
    const [thing, things] = THINGS[areQuestions ? "asking" : work];
    const several = unsaved > 1;
    const where = outbox.inMemoryOnly
      ? "kept in this tab only: do not close it"
      : "kept on this computer";
    const sentences = [
      `${unsaved} ${several ? things : thing}${place()} ${several ? "are" : "is"} not saved yet, but ${where}.`,
    ];
    if (needsLogin()) sentences.push("Log in again as yourself, then come back here.");
    sentences.push(`${several ? "They are" : "It is"} sent again automatically.`);
    const more = ready?.() ?? 0;
    if (more)
      sentences.push(
        `You can go on: ${more} more ${more > 1 ? "pairs are" : "pair is"} ready here.`,
      );
    return sentences;
  };

  // The address of an answer holds the collection's short name.
  const place = () => {
    const slug = isElsewhere && outbox.entries()[0]?.url.match(/\/c\/([^/]+)\//)?.[1];
    return slug ? ` in ${slug}` : "";
  };

  const loginLink = () => link("Log in again in a new tab", loginUrl, "_blank");

  const refusal = (entry) => {
    const close = button("Dismiss", "plain small", () => outbox.dismiss(entry));
    const fields = new URLSearchParams(entry.body);
    const typed = [
      ["note", fields.get("note")],
      ["question", fields.get("text")],
    ].map(([noun, words]) => (words ? ` Your ${noun} was: ${words}` : ""));
    const text = `Not saved: ${entry.said} for “${entry.title}”. ${entry.message}${typed.join("")}`;
    return notice("bad", text, link(look, entry.url), close);
  };

  outbox.addEventListener("change", update);
  update();
  return update;
}

function link(text, href, target = "") {
  return Object.assign(document.createElement("a"), {
    href,
    target,
    textContent: text,
    className: "button small",
  });
}

function button(text, className, act) {
  const made = Object.assign(document.createElement("button"), {
    type: "button",
    textContent: text,
    className,
  });
  made.addEventListener("click", act);
  return made;
}

export function notice(kind, text, ...actions) {
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
