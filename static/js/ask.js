// Shows as a dialog what would otherwise be a page of its own: the question before an action that
// cannot be taken back (forms with data-ask), or a small form behind a link (links with data-ask).
// The server's page says what will happen; without this script it is simply shown.

const dialog = document.createElement("dialog");
dialog.setAttribute("aria-labelledby", "question");
document.body.append(dialog);

async function ask(address, options, instead) {
  let question = null;
  try {
    const response = await fetch(address, options);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    question = page.querySelector("[data-dialog]");
  } catch {
    // Offline or a broken answer: the plain way shows what the browser makes of it.
  }
  if (!question) return instead();
  dialog.replaceChildren(document.adoptNode(question));
  dialog.showModal();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-ask]") || event.defaultPrevented) return;
  event.preventDefault();
  const body = new FormData(form, event.submitter);
  ask(form.action, { method: "POST", body }, () => form.submit());
});

document.addEventListener("click", (event) => {
  const close = event.target.closest("dialog [data-close]");
  if (close) {
    event.preventDefault();
    dialog.close();
    return;
  }
  const link = event.target.closest("a[data-ask]");
  if (!link || event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  ask(link.href, {}, () => location.assign(link.href));
});
