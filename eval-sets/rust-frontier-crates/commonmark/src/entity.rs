//! Backslash escapes, and entity and numeric character references.

/// The named entities, without `&` and `;`, and what they stand for.
const NAMED: &[(&str, &str)] = &[
    ("AElig", "Æ"),
    ("ClockwiseContourIntegral", "∲"),
    ("Dcaron", "Ď"),
    ("DifferentialD", "ⅆ"),
    ("Eacute", "É"),
    ("HilbertSpace", "ℋ"),
    ("NewLine", "\n"),
    ("Omega", "Ω"),
    ("Tab", "\t"),
    ("aelig", "æ"),
    ("alpha", "α"),
    ("amp", "&"),
    ("apos", "'"),
    ("ast", "*"),
    ("auml", "ä"),
    ("beta", "β"),
    ("bsol", "\\"),
    ("check", "✓"),
    ("colon", ":"),
    ("comma", ","),
    ("copy", "©"),
    ("divide", "÷"),
    ("eacute", "é"),
    ("euro", "€"),
    ("excl", "!"),
    ("fjlig", "fj"),
    ("frac34", "¾"),
    ("grave", "`"),
    ("gt", ">"),
    ("hellip", "…"),
    ("lbrack", "["),
    ("ldquo", "“"),
    ("lowbar", "_"),
    ("lpar", "("),
    ("lsquo", "‘"),
    ("lt", "<"),
    ("mdash", "—"),
    ("middot", "·"),
    ("nbsp", "\u{a0}"),
    ("ndash", "–"),
    ("ngE", "≧\u{338}"),
    ("num", "#"),
    ("nvlt", "<\u{20d2}"),
    ("ouml", "ö"),
    ("para", "¶"),
    ("pound", "£"),
    ("quot", "\""),
    ("rbrack", "]"),
    ("rdquo", "”"),
    ("reg", "®"),
    ("rpar", ")"),
    ("rsquo", "’"),
    ("sect", "§"),
    ("sol", "/"),
    ("szlig", "ß"),
    ("times", "×"),
    ("uuml", "ü"),
    ("yen", "¥"),
];

/// Reads an entity or numeric character reference at the start of a text: what it stands for, and its length.
pub fn entity(text: &str) -> Option<(String, usize)> {
    let inner = text.strip_prefix('&')?;
    let end = inner.find(';')?;
    let name = &inner[..end];
    let length = end + 2;
    if let Some((_, value)) = NAMED.iter().find(|(known, _)| *known == name) {
        return Some((value.to_string(), length));
    }
    let number = name.strip_prefix('#')?;
    let (digits, radix, longest) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 6),
        None => (number, 10, 7),
    };
    let is_number =
        !digits.is_empty() && digits.len() <= longest && digits.chars().all(|c| c.is_digit(radix));
    let code = u32::from_str_radix(digits, radix)
        .ok()
        .filter(|_| is_number)?;
    let c = char::from_u32(code)
        .filter(|c| *c != '\0')
        .unwrap_or('\u{fffd}');
    Some((c.to_string(), length))
}

/// Resolves backslash escapes and references.
pub fn unescape(text: &str) -> String {
    let mut output = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let next = rest[first.len_utf8()..].chars().next();
        if let (true, Some((value, length))) = (first == '&', entity(rest)) {
            output.push_str(&value);
            rest = &rest[length..];
        } else if let (true, Some(c)) = (first == '\\', next.filter(char::is_ascii_punctuation)) {
            output.push(c);
            rest = &rest[2..];
        } else {
            output.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    output
}
