// Ticks all boxes of a form at once, and says on its button how many are ticked.

for (const form of document.querySelectorAll("form[data-tick]")) {
  const boxes = [...form.querySelectorAll("tbody input[type=checkbox]")];
  const all = form.querySelector("[data-tick-all]");
  const button = form.querySelector("[data-tick-label]");
  if (!boxes.length || !all || !button) continue;
  all.hidden = false;
  all.closest("[hidden]")?.removeAttribute("hidden");

  const say = () => {
    const ticked = boxes.filter((box) => box.checked).length;
    all.checked = ticked === boxes.length;
    all.indeterminate = ticked > 0 && ticked < boxes.length;
    const things = ticked === 1 ? button.dataset.one : button.dataset.many;
    button.textContent = ticked ? things.replace("#", ticked) : button.dataset.tickLabel;
  };
  all.addEventListener("change", () => {
    for (const box of boxes) if (!box.closest("tr").hidden) box.checked = all.checked;
    say();
  });
  form.addEventListener("change", say);
  say();
}
