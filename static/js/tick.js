// Ticks all boxes of a form at once, and says on its button how many are ticked.

import { onContent } from "./content.js";

onContent((content) => {
  for (const form of content.querySelectorAll("form[data-tick]")) {
    const boxes = [...form.querySelectorAll("tbody input[type=checkbox]")];
    const all = form.querySelector("[data-tick-all]");
    const button = form.querySelector("[data-tick-label]");
    if (!boxes.length || !all || !button) continue;
    all.hidden = false;
    all.closest("[hidden]")?.removeAttribute("hidden");

    const updateLabel = () => {
      const count = boxes.filter((box) => box.checked).length;
      all.checked = count === boxes.length;
      all.indeterminate = count > 0 && count < boxes.length;
      const things = count === 1 ? button.dataset.one : button.dataset.many;
      button.textContent = count ? things.replace("#", count) : button.dataset.tickLabel;
    };
    all.addEventListener("change", () => {
      for (const box of boxes) if (!box.closest("tr").hidden) box.checked = all.checked;
      updateLabel();
    });
    form.addEventListener("change", updateLabel);
    updateLabel();
  }
});
