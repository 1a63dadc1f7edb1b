// Runs before the first paint, so that a stored theme does not flash; hence not a module.
const page = document.documentElement;
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (page.dataset.theme ? page.dataset.theme === "dark" : prefersDark.matches);
try {
  if (localStorage.pageTheme) page.dataset.theme = localStorage.pageTheme;
} catch { /* Storage is off: the choice lasts as long as the page. */ }

addEventListener("DOMContentLoaded", () => {
  const toggle = document.getElementById("theme");
  const show = () => toggle.setAttribute("aria-pressed", isDark());
  toggle.onclick = () => {
    page.dataset.theme = isDark() ? "light" : "dark";
    show();
    localStorage.pageTheme = page.dataset.theme;
  };
  show();
});
