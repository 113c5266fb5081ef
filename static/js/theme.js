// Applies the remembered theme before the first paint, and lets the switch in the top bar change it.
// Without a choice the system's preference holds. Where storage is blocked, the choice holds on this
// page only.

const remembered = attempt(() => localStorage.getItem("theme"));
if (remembered) document.documentElement.dataset.theme = remembered;

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-theme-switch]");
  if (!button) return;
  const root = document.documentElement;
  const dark =
    root.dataset.theme === "dark" ||
    (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "light" : "dark";
  attempt(() => localStorage.setItem("theme", root.dataset.theme));
});

function attempt(work) {
  try {
    return work();
  } catch {
    return null;
  }
}
