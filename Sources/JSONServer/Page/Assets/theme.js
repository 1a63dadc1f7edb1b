// Loaded before the first paint, so that a stored theme does not flash; hence not a module.
{
  const page = document.documentElement;
  const stored = () => {
    try { return localStorage.getItem("theme"); } catch { return null; }
  };
  const store = (theme) => {
    try { localStorage.setItem("theme", theme); } catch { /* Storage is off: the choice lasts as long as the page. */ }
  };
  if (stored()) page.dataset.theme = stored();

  document.addEventListener("DOMContentLoaded", () => {
    const toggle = document.getElementById("theme");
    const prefersDark = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (page.dataset.theme ? page.dataset.theme === "dark" : prefersDark.matches);
    const show = () => toggle.setAttribute("aria-pressed", String(isDark()));
    toggle.addEventListener("click", () => {
      page.dataset.theme = isDark() ? "light" : "dark";
      store(page.dataset.theme);
      show();
    });
    prefersDark.addEventListener("change", show);
    show();
  });
}
