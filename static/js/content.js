// Calls `prepare` with the page, and with each part of it that htmx fetches later.

export function onContent(prepare) {
  prepare(document);
  document.addEventListener("htmx:afterSettle", (event) => prepare(event.target));
}
