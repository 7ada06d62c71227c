// Runs before the page is drawn, so that it never flashes in the wrong colours.
{
  let chosen = null;
  try {
    chosen = localStorage.getItem("gama.theme");
  } catch {
    // Storage may be switched off.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
