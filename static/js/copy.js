// Buttons with data-copy="id" copy the text of that element. They stay hidden where a browser cannot.

if (navigator.clipboard) {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(
          document.getElementById(button.dataset.copy).textContent,
        );
        button.textContent = "Copied";
      } catch {
        button.textContent = "Select it and copy by hand";
      }
    });
  }
}
