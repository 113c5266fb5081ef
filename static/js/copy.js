// Buttons with data-copy="id" copy the text of that element. They stay hidden where a browser cannot.

import { onContent } from "./content.js";
import { text } from "./language.js";

async function copy(button) {
  try {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = text("Copied");
  } catch {
    button.textContent = text("Select it and copy by hand");
  }
}

if (navigator.clipboard) {
  onContent((content) => {
    for (const button of content.querySelectorAll("[data-copy]")) {
      button.hidden = false;
      button.addEventListener("click", () => copy(button));
    }
  });
}
