// On a narrow screen a row of a table becomes a card, in which every value stands beside the heading of
// its column (the styles are in qrelsmith.css). A card shows its name and a few values; a button shows the
// others. Without this script the table scrolls sideways. The roles keep it a table for screen readers,
// which CSS would otherwise take from it.

import { text } from "./language.js";

const narrow = matchMedia("(max-width: 40rem)");
const CELL_ROLES = { col: "columnheader", row: "rowheader" };
const SHOWN = 3; // values of a card, beside its name
const CARDS = 25; // at first
const CONTROLS = "button, input, select, form, a.button";

// Folds what a card does not show at first, and adds the button that shows it.
function fold(row) {
  const values = [...row.querySelectorAll(":scope > td:not(.tick)")];
  const first = values.filter((cell) => !cell.classList.contains("wide-only"));
  for (const cell of first.slice(SHOWN))
    if (!cell.querySelector(CONTROLS)) cell.classList.add("folded");
  const folded = values.filter(
    (cell) => cell.matches(".folded, .wide-only") && cell.textContent.trim(),
  );
  const name = row.querySelector(":scope > th") ?? values[0];
  if (!folded.length || !name) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "plain small row-more";
  const show = (isOpen) => {
    row.classList.toggle("open", isOpen);
    button.setAttribute("aria-expanded", isOpen);
    button.textContent = isOpen ? text("Less") : text("More");
  };
  show(false);
  button.setAttribute(
    "aria-label",
    text("More about {name}", { name: name.textContent.trim().replaceAll(/\s+/g, " ") }),
  );
  button.addEventListener("click", () => show(!row.classList.contains("open")));
  name.append(button);
}

// Shows the first cards of a long table, and adds the button that shows the others.
function shorten(table) {
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
  const later = rows.slice(CARDS);
  if (later.length < 10) return;
  table.classList.add("shortened");
  for (const row of later) row.classList.add("later");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "small cards-more";
  button.textContent = text("Show {number} more", { number: later.length });
  button.addEventListener("click", () => {
    table.classList.remove("shortened");
    button.remove();
    later[0].querySelector("a, button")?.focus();
  });
  table.after(button);
}

// The text of a heading; "" for one that only a screen reader has.
function shownText(heading) {
  const isSeen = !heading.querySelector(":scope > .visually-hidden:only-child");
  return isSeen ? heading.textContent.trim() : "";
}

function prepare(table) {
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])].map(shownText);
  if (headings.length < 3) return;
  table.classList.add("as-cards");
  table.setAttribute("role", "table");
  for (const part of table.querySelectorAll("thead, tbody")) part.setAttribute("role", "rowgroup");
  for (const row of table.rows) {
    row.setAttribute("role", "row");
    for (const [index, cell] of [...row.cells].entries()) {
      cell.setAttribute("role", CELL_ROLES[cell.scope] ?? "cell");
      const isLabelled = headings[index] && !cell.classList.contains("tick");
      if (isLabelled) cell.dataset.label = headings[index];
    }
  }
  for (const body of table.tBodies) for (const row of body.rows) fold(row);
  shorten(table);
}

function prepareAll() {
  if (!narrow.matches) return;
  const tables = document.querySelectorAll(".table-wrap > table:not(.heat, .matrix, .as-cards)");
  for (const table of tables) prepare(table);
}

prepareAll();
narrow.addEventListener("change", prepareAll);
document.addEventListener("htmx:afterSettle", prepareAll);
