//! The values of SQLite, and what its operators and scalar functions make of them.

use std::cmp::Ordering;

/// A value of SQLite.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

use Value::{Blob, Integer, Null, Real, Text};

/// The affinity of an expression; `None` is that of expressions that are neither columns nor CASTs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Affinity {
    None,
    Blob,
    Text,
    Numeric,
    Integer,
    Real,
}

/// A collating function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Collation {
    Binary,
    NoCase,
    RTrim,
}

/// A value with what a comparison wants to know of its expression.
#[derive(Debug, Clone)]
pub struct Operand {
    pub value: Value,
    pub affinity: Affinity,
    pub collation: Option<Collation>,
    /// TRUE or FALSE as a literal.
    pub truth: Option<bool>,
}

impl From<Value> for Operand {
    fn from(value: Value) -> Self {
        Operand {
            value,
            affinity: Affinity::None,
            collation: None,
            truth: None,
        }
    }
}

/// 1, 0 or NULL.
pub fn boolean(value: Option<bool>) -> Value {
    value.map_or(Null, |value| Integer(i64::from(value)))
}

/// The length of the number at the start, without a sign, and whether it is a real.
pub fn number_length(bytes: &[u8]) -> (usize, bool) {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(0);
    let mut length = whole;
    let mut real = false;
    if bytes.get(length) == Some(&b'.') {
        let fraction = digits(length + 1);
        if whole + fraction > 0 {
            length += 1 + fraction;
            real = true;
        }
    }
    if length > 0 && matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        if length + 1 + sign < bytes.len() {
            let exponent = digits(length + 1 + sign);
            if exponent > 0 {
                length += 1 + sign + exponent;
                real = true;
            }
        }
    }
    (length, real)
}

/// The number at the start of a text, and whether it is all of the text but blanks.
pub fn prefix(text: &str) -> (Value, bool) {
    let trimmed = text.trim_start_matches(is_space);
    let (sign, digits) = match trimmed.as_bytes().first() {
        Some(b'-') => ("-", &trimmed[1..]),
        Some(b'+') => ("", &trimmed[1..]),
        _ => ("", trimmed),
    };
    let (length, real) = number_length(digits.as_bytes());
    if length == 0 {
        return (Integer(0), false);
    }
    let all = digits[length..].trim_end_matches(is_space).is_empty();
    let literal = format!("{sign}{}", &digits[..length]);
    let value = match literal.parse::<i64>() {
        Ok(value) if !real => Integer(value),
        _ => Real(literal.parse().unwrap_or(0.0)),
    };
    (value, all)
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

fn real_to_integer(value: f64) -> i64 {
    value as i64
}

fn real_text(value: f64) -> String {
    let scientific = format!("{value:.14e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let negative = mantissa.starts_with('-');
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_end_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    let body = if !(-4..15).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{first}.{rest}e{sign}{:02}", exponent.abs())
    } else if exponent < 0 {
        format!("0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1))
    } else {
        let whole = exponent as usize + 1;
        let padded = format!("{digits:0<whole$}");
        let (before, after) = padded.split_at(whole);
        format!("{before}.{}", if after.is_empty() { "0" } else { after })
    };
    format!("{}{body}", if negative { "-" } else { "" })
}

/// A value as text; NULL is empty.
pub fn text_of(value: &Value) -> String {
    match value {
        Null => String::new(),
        Integer(value) => value.to_string(),
        Real(value) => real_text(*value),
        Text(text) => text.clone(),
        Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// An integer or a real, for arithmetic.
pub fn numeric(value: &Value) -> Value {
    match value {
        Text(text) => prefix(text).0,
        Blob(_) => prefix(&text_of(value)).0,
        other => other.clone(),
    }
}

/// A value as a real; what is no number is 0.0.
pub fn as_real(value: &Value) -> f64 {
    match numeric(value) {
        Integer(value) => value as f64,
        Real(value) => value,
        _ => 0.0,
    }
}

/// A value as CAST to INTEGER makes it; NULL is 0.
pub fn as_integer(value: &Value) -> i64 {
    match value {
        Integer(value) => *value,
        Real(value) => real_to_integer(*value),
        Text(_) | Blob(_) => {
            let text = text_of(value);
            let trimmed = text.trim_start_matches(is_space);
            let negative = trimmed.starts_with('-');
            let digits = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
            let digits = &digits[..digits.bytes().take_while(u8::is_ascii_digit).count()];
            let limit = if negative { i64::MIN } else { i64::MAX };
            if digits.is_empty() {
                return 0;
            }
            format!("{}{digits}", if negative { "-" } else { "" }).parse().unwrap_or(limit)
        }
        Null => 0,
    }
}

/// Whether a value is true; none for NULL.
pub fn truth(value: &Value) -> Option<bool> {
    match value {
        Null => None,
        Integer(value) => Some(*value != 0),
        other => Some(as_real(other) != 0.0),
    }
}

/// Converts a text that is a number, as numeric affinity does.
pub fn to_numeric(value: &Value) -> Value {
    if let Text(text) = value {
        if let (number, true) = prefix(text) {
            return number;
        }
    }
    value.clone()
}

/// The affinity of a type, by its name in upper case.
pub fn affinity_of(name: &str) -> Affinity {
    let has = |part: &str| name.contains(part);
    if has("INT") {
        Affinity::Integer
    } else if has("CHAR") || has("CLOB") || has("TEXT") {
        Affinity::Text
    } else if has("BLOB") || name.is_empty() {
        Affinity::Blob
    } else if has("REAL") || has("FLOA") || has("DOUB") {
        Affinity::Real
    } else {
        Affinity::Numeric
    }
}

/// CAST.
pub fn cast(value: Value, affinity: Affinity) -> Value {
    if value == Null {
        return Null;
    }
    match affinity {
        Affinity::Text => Text(text_of(&value)),
        Affinity::Blob | Affinity::None => match value {
            Blob(bytes) => Blob(bytes),
            other => Blob(text_of(&other).into_bytes()),
        },
        Affinity::Real => Real(as_real(&value)),
        Affinity::Integer => Integer(as_integer(&value)),
        Affinity::Numeric => match numeric(&value) {
            Real(real) if !matches!(value, Real(_)) && real == real.trunc() && real.abs() < 9e18 => Integer(real as i64),
            number => number,
        },
    }
}

fn compare_numbers(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Integer(left), Integer(right)) => left.cmp(right),
        (Integer(left), Real(right)) => compare_mixed(*left, *right),
        (Real(left), Integer(right)) => compare_mixed(*right, *left).reverse(),
        (Real(left), Real(right)) => left.partial_cmp(right).unwrap_or(Ordering::Equal),
        _ => Ordering::Equal,
    }
}

fn compare_mixed(left: i64, right: f64) -> Ordering {
    if right >= 9_223_372_036_854_775_808.0 {
        return Ordering::Less;
    }
    if right < -9_223_372_036_854_775_808.0 {
        return Ordering::Greater;
    }
    let whole = right.trunc();
    left.cmp(&(whole as i64))
        .then_with(|| 0.0f64.partial_cmp(&(right - whole)).unwrap_or(Ordering::Equal))
}

fn class(value: &Value) -> u8 {
    match value {
        Null => 0,
        Integer(_) | Real(_) => 1,
        Text(_) => 2,
        Blob(_) => 3,
    }
}

/// The order of two values, as they are; NULL comes first.
pub fn compare(left: &Value, right: &Value, collation: Collation) -> Ordering {
    match (left, right) {
        (Text(left), Text(right)) => match collation {
            Collation::Binary => left.cmp(right),
            Collation::NoCase => left.to_ascii_lowercase().cmp(&right.to_ascii_lowercase()),
            Collation::RTrim => left.trim_end_matches(' ').cmp(right.trim_end_matches(' ')),
        },
        (Blob(left), Blob(right)) => left.cmp(right),
        _ if class(left) == 1 && class(right) == 1 => compare_numbers(left, right),
        _ => class(left).cmp(&class(right)),
    }
}

fn is_numeric(affinity: Affinity) -> bool {
    matches!(affinity, Affinity::Numeric | Affinity::Integer | Affinity::Real)
}

/// The order of two operands, after their affinities are applied.
fn order(left: &Operand, right: &Operand) -> Ordering {
    let (mut a, mut b) = (left.value.clone(), right.value.clone());
    if is_numeric(left.affinity) && !is_numeric(right.affinity) {
        b = to_numeric(&b);
    } else if is_numeric(right.affinity) && !is_numeric(left.affinity) {
        a = to_numeric(&a);
    } else if left.affinity == Affinity::Text && right.affinity == Affinity::None {
        b = to_text(b);
    } else if right.affinity == Affinity::Text && left.affinity == Affinity::None {
        a = to_text(a);
    }
    compare(&a, &b, left.collation.or(right.collation).unwrap_or(Collation::Binary))
}

fn to_text(value: Value) -> Value {
    match value {
        Integer(_) | Real(_) => Text(text_of(&value)),
        other => other,
    }
}

/// A comparison; none if a side is NULL. The collation of the left side, if it has one, goes before that of the right.
pub fn compared(left: &Operand, right: &Operand, test: impl Fn(Ordering) -> bool) -> Option<bool> {
    if left.value == Null || right.value == Null {
        return None;
    }
    Some(test(order(left, right)))
}

/// AND.
pub fn and(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// OR.
pub fn or(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    and(left.map(|left| !left), right.map(|right| !right)).map(|value| !value)
}

/// `text LIKE pattern ESCAPE escape`.
pub fn like(pattern: &[char], text: &[char], escape: Option<char>) -> bool {
    let Some((&first, rest)) = pattern.split_first() else {
        return text.is_empty();
    };
    if Some(first) == escape {
        let Some((&literal, rest)) = rest.split_first() else {
            return false;
        };
        return text.first().is_some_and(|next| next.eq_ignore_ascii_case(&literal)) && like(rest, &text[1..], escape);
    }
    match first {
        '%' => (0..=text.len()).any(|skip| like(rest, &text[skip..], escape)),
        '_' => !text.is_empty() && like(rest, &text[1..], escape),
        _ => text.first().is_some_and(|next| next.eq_ignore_ascii_case(&first)) && like(rest, &text[1..], escape),
    }
}

/// `text GLOB pattern`.
pub fn glob(pattern: &[char], text: &[char]) -> bool {
    let Some((&first, rest)) = pattern.split_first() else {
        return text.is_empty();
    };
    match first {
        '*' => (0..=text.len()).any(|skip| glob(rest, &text[skip..])),
        '?' => !text.is_empty() && glob(rest, &text[1..]),
        '[' => {
            let Some((&next, after)) = text.split_first() else {
                return false;
            };
            match set(rest, next) {
                Some((matched, length)) => matched && glob(&rest[length..], after),
                None => false,
            }
        }
        _ => text.first() == Some(&first) && glob(rest, &text[1..]),
    }
}

/// Whether a set of GLOB holds a character, and the length of the set with its bracket.
fn set(pattern: &[char], next: char) -> Option<(bool, usize)> {
    let mut at = 0;
    let inverted = pattern.first() == Some(&'^');
    at += usize::from(inverted);
    let mut found = false;
    let start = at;
    loop {
        let member = *pattern.get(at)?;
        if member == ']' && at > start {
            return Some((found != inverted, at + 1));
        }
        if pattern.get(at + 1) == Some(&'-') && pattern.get(at + 2).is_some_and(|end| *end != ']') {
            found |= (member..=pattern[at + 2]).contains(&next);
            at += 3;
        } else {
            found |= member == next;
            at += 1;
        }
    }
}

/// The characters of a value as text.
pub fn chars(value: &Value) -> Vec<char> {
    text_of(value).chars().collect()
}

/// `+`, `-`, `*`, `/` or `%`.
pub fn arithmetic(symbol: &str, left: &Value, right: &Value) -> Value {
    if *left == Null || *right == Null {
        return Null;
    }
    let (whole_left, whole_right) = (as_integer(left), as_integer(right));
    let (left, right) = (numeric(left), numeric(right));
    if symbol == "%" {
        if whole_right == 0 {
            return Null;
        }
        let rest = whole_left.wrapping_rem(whole_right);
        return if matches!((&left, &right), (Integer(_), Integer(_))) {
            Integer(rest)
        } else {
            Real(rest as f64)
        };
    }
    if let (Integer(a), Integer(b)) = (&left, &right) {
        let exact = match symbol {
            "+" => a.checked_add(*b),
            "-" => a.checked_sub(*b),
            "*" => a.checked_mul(*b),
            _ if *b == 0 => return Null,
            _ => a.checked_div(*b),
        };
        if let Some(exact) = exact {
            return Integer(exact);
        }
    }
    let (a, b) = (as_real(&left), as_real(&right));
    Real(match symbol {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        _ if b == 0.0 => return Null,
        _ => a / b,
    })
}

/// `&`, `|`, `<<` or `>>`.
pub fn bits(symbol: &str, left: &Value, right: &Value) -> Value {
    if *left == Null || *right == Null {
        return Null;
    }
    let (a, b) = (as_integer(left), as_integer(right));
    Integer(match symbol {
        "&" => a & b,
        "|" => a | b,
        "<<" => shifted(a, b),
        _ => shifted(a, b.saturating_neg()),
    })
}

fn shifted(value: i64, left: i64) -> i64 {
    match left {
        64.. => 0,
        0..=63 => ((value as u64) << left) as i64,
        -63..=-1 => value >> -left,
        _ if value < 0 => -1,
        _ => 0,
    }
}

/// The value of a scalar function, by its name in upper case.
pub fn scalar(name: &str, arguments: &[Operand]) -> Value {
    let value = |index: usize| arguments.get(index).map_or(&Null, |operand| &operand.value);
    let first = value(0);
    match name {
        "COALESCE" | "IFNULL" => arguments
            .iter()
            .map(|operand| &operand.value)
            .find(|value| **value != Null)
            .cloned()
            .unwrap_or(Null),
        "IIF" => value(if truth(first) == Some(true) { 1 } else { 2 }).clone(),
        "TYPEOF" => Text(
            match first {
                Null => "null",
                Integer(_) => "integer",
                Real(_) => "real",
                Text(_) => "text",
                Blob(_) => "blob",
            }
            .to_string(),
        ),
        "QUOTE" => Text(match first {
            Null => "NULL".to_string(),
            Text(text) => format!("'{}'", text.replace('\'', "''")),
            Blob(bytes) => format!("X'{}'", hex(bytes)),
            other => text_of(other),
        }),
        "HEX" => Text(hex(text_bytes(first).as_slice())),
        "CHAR" => Text(
            arguments
                .iter()
                .filter_map(|operand| char::from_u32(as_integer(&operand.value) as u32))
                .collect(),
        ),
        "NULLIF" => match compared(&arguments[0], &arguments[1], |order| order == Ordering::Equal) {
            Some(true) => Null,
            _ => first.clone(),
        },
        _ if arguments.iter().any(|operand| operand.value == Null) => Null,
        "MAX" | "MIN" => extreme(name == "MAX", arguments),
        "ABS" => match first {
            Integer(value) => Integer(value.abs()),
            other => Real(as_real(other).abs()),
        },
        "LENGTH" => Integer(match first {
            Blob(bytes) => bytes.len() as i64,
            other => chars(other).len() as i64,
        }),
        "LIKE" => {
            let escape = arguments.get(2).and_then(|escape| text_of(&escape.value).chars().next());
            boolean(Some(like(&chars(first), &chars(value(1)), escape)))
        }
        "GLOB" => boolean(Some(glob(&chars(first), &chars(value(1))))),
        "LOWER" => Text(text_of(first).to_ascii_lowercase()),
        "UPPER" => Text(text_of(first).to_ascii_uppercase()),
        "UNICODE" => text_of(first)
            .chars()
            .next()
            .map_or(Null, |character| Integer(i64::from(u32::from(character)))),
        "INSTR" => {
            let position = text_of(first).find(&text_of(value(1)));
            Integer(position.map_or(0, |position| position as i64 + 1))
        }
        "REPLACE" => {
            let pattern = text_of(value(1));
            if pattern.is_empty() {
                return first.clone();
            }
            Text(text_of(first).replace(&pattern, &text_of(value(2))))
        }
        "ROUND" => Real(rounded(
            as_real(first),
            arguments.get(1).map_or(0, |digits| as_integer(&digits.value)),
        )),
        "SUBSTR" => substr(
            &chars(first),
            as_integer(value(1)),
            arguments.get(2).map(|length| as_integer(&length.value)),
        ),
        "TRIM" | "LTRIM" | "RTRIM" => {
            let set = arguments.get(1).map_or(vec![' '], |set| chars(&set.value));
            let mut text = text_of(first);
            if name != "RTRIM" {
                text = text.trim_start_matches(set.as_slice()).to_string();
            }
            if name != "LTRIM" {
                text = text.trim_end_matches(set.as_slice()).to_string();
            }
            Text(text)
        }
        _ => Null,
    }
}

fn text_bytes(value: &Value) -> Vec<u8> {
    match value {
        Blob(bytes) => bytes.clone(),
        other => text_of(other).into_bytes(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn extreme(greatest: bool, arguments: &[Operand]) -> Value {
    let collation = arguments.iter().find_map(|operand| operand.collation).unwrap_or(Collation::Binary);
    let mut best = &arguments[0].value;
    for operand in &arguments[1..] {
        let order = compare(&operand.value, best, collation);
        if order == if greatest { Ordering::Greater } else { Ordering::Less } {
            best = &operand.value;
        }
    }
    best.clone()
}

fn rounded(value: f64, digits: i64) -> f64 {
    let digits = digits.clamp(0, 30) as usize;
    if value.abs() > 4_503_599_627_370_496.0 {
        return value;
    }
    if digits == 0 {
        return value.round();
    }
    format!("{value:.digits$}").parse().unwrap_or(value)
}

fn substr(text: &[char], start: i64, length: Option<i64>) -> Value {
    let size = text.len() as i64;
    // Positions from 0; the end is exclusive.
    let mut from = match start {
        1.. => start - 1,
        0 => -1,
        _ => size.saturating_add(start),
    };
    let mut to = match length {
        None => size,
        Some(length) if length >= 0 => from.saturating_add(length),
        Some(length) => {
            let end = from;
            from = end.saturating_add(length);
            end
        }
    };
    if start == 0 && length.is_none() {
        from = 0;
    }
    from = from.clamp(0, size);
    to = to.clamp(from, size);
    Text(text[from as usize..to as usize].iter().collect())
}
