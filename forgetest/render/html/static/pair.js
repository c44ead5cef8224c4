// A case of a comparison: a sample of the baseline next to one of the current run.

function pairOf(model) {
  return pairs.find((pair) => pair.includes(model));
}

// What is worth a look: what the baseline could do, and how the current run fails.
function worthALook(at, model, passing) {
  const list = samplesOf(at, model);
  return list.find(({ outcome }) => (outcome === "passed") === passing) || list[0];
}

function openPair({ at, model, sample }, asked) {
  const [then, now] = pairOf(model).map((side, place) => (side === model && sample) || worthALook(at, side, place === 0));
  fill([el("p", { class: "meta" }, "Loading …")]);
  Promise.all([then, now].map((one) => one && details(one))).then(
    (found) => asked === showing && fill([
      el("div", { class: "pair" }, sideView(at, "Baseline", then, found[0]), sideView(at, "Current", now, found[1])),
      el("h3", {}, "The case"),
      el("p", { class: "meta" }, shown(caseLine(at), 300)),
      ...caseTexts(at),
    ]),
    (error) => asked === showing && fill([el("p", { role: "alert" }, error.message)]),
  );
}

function sideView(at, title, sample, found) {
  if (!sample) return el("div", {}, el("h3", {}, title), el("p", { class: "meta" }, "No sample of this case."));
  const name = el("span", { class: "meta" }, " · sample ", String(sample.index + 1), " of ", String(samplesOf(at, sample.model).length));
  return el("div", {}, el("h3", {}, title, name), picks(at, sample.model, sample), ...sampleView(sample, found).filter(Boolean));
}
