// Shows in words what is saved: the chip in the bar, and a notice when the user must act.

import { WORK } from "./wording.js";

import { plural, text } from "./language.js";

const GRACE = 500; // a save that is quicker than this never shows as "saving"

// `isElsewhere` is for pages of other work: the notice then names the collection, and has a button.
// `ready` tells how many pairs can be judged without the server; `look` names the way to the pair.
// Returns what brings the words up to date after that number has changed.
export function showSaveState(
  outbox,
  { work, chip, trouble, loginUrl, ready, look = text("See this pair"), isElsewhere = false },
) {
  let timer = 0;
  let shownKey = "";

  const word = (state, kind) => {
    if (!chip) return;
    chip.textContent = state;
    chip.className = `chip ${kind}`;
  };

  const update = () => {
    const unsaved = outbox.entries().length;
    const refused = outbox.refused();
    clearTimeout(timer);
    if (unsaved && (outbox.state === "idle" || outbox.state === "sending")) {
      timer = setTimeout(() => word(text("Saving"), ""), GRACE);
    } else if (unsaved) word(text("{number} unsaved", { number: unsaved }), "warn");
    else if (refused.length) word(text("{number} not saved", { number: refused.length }), "bad");
    else word(text("Saved"), "good");
    explain(unsaved, refused);
  };

  const explain = (unsaved, refused) => {
    const cause = unsaved ? reason() : "";
    const words = cause && [cause, ...safetySentences(unsaved)].join(" ");
    const noticesKey = JSON.stringify([words, refused.map(({ key, message }) => [key, message])]);
    if (noticesKey === shownKey) return;
    shownKey = noticesKey;
    const notices = refused.map((entry) => refusal(entry));
    if (words) notices.unshift(notice("warn", words, ...actions()));
    trouble.replaceChildren(...notices);
    trouble.hidden = !notices.length;
  };

  const actions = () => [
    ...(needsLogin() ? [loginLink()] : []),
    ...(isElsewhere ? [button(text("Send now"), "small", () => outbox.deliver())] : []),
  ];

  const needsLogin = () => outbox.state === "logged-out" || outbox.state === "other-person";

  const reason = () => {
    switch (outbox.state) {
      case "unreachable":
        return text("The server cannot be reached.");
      case "logged-out":
        return text("You are logged out.");
      case "other-person":
        return text("Another person is logged in on this browser now.");
      case "archived":
        return text("This collection is archived. An admin can unarchive it.");
      case "failing":
        return text("The server cannot save just now (error {status}).", outbox);
      case "foreign":
        return outbox.status
          ? text(
              "Something else answered in place of the server (status {status}), for example a proxy.",
              outbox,
            )
          : text(
              "Something else answered in place of the server. This network may want you to log in to it.",
            );
      default:
        return outbox.inMemoryOnly
          ? text("This browser refuses to keep anything on this computer.")
          : "";
    }
  };

  const safetySentences = (unsaved) => {
    const areQuestions = outbox.entries().every((entry) => entry.kind === "ask");
    const what = areQuestions ? "asking" : work;
    const values = { unsaved: WORK[what].unsaved(unsaved), collection: place() };
    const sentences = [];
    if (values.collection) sentences.push(text("In {collection}:", values));
    sentences.push(
      outbox.inMemoryOnly
        ? text("{unsaved}, but kept in this tab only: do not close it.", values)
        : text("{unsaved}, but kept on this computer.", values),
    );
    if (needsLogin()) sentences.push(text("Log in again as yourself, then come back here."));
    sentences.push(
      plural("It is sent again automatically.", "They are sent again automatically.", unsaved),
    );
    const more = ready?.() ?? 0;
    if (more)
      sentences.push(
        plural(
          "You can go on: {number} more pair is ready here.",
          "You can go on: {number} more pairs are ready here.",
          more,
        ),
      );
    return sentences;
  };

  // The address of an answer holds the collection's short name.
  const place = () => {
    const slug = isElsewhere && outbox.entries()[0]?.url.match(/\/c\/([^/]+)\//)?.[1];
    return slug ?? "";
  };

  const loginLink = () => link(text("Log in again in a new tab"), loginUrl, "_blank");

  const refusal = (entry) => {
    const close = button(text("Dismiss"), "plain small", () => outbox.dismiss(entry));
    const fields = new URLSearchParams(entry.body);
    const [note, question] = [fields.get("note"), fields.get("text")];
    const words = text("Not saved: {said} for “{title}”.", entry);
    const sentences = [words, entry.message];
    if (note) sentences.push(text("Your note was: {note}", { note }));
    if (question) sentences.push(text("Your question was: {question}", { question }));
    return notice("bad", sentences.join(" "), link(look, entry.url), close);
  };

  outbox.addEventListener("change", update);
  update();
  return update;
}

function link(caption, href, target = "") {
  return Object.assign(document.createElement("a"), {
    href,
    target,
    textContent: caption,
    className: "button small",
  });
}

function button(caption, className, act) {
  const made = Object.assign(document.createElement("button"), {
    type: "button",
    textContent: caption,
    className,
  });
  made.addEventListener("click", act);
  return made;
}

export function notice(kind, words, ...actions) {
  const box = document.createElement("div");
  box.className = `notice ${kind}`;
  const line = document.createElement("p");
  line.textContent = words;
  box.append(line);
  if (actions.length) {
    const row = document.createElement("div");
    row.className = "row";
    row.append(...actions);
    box.append(row);
  }
  return box;
}
