// Ties the page together once it is there.

function theme() {
  const button = byId("theme");
  const dark = () => (document.documentElement.dataset.theme
    || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { button.textContent = dark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => {
    const next = dark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    remember(next);
    name();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  button.hidden = false;
  name();
}

function remember(next) {
  try {
    if (next) localStorage.setItem("forgetest-theme", next);
    else return localStorage.getItem("forgetest-theme");
  } catch {
    // A browser that keeps nothing for pages on disk: the choice lasts as long as the page.
  }
  return null;
}

const kept = remember();
if (kept === "dark" || kept === "light") document.documentElement.dataset.theme = kept;
theme();
for (const table of document.querySelectorAll("table.sortable")) sortable(table);
fillFilters();
list();
const form = byId("filters");
form.hidden = false;
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(filter));
byId("more").addEventListener("click", () => {
  visible += PAGE;
  list();
});
byId("close").addEventListener("click", leave);
document.addEventListener("click", (event) => {
  const cell = event.target.closest("[data-go]");
  if (cell) location.hash = cell.dataset.go;
});
addEventListener("hashchange", route);
route();
