// On a narrow screen a row of a table becomes a card, in which every value stands beside the heading of
// its column (the styles are in qrelsmith.css). Without this script the table scrolls sideways. The
// roles keep it a table for screen readers, which CSS would otherwise take from it.

const narrow = matchMedia("(max-width: 40rem)");
const CELL_ROLES = { col: "columnheader", row: "rowheader" };

function prepare(table) {
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent.trim());
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
}

function prepareAll() {
  if (!narrow.matches) return;
  const tables = document.querySelectorAll(".table-wrap > table:not(.heat, .matrix, .as-cards)");
  for (const table of tables) prepare(table);
}

prepareAll();
narrow.addEventListener("change", prepareAll);
document.addEventListener("htmx:afterSettle", prepareAll);
