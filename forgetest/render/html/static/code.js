// Code with line numbers, and what the compiler and clippy say at their lines.

const LINE = 2000; // characters of a line that are shown
const LINES = 4000;
const FILE = /^\/\/==== file: (\S+)$/; // the line above each of several files

function codeView(code, diagnostics) {
  const colours = code.length <= MOST ? tokens(code) : [];
  const lines = code.split("\n");
  if (lines.length > 1 && lines[lines.length - 1] === "") lines.pop();
  const view = el("div", { class: "code mono", role: "group", "aria-label": "Code", tabindex: "0" });
  const several = FILE.test(lines[0]);
  let start = 0;
  let colour = 0;
  let before = 0; // lines up to the first of this file
  for (const [index, line] of lines.slice(0, LINES).entries()) {
    while (colour < colours.length && colours[colour][2] <= start) colour += 1;
    const here = [];
    for (let i = colour; i < colours.length && colours[i][1] < start + line.length; i += 1) {
      here.push([colours[i][0], Math.max(0, colours[i][1] - start), Math.min(line.length, colours[i][2] - start)]);
    }
    const told = diagnostics.filter(({ span }) => span && span[0] === index + 1);
    const file = several && line.match(FILE);
    if (file) before = index + 1;
    view.append(file ? rowView("", el("b", {}, shown(file[1])), "file") : lineView(index + 1 - before, line, here, told),
      ...told.map(noteView));
    start += line.length + 1;
  }
  if (lines.length > LINES) view.append(rowView("", cutMark(lines.slice(LINES).join("\n").length)));
  return view;
}

function rowView(number, body, kind = "") {
  return el("div", { class: `row ${kind}` },
    el("span", { class: "at", "aria-hidden": number === "" ? "true" : null }, String(number)), body);
}

function lineView(number, line, colours, told) {
  const kind = told.some(({ level }) => level === "error") ? "hit" : told.length ? "mild" : "";
  const kept = line.slice(0, LINE);
  const marks = told.map((one) => underlined(one, kept));
  const body = el("span", {}, ...pieces(kept, colours, marks));
  if (kept.length < line.length) body.append(cutMark(line.length - kept.length));
  return rowView(number, body, kind);
}

// Columns are counted in characters, from 1; strings here in UTF-16 units.
function underlined({ span, level }, line) {
  const [top, first, bottom, last] = span;
  const from = units(line, first - 1);
  const to = top === bottom ? Math.max(from + 1, units(line, last - 1)) : line.length;
  return [level === "error" ? "" : "lint", from, Math.min(to, line.length)];
}

function units(line, characters) {
  let at = 0;
  for (let i = 0; i < characters && at < line.length; i += 1) at += line.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}

function pieces(line, colours, marks) {
  const edges = new Set([0, line.length]);
  for (const [, from, to] of [...colours, ...marks]) edges.add(Math.min(from, line.length)).add(Math.min(to, line.length));
  const sorted = [...edges].sort((a, b) => a - b);
  return sorted.slice(1).map((to, i) => piece(line, sorted[i], to, colours, marks));
}

function piece(line, from, to, colours, marks) {
  const text = shown(line.slice(from, to));
  const colour = colours.find(([, start, end]) => start <= from && to <= end);
  const marked = marks.find(([, start, end]) => start <= from && to <= end);
  const inner = colour ? el("span", { class: colour[0] }, text) : text;
  return marked ? el("mark", { class: marked[0] || null }, inner) : inner;
}

function noteView({ level, code, message, span }) {
  const label = span[4] && span[4] !== message ? ` – ${span[4]}` : "";
  const said = `${level}${code ? ` ${code}` : ""}: ${message}${label}`;
  return rowView("", el("span", { class: `note ${level === "error" ? "" : "lint"}` }, el("span", {}, shown(said, 600))));
}
