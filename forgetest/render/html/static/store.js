// What the page knows: models, cases, an index of samples, and their details, here or in a file.

const read = (key) => JSON.parse(byId(`data-${key}`).textContent);
const models = read("models");
const cases = read("cases");
const places = read("places");
const pairs = read("pairs");
const loaded = read("details");
const samples = read("index").map(([at, model, index, outcome, codes, flags, score, passed, failed, why]) =>
  ({ case: at, model, index, outcome, codes, flags, score, passed, failed, why }));
const groups = new Map();
for (const sample of samples) {
  const key = `${sample.case}.${sample.model}`;
  if (!groups.has(key)) groups.set(key, []);
  groups.get(key).push(sample);
}

const samplesOf = (at, model) => groups.get(`${at}.${model}`) || [];

function address(sample) {
  return linkTo(sample.case, sample.model, sample.index + 1);
}

function linkTo(at, model = null, number = null) {
  const parts = [cases[at].key];
  if (model !== null) parts.push(models[model].name);
  if (number !== null) parts.push(String(number));
  return `#${parts.map(encodeURIComponent).join("/")}`;
}

const files = new Set(Object.values(places));
const trusted = files.size && window.trustedTypes
  ? window.trustedTypes.createPolicy("forgetest", { createScriptURL: known })
  : { createScriptURL: known };
const pending = new Map();

function known(name) {
  if (!files.has(name)) throw new TypeError("no file of this page");
  return name;
}

window.forgetestSamples = (name, details) => {
  Object.assign(loaded, details);
};

function details(sample) {
  const key = `${sample.case}.${sample.model}`;
  const place = samplesOf(sample.case, sample.model).indexOf(sample);
  const ready = loaded[key] ? Promise.resolve() : load(places[key]);
  return ready.then(() => whole(loaded[key][place]));
}

// Code that is in the completion is not written twice.
function whole(found) {
  return found.cut ? { ...found, code: found.text.slice(...found.cut) } : found;
}

function load(name) {
  if (!pending.has(name)) {
    pending.set(name, new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = trusted.createScriptURL(name);
      script.onload = done;
      script.onerror = () => {
        pending.delete(name);
        failed(new Error(`${name} is not in the folder of this page, so the sample cannot be shown.`));
      };
      document.head.append(script);
    }));
  }
  return pending.get(name);
}
