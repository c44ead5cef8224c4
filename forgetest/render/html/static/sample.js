// One sample: what became of it and why, its code, tests, messages and completion.

function sampleView(sample, found) {
  return [
    verdictView(sample, found),
    ...roundsSection(found),
    found.code ? codeSection(found) : el("p", { class: "meta" }, "No code was taken from the completion."),
    ...testsSection(found),
    ...saidSection(found),
    found.text === undefined ? null : folded("Completion as received", block(found.text), !found.code),
    factsSection(sample, found),
  ];
}

function verdictView(sample, found) {
  const passed = sample.outcome === "passed";
  const score = sample.score === null ? "not scored" : `score ${sample.score.toFixed(3)}`;
  const flags = sample.flags.length ? `flags: ${sample.flags.map(words).join(", ")}` : "";
  const said = [found.fault, ...(found.reasons || [])].filter(Boolean);
  return el("section", {},
    el("p", { class: "verdict" },
      el("b", { class: passed ? "good" : "bad" }, words(sample.outcome)),
      el("span", { class: "meta" }, score),
      flags ? el("span", { class: "meta" }, shown(flags)) : null),
    said.length ? el("ul", { class: "why" }, said.map((one) => el("li", {}, shown(one, 600)))) : null,
    found.honesty ? el("p", { class: "meta" }, shown(`Integrity: ${words(found.integrity)}; ${found.honesty}`)) : null);
}

// The conversation, round by round: what was said, and how the code differs from the code before.
function roundsSection({ rounds = [] }) {
  if (!rounds.length) return [];
  const walk = rounds.map((round, place) => el("li", {},
    el("b", { class: round.outcome === "passed" ? "good" : "bad" }, words(round.outcome)),
    round.said ? folded("What was said of the answer before", block(round.said)) : null,
    round.diff ? diffView(round.diff) : round.code ? folded("Code", block(round.code), place === 0) : el("p", { class: "meta" }, "No code was taken from the completion.")));
  return [el("section", {}, el("h3", {}, "Rounds"), el("ol", { class: "rounds" }, walk))];
}

function diffView(lines) {
  const classes = { "+": "good", "-": "bad", "@": "meta" };
  return el("pre", { class: "wrap", tabindex: "0" },
    lines.map((line) => el("span", { class: classes[line[0]] }, shown(line), "\n")));
}

function codeSection(found) {
  const told = [...(found.errors || []), ...(found.lints || [])];
  const lints = (found.lints || []).length;
  const counts = [[(found.errors || []).length, "error"], [lints, "lint"]]
    .filter(([count]) => count)
    .map(([count, noun]) => `${count} ${noun}${count === 1 ? "" : "s"}`);
  const silenced = found.silenced ? ` (${found.silenced} silenced by the code)` : "";
  return el("section", {},
    el("h3", {}, "Code", el("span", { class: "meta" }, counts.length ? ` · ${counts.join(", ")}${silenced}` : "")),
    codeView(found.code, told));
}

function testsSection({ tests = [] }) {
  if (!tests.length) return [];
  const passed = tests.filter(([, outcome]) => outcome === "passed").length;
  const table = el("table", { class: "tests" },
    el("thead", {}, el("tr", {}, ...["test", "outcome", "time"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, tests.map(testRow)));
  return [el("section", {}, el("h3", {}, "Tests", el("span", { class: "meta" }, ` · ${passed} of ${tests.length} pass`)), table)];
}

function testRow([name, outcome, message, secs]) {
  return el("tr", {},
    el("td", { class: "mono" }, shown(name, 400), message ? block(message) : null),
    el("td", { class: outcome === "passed" ? "good" : "bad" }, words(outcome)),
    el("td", { class: "meta" }, secs ? seconds(secs) : "–"));
}

function saidSection(found) {
  const all = [["Messages of the compiler", found.errors], ["Why the tests do not build", found.testErrors], ["Lints", found.lints]];
  return all.filter(([, list]) => list && list.length).map(([title, list], place) =>
    folded(`${title} (${list.length})`,
      block(list.map((one) => one.rendered || `${one.level}: ${one.message}`).join("\n")), place === 0 && title.startsWith("Why")));
}

function factsSection(sample, found) {
  const usage = found.usage || {};
  const cost = found.cost || {};
  const timings = Object.entries(found.timings || {}).map(([name, secs]) => `${words(name)} ${seconds(secs)}`);
  return el("section", {}, el("h3", {}, "Details"), facts([
    ["tokens in", usage.input_tokens],
    ["tokens out", usage.output_tokens],
    ["of them reasoning", usage.reasoning_tokens],
    ["cost", cost.usd === undefined || cost.usd === null ? cost.source && "unknown" : `$${cost.usd} (${cost.source})`],
    ["latency", found.latency === undefined ? null : seconds(found.latency)],
    ["attempts", found.attempts > 1 ? found.attempts : null],
    ["ended with", found.finish && (found.native && found.native !== found.finish ? `${found.finish} (${found.native})` : found.finish)],
    ["model by the server's name", found.served],
    ["asked without", (found.dropped || []).join(", ")],
    ["a command left", (found.left || []).join("; ")],
    ["code found by", found.rule && words(found.rule)],
    ["verdict", (found.notes || []).join("; ")],
    ["grading", timings.join(", ")],
  ]));
}
