// One case: what was asked, its tests and reference, and every model's samples of it.

function caseView(at, only = null) {
  const found = cases[at];
  return [
    found.description ? el("p", {}, shown(found.description)) : null,
    ...models.map((model, place) => [model, place])
      .filter(([, place]) => (only === null || only === place) && samplesOf(at, place).length)
      .map(([model, place]) => el("section", {}, el("h3", {}, el("span", { class: `swatch ${model.hue}` }), shown(model.name, 120)), picks(at, place))),
    ...caseTexts(at, true),
  ];
}

function caseTexts(at, open = false) {
  const found = cases[at];
  const rust = (text) => codeView(text, []);
  const texts = [
    found.prompt && folded("Prompt", block(found.prompt), open),
    ...(found.context || []).map(([path, content]) => folded(`Context: ${path}`, rust(content))),
    found.tests && folded("Tests", rust(found.tests)),
    found.reference && folded("Reference solution", rust(found.reference)),
  ].filter(Boolean);
  return texts.length ? texts : [el("p", { class: "meta" }, "Prompt and tests are in the run's folder, which this page was made without.")];
}

function picks(at, model, current = null) {
  return el("ul", { class: "picks" }, samplesOf(at, model).map((sample) => {
    const passed = sample.outcome === "passed";
    return el("li", {}, el("a", {
      href: address(sample),
      class: passed ? null : "fails",
      "aria-current": sample === current ? "true" : null,
      "aria-label": `Sample ${sample.index + 1}: ${words(sample.outcome)}`,
    }, `${sample.index + 1}${passed ? "" : " ×"}`));
  }));
}

function caseLine(at) {
  const { key, difficulty, tags = [] } = cases[at];
  return [key, difficulty, tags.join(", ")].filter(Boolean).join(" · ");
}
