// The list of samples and what narrows it.

const PAGE = 25; // rows that are added at once
const FAILED = "\u0000failed";
let chosen = samples;
let visible = PAGE;

function options(id, pairs, any) {
  byId(id).replaceChildren(el("option", { value: "" }, any), ...pairs.map(([value, name]) => el("option", { value }, shown(name, 80))));
}

function counted(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

function fillFilters() {
  const named = (pairs) => pairs.map(([name, count]) => [name, `${words(name)} (${count})`]);
  options("by-model", models.map(({ name }, place) => [String(place), name]), "all");
  options("by-outcome", [[FAILED, "all that fail"], ...named(counted(samples.map(({ outcome }) => outcome)))], "all");
  options("by-tag", named(counted(cases.flatMap(({ tags = [], difficulty }) => [...tags, ...(difficulty ? [difficulty] : [])]))), "all");
  options("by-code", counted(samples.flatMap(({ codes }) => codes)).map(([code, count]) => [code, `${code} (${count})`]), "all");
}

function wanted() {
  const [model, outcome, tag, code] = ["by-model", "by-outcome", "by-tag", "by-code"].map((id) => byId(id).value);
  const text = byId("by-text").value.trim().toLowerCase();
  return (sample) => (model === "" || sample.model === Number(model))
    && (outcome === "" || (outcome === FAILED ? sample.outcome !== "passed" : sample.outcome === outcome))
    && (tag === "" || tagged(cases[sample.case], tag))
    && (code === "" || sample.codes.includes(code))
    && (text === "" || says(sample).includes(text));
}

const tagged = ({ tags = [], difficulty }, tag) => tags.includes(tag) || difficulty === tag;

function says(sample) {
  const { key, name } = cases[sample.case];
  return [key, name, models[sample.model].name, words(sample.outcome), sample.why, ...sample.codes, ...sample.flags].join("\n").toLowerCase();
}

function filter() {
  chosen = samples.filter(wanted());
  visible = PAGE;
  list();
}

function list() {
  byId("list").hidden = !chosen.length;
  byId("list").tBodies[0].replaceChildren(...chosen.slice(0, visible).map(sampleRow));
  byId("more").hidden = chosen.length <= visible;
  byId("count").textContent = chosen.length === samples.length
    ? `${samples.length.toLocaleString("en")} samples`
    : `${chosen.length.toLocaleString("en")} of ${samples.length.toLocaleString("en")} samples`;
}

function sampleRow(sample) {
  const counts = sample.passed + sample.failed ? `${sample.passed}/${sample.passed + sample.failed}` : "–";
  return el("tr", {},
    el("td", {}, el("a", { href: address(sample) }, shown(cases[sample.case].key, 80), ` #${sample.index + 1}`)),
    el("td", {}, el("span", { class: `swatch ${models[sample.model].hue}` }), shown(models[sample.model].name, 60)),
    el("td", { class: sample.outcome === "passed" ? "good" : "bad" }, words(sample.outcome)),
    el("td", { class: "number" }, counts),
    el("td", { class: "number" }, sample.score === null ? "–" : sample.score.toFixed(3)),
    el("td", {}, shown(sample.why, 160)));
}
