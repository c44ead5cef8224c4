// Elements and text. Nothing here or elsewhere makes markup of a string: text goes in as text.

const MOST = 200000; // characters of one text that are shown
const ODD = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

const byId = (id) => document.getElementById(id);

function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

// Text of others: controls, marks of direction and what has no width are named, not obeyed.
function shown(text, most = MOST) {
  const kept = text.length > most ? text.slice(0, most) : text;
  const made = document.createDocumentFragment();
  let at = 0;
  for (const odd of kept.matchAll(ODD)) {
    if (odd[0] === "\r" && kept[odd.index + 1] === "\n") {
      made.append(kept.slice(at, odd.index));
    } else {
      made.append(kept.slice(at, odd.index), named(odd[0]));
    }
    at = odd.index + odd[0].length;
  }
  made.append(kept.slice(at));
  if (kept.length < text.length) made.append(cutMark(text.length - kept.length));
  return made;
}

function named(sign) {
  const code = sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return el("span", { class: "odd" }, `U+${code}`);
}

function cutMark(rest) {
  return el("span", { class: "odd" }, `${rest.toLocaleString("en")} more characters are not shown`);
}

function words(name) {
  return name.replaceAll("_", " ");
}

function folded(title, body, open = false) {
  const made = el("details", {}, el("summary", {}, shown(title, 200)), body);
  made.open = open;
  return made;
}

function block(text) {
  return el("pre", { class: "wrap", tabindex: "0" }, shown(text));
}

function seconds(secs) {
  if (secs < 1) return `${Math.round(secs * 1000)} ms`;
  return secs < 60 ? `${secs.toFixed(1)} s` : `${Math.floor(secs / 60)} min ${Math.round(secs % 60)} s`;
}

function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return el("dl", { class: "facts" }, known.map(([name, value]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, shown(String(value))))));
}
