// Light, dark, or as the system says. The choice is kept where the browser lets the page keep it.

function startTheme(changed) {
  const group = document.querySelector(".theme");
  const root = document.documentElement;
  let stored = "auto";
  try {
    stored = localStorage.getItem("mgqa-theme") || "auto";
  } catch {
    // A browser may refuse storage to local files: the choice then lasts as long as the page.
  }
  function choose(theme) {
    if (theme === "auto") root.removeAttribute("data-theme");
    else root.setAttribute("data-theme", theme);
    for (const button of group.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme));
    }
    try {
      localStorage.setItem("mgqa-theme", theme);
    } catch {
      // as above
    }
    changed();
  }
  group.addEventListener("click", (event) => {
    const theme = event.target.dataset.themeChoice;
    if (theme) choose(theme);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  group.hidden = false;
  choose(["light", "dark"].includes(stored) ? stored : "auto");
}
