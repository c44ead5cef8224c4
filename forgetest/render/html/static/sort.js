// Tables that sort by a click on a column's head; what has no value stays last.

function sortable(table) {
  for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
    if (!head.dataset.first) continue;
    const button = el("button", { type: "button" });
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, column, head));
    head.append(button);
  }
}

function sortBy(table, column, head) {
  const now = head.getAttribute("aria-sort");
  const other = { ascending: "descending", descending: "ascending" };
  const next = now ? other[now] : head.dataset.first;
  for (const one of table.tHead.rows[0].cells) one.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", next);
  const rows = [...table.tBodies[0].rows];
  const value = (row) => sortValue(row.cells[column]);
  rows.sort((a, b) => ordered(value(a), value(b), next === "ascending" ? 1 : -1));
  table.tBodies[0].append(...rows);
}

function sortValue(cell) {
  if (cell.dataset.sort !== undefined) return Number(cell.dataset.sort);
  const text = cell.textContent.trim();
  return text === "–" ? null : text;
}

function ordered(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number") return sign * (a - b);
  return sign * a.localeCompare(b, "en", { numeric: true });
}
