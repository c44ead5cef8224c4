// The address in the page's hash is what the dialog shows: #case, #case/model, #case/model/sample.

const viewer = byId("viewer");
let showing = 0; // counts what was asked for, so that a late file does not replace a newer view

function parsed(hash) {
  let parts;
  try {
    parts = hash.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return null;
  }
  const at = cases.findIndex(({ key }) => key === parts[0]);
  if (at < 0) return null;
  const model = parts.length > 1 ? models.findIndex(({ name }) => name === parts[1]) : null;
  if (model === -1) return null;
  const number = parts.length > 2 ? Number(parts[2]) - 1 : null;
  const sample = number === null ? null : samplesOf(at, model).find(({ index }) => index === number);
  return sample === undefined ? null : { at, model, sample };
}

function route() {
  const asked = parsed(location.hash);
  showing += 1;
  if (!asked) {
    if (viewer.open) viewer.close();
    return;
  }
  byId("viewer-title").replaceChildren(...titleOf(asked));
  step("previous", asked.sample, -1);
  step("next", asked.sample, 1);
  if (pairOf(asked.model)) openPair(asked, showing);
  else if (asked.sample) openSample(asked, showing);
  else fill(caseView(asked.at, asked.model));
  if (!viewer.open) viewer.showModal();
  byId("viewer-body").scrollTop = 0;
  byId("viewer-title").focus();
}

function titleOf({ at, model, sample }) {
  const who = model === null ? "" : models[model].name;
  const which = sample ? ` · sample ${sample.index + 1} of ${samplesOf(at, model).length}` : "";
  const line = el("small", { class: "meta" }, shown(who ? `${who}${which}` : caseLine(at), 300));
  return [shown(cases[at].name || cases[at].key, 200), el("br"), line];
}

function openSample({ at, model, sample }, asked) {
  fill([el("p", { class: "meta" }, "Loading …")]);
  details(sample).then(
    (found) => asked === showing && fill([picks(at, model, sample), ...sampleView(sample, found), el("h3", {}, "The case"), el("p", { class: "meta" }, shown(caseLine(at), 300)), ...caseTexts(at)]),
    (error) => asked === showing && fill([el("p", { role: "alert" }, error.message)]),
  );
}

function fill(parts) {
  byId("viewer-body").replaceChildren(...parts.filter(Boolean));
}

function step(id, sample, by) {
  const button = byId(id);
  const list = chosen.includes(sample) ? chosen : samples;
  const target = sample ? list[list.indexOf(sample) + by] : undefined;
  button.hidden = !sample;
  button.disabled = !target;
  button.onclick = () => target && location.replace(address(target));
}

function leave() {
  history.pushState(null, "", "#");
  route();
}

viewer.addEventListener("cancel", (event) => {
  event.preventDefault();
  leave();
});
viewer.addEventListener("click", (event) => event.target === viewer && leave());
viewer.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, [tabindex='0']") || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "ArrowLeft") byId("previous").click();
  if (event.key === "ArrowRight") byId("next").click();
});
