// Cards of running jobs ask the server for themselves, but not in a tab that is hidden. When a job has
// finished, the page fetches its content again, except while a form holds what the person has typed.
// A toast goes after ten seconds, or by its button; the pointer or the focus on it keeps it.

const TOAST_MS = 10_000;
let hasInput = false;

document.addEventListener("input", (event) => {
  if (event.target.closest("main form:not([role=search])")) hasInput = true;
});

document.addEventListener("htmx:beforeRequest", (event) => {
  const { elt } = event.detail;
  const isUnwanted = elt.matches("[data-live]") ? document.hidden : hasInput;
  if (elt.matches("[data-live], [data-renews]") && isUnwanted) event.preventDefault();
});

// A job that deletes its collection ends with an address that does not exist any more.
document.addEventListener("htmx:responseError", ({ detail }) => {
  const isGone = detail.xhr.status === 404 && detail.elt.matches("[data-live]");
  if (isGone) location.assign(document.querySelector("a.brand").href);
});

document.addEventListener("click", (event) => {
  event.target.closest("[data-dismiss]")?.closest(".toast").remove();
});

function removeLater(toast) {
  setTimeout(() => {
    if (toast.matches(":hover, :focus-within")) removeLater(toast);
    else toast.remove();
  }, TOAST_MS);
}

new MutationObserver((changes) => {
  for (const toast of changes.flatMap((change) => [...change.addedNodes])) {
    if (toast.nodeType === Node.ELEMENT_NODE) removeLater(toast);
  }
}).observe(document.getElementById("toasts"), { childList: true });
