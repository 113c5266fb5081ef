// The panels over or beside the two papers: the guideline, the note, "cannot judge".

import { forGood, forThisTab } from "./storage.js";
import { THINGS } from "./wording.js";

const dock = document.getElementById("dock");

// Shows the last action beside the keys, where it covers no text.
export function tellLast(text) {
  tell(text, false);
}

// A press this soon was meant for the page before: no person reads that fast.
const UNREAD = 300;

// Returns whether a press comes too soon after `shownAt`. It is then ignored, and the page says so.
export function tooSoon(shownAt, thing) {
  if (performance.now() - shownAt >= UNREAD) return false;
  remark(THINGS[thing].tooSoon);
  return true;
}

const REMARK = 4000;
let remarkTimer = 0;

// Said for a moment in place of what was done last.
function remark(text) {
  const line = document.getElementById("last");
  const before = line.classList.contains("ignored") ? "" : line.textContent;
  tell(text, true);
  remarkTimer = setTimeout(() => tell(before, false), REMARK);
}

function tell(text, isRemark) {
  clearTimeout(remarkTimer);
  const line = document.getElementById("last");
  line.textContent = text;
  line.classList.toggle("ignored", isRemark);
}

// The query paper's own scroll area ends where the dock begins, however high the dock is.
export function measureDock() {
  const tell = () =>
    document.documentElement.style.setProperty(
      "--dock",
      `${dock.getBoundingClientRect().height}px`,
    );
  if (dock.getClientRects().length) new ResizeObserver(tell).observe(dock);
}

export function guidelinePanel() {
  const panel = document.getElementById("guideline");
  const toggle = (open = panel.hidden) => {
    panel.hidden = !open;
    forThisTab.set("guideline", open ? "open" : "");
    for (const link of document.querySelectorAll("[data-guideline]")) {
      link.setAttribute("aria-expanded", String(open));
    }
  };
  toggle(!panel.hidden || forThisTab.get("guideline") === "open");
  for (const link of document.querySelectorAll("[data-guideline]")) {
    link.setAttribute("role", "button");
    link.addEventListener("click", (event) => {
      event.preventDefault();
      toggle();
    });
  }
  return toggle;
}

// Four sentences for a person who judges for the first time, until they are understood.
export function tour() {
  const panel = document.getElementById("tour");
  if (!panel || forGood.get("toured")) return;
  panel.hidden = false;
  panel.querySelector("button").addEventListener("click", () => {
    forGood.set("toured", "yes");
    panel.hidden = true;
  });
}

// A panel above the dock: opening it puts the cursor into its first field.
export function lift(id) {
  const details = document.getElementById(id);
  const panel = details.querySelector(".panel");
  let before = null;
  details.addEventListener("toggle", () => {
    if (details.open && !panel.contains(document.activeElement)) firstField(details)?.focus();
  });
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    event.preventDefault();
    details.open = false;
    document.activeElement?.blur();
    before?.focus?.({ preventScroll: true });
  });
  return () => {
    before = document.activeElement;
    details.open = true;
    // At once, not at the toggle event: the next key must not be taken for a grade.
    firstField(details)?.focus();
  };
}

const firstField = (details) =>
  details.querySelector(":checked") ?? details.querySelector("[type=radio], textarea");

export function closeLifts() {
  const open = [...document.querySelectorAll(".lift[open]")];
  for (const details of open) {
    if (details.contains(document.activeElement)) document.activeElement.blur();
    details.open = false;
  }
  return open.length > 0;
}

// "Something else" needs a note; the browser says so before anything is sent.
export function noteForOther(form) {
  const note = form.elements.namedItem("note");
  form.addEventListener("change", () => {
    note.required = new FormData(form).get("reason") === "other";
  });
}
