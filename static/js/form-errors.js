// A refused form: a summary above it lists the errors as links to their fields, and gets the focus. The errors are
// beside their fields without this script, too.

import { text } from "./language.js";

const main = document.getElementById("main");
const fields = [...main.querySelectorAll("form[method=post] [aria-invalid=true]")].filter(
  (field) => field.type !== "hidden",
);

function nameOf(field) {
  const group = field.closest("fieldset")?.querySelector("legend");
  const label = field.labels?.[0] ?? group;
  return label?.firstChild?.textContent.trim() || field.getAttribute("aria-label") || field.name;
}

function errorOf(field) {
  const parent = field.closest(".field, fieldset, td") ?? field.parentElement;
  return parent.querySelector(".errorlist")?.textContent.trim() ?? "";
}

function link(field) {
  const item = document.createElement("li");
  const anchor = document.createElement("a");
  anchor.href = `#${field.id}`;
  anchor.textContent = `${nameOf(field)}: ${errorOf(field)}`;
  anchor.addEventListener("click", (event) => {
    event.preventDefault();
    field.closest("details:not([open])")?.setAttribute("open", "");
    field.focus();
  });
  item.append(anchor);
  return item;
}

// A group of radio buttons is one field.
const named = fields.filter(
  (field, at) => field.id && fields.findIndex(({ name }) => name === field.name) === at,
);
if (named.length) {
  const summary = document.createElement("div");
  summary.className = "notice bad";
  summary.tabIndex = -1;
  const head = document.createElement("p");
  head.textContent =
    named.length === 1
      ? text("One field is invalid. Nothing was saved.")
      : text("{number} fields are invalid. Nothing was saved.", { number: named.length });
  const list = document.createElement("ul");
  list.append(...named.map(link));
  summary.append(head, list);
  const form = named[0].form ?? main;
  form.prepend(summary);
  summary.focus();
}
