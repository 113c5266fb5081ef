// Filters a table while the user types: rows without every word typed are hidden. Without this script
// the form asks the server for the same rows.

import { onContent } from "./content.js";

onContent((content) => {
  for (const form of content.querySelectorAll("form[data-filter]")) {
    const table = document.getElementById(form.dataset.filter);
    const input = form.querySelector("input[type=search]");
    if (!table || !input || input.value) continue; // the server has left rows out: only it has them
    const count = document.createElement("span");
    count.className = "small quiet";
    count.setAttribute("role", "status");
    const button = form.querySelector("button");
    button.hidden = true; // not removed: Enter presses the first button, and the next ones are filters
    button.after(count);
    const rows = [...table.tBodies[0].rows].map((row) => [row, row.textContent.toLowerCase()]);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let visible = 0;
      for (const [row, text] of rows) {
        row.hidden = !words.every((word) => text.includes(word));
        visible += !row.hidden;
      }
      count.textContent = words.length ? `${visible} of ${rows.length}` : "";
    });
  }
});
