// Before the page is drawn: the theme that was chosen on this computer.
try {
  const chosen = localStorage.getItem("qrelsmith:theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch {
  // storage is switched off
}
