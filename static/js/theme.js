// Applies the remembered theme before the first paint, and lets the switch in the top bar change it.
// Without a choice the system's preference holds. Where storage is blocked, the choice holds on this
// page only. The class "dark-mode" is what Swagger UI goes by.

const root = document.documentElement;
const systemTheme = matchMedia("(prefers-color-scheme: dark)");
const remembered = attempt(() => localStorage.getItem("theme"));
if (remembered) root.dataset.theme = remembered;
markTheme();
systemTheme.addEventListener("change", markTheme);

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-theme-switch]")) return;
  root.dataset.theme = isDark() ? "light" : "dark";
  markTheme();
  attempt(() => localStorage.setItem("theme", root.dataset.theme));
});

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : systemTheme.matches;
}

function markTheme() {
  root.classList.toggle("dark-mode", isDark());
}

function attempt(work) {
  try {
    return work();
  } catch {
    return null;
  }
}
