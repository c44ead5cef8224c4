// Enough of Rust's tokens to colour code: [class, start, end], in order. Linear on every input.

const RUST = new RegExp([
  "(?<comment>//[^\\n]*)",
  "(?<open>/\\*)",
  "(?<raw>\\b(?:br|cr|r)#*\")",
  "(?<string>\\b[bc]?\"[^\"\\\\]*(?:\\\\[^][^\"\\\\]*)*\"?|\"[^\"\\\\]*(?:\\\\[^][^\"\\\\]*)*\"?)",
  "(?<char>b?'(?:\\\\(?:u\\{[0-9a-fA-F_]{1,8}\\}|x[0-9a-fA-F]{2}|[^])|[^\\\\'\\n])')",
  "(?<lifetime>'[\\p{L}_][\\p{L}\\p{N}_]*)",
  "(?<number>\\b[0-9][0-9a-zA-Z_]*(?:\\.[0-9][0-9a-zA-Z_]*)?)",
  "(?<word>[\\p{L}_][\\p{L}\\p{N}_]*!?)",
].join("|"), "gu");

const KEYWORDS = new Set(("as async await break const continue crate dyn else enum extern false fn for if impl in let "
  + "loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while").split(" "));
const TYPES = new Set("bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64".split(" "));
const CLASSES = { comment: "c", string: "s", char: "s", lifetime: "l", number: "n" };

function tokens(code) {
  const found = [];
  RUST.lastIndex = 0;
  for (let match = RUST.exec(code); match; match = RUST.exec(code)) {
    const [kind] = Object.entries(match.groups).find(([, text]) => text !== undefined);
    if (kind === "open") RUST.lastIndex = commentEnd(code, match.index);
    if (kind === "raw") RUST.lastIndex = rawEnd(code, match);
    const name = { open: "c", raw: "s" }[kind] || CLASSES[kind] || wordClass(match[0]);
    if (name) found.push([name, match.index, RUST.lastIndex]);
  }
  return found;
}

function wordClass(word) {
  if (KEYWORDS.has(word)) return "k";
  if (TYPES.has(word) || /^\p{Lu}/u.test(word)) return "t";
  return word.endsWith("!") ? "l" : "";
}

function commentEnd(code, from) {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = from;
  let depth = 0;
  for (let match = edge.exec(code); match; match = edge.exec(code)) {
    depth += match[0] === "/*" ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return code.length;
}

function rawEnd(code, match) {
  const hashes = "#".repeat((match[0].match(/#/g) || []).length);
  const end = code.indexOf(`"${hashes}`, RUST.lastIndex);
  return end < 0 ? code.length : end + 1 + hashes.length;
}
