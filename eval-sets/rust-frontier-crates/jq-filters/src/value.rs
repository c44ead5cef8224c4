//! JSON values: what they are, how they compare, how they are read and written.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};

/// A JSON value. Members of an object are kept, and visited, in the order of their names.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

/// A text is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotJson;

impl Value {
    /// Reads one JSON text (RFC 8259), with white space around it.
    pub fn parse(text: &str) -> Result<Value, NotJson> {
        let mut reader = Reader { rest: text };
        let value = reader.value()?;
        reader.skip_space();
        if reader.rest.is_empty() {
            Ok(value)
        } else {
            Err(NotJson)
        }
    }

    /// The name of the type, as jq's `type` gives it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        }
    }

    /// `false` and `null` are false; every other value is true.
    pub fn is_true(&self) -> bool {
        !matches!(self, Value::Null | Value::Bool(false))
    }

    /// jq's order: null, false, true, numbers, strings by code points, arrays, objects. Objects compare first by their sets of
    /// names, as sorted arrays, then value by value in the order of the names. NaN is below every number.
    pub fn order(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => a.partial_cmp(b).unwrap_or(if a.is_nan() {
                Ordering::Less
            } else {
                Ordering::Greater
            }),
            (Value::String(a), Value::String(b)) => a.cmp(b),
            (Value::Array(a), Value::Array(b)) => order_of_lists(a.iter(), b.iter()),
            (Value::Object(a), Value::Object(b)) => a
                .keys()
                .cmp(b.keys())
                .then_with(|| order_of_lists(a.values(), b.values())),
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Value::Null => 0,
            Value::Bool(false) => 1,
            Value::Bool(true) => 2,
            Value::Number(_) => 3,
            Value::String(_) => 4,
            Value::Array(_) => 5,
            Value::Object(_) => 6,
        }
    }
}

fn order_of_lists<'a>(
    mut left: impl Iterator<Item = &'a Value>,
    mut right: impl Iterator<Item = &'a Value>,
) -> Ordering {
    loop {
        match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => match a.order(b) {
                Ordering::Equal => {}
                unequal => return unequal,
            },
        }
    }
}

/// Writes compact JSON, as `tojson` does. NaN is written as `null`, infinities as the largest finite numbers.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Number(number) if number.is_nan() => f.write_str("null"),
            Value::Number(number) => write!(f, "{}", number.clamp(f64::MIN, f64::MAX)),
            Value::String(text) => write_string(f, text),
            Value::Array(items) => {
                f.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_char(',')?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_char(']')
            }
            Value::Object(members) => {
                f.write_char('{')?;
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        f.write_char(',')?;
                    }
                    write_string(f, name)?;
                    write!(f, ":{value}")?;
                }
                f.write_char('}')
            }
        }
    }
}

fn write_string(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            c if c < ' ' || c == '\u{7f}' => write!(f, "\\u{:04x}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let stripped = self.rest.strip_prefix(token);
        self.rest = stripped.unwrap_or(self.rest);
        stripped.is_some()
    }

    fn value(&mut self) -> Result<Value, NotJson> {
        for (word, value) in [
            ("null", Value::Null),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
        ] {
            if self.eat(word) {
                return Ok(value);
            }
        }
        match self.rest.chars().next() {
            Some('[') => self.array(),
            Some('{') => self.object(),
            Some('"') => self.string().map(Value::String),
            _ => self.number(),
        }
    }

    fn array(&mut self) -> Result<Value, NotJson> {
        let mut items = Vec::new();
        self.eat("[");
        if self.eat("]") {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value()?);
            if self.eat("]") {
                return Ok(Value::Array(items));
            }
            if !self.eat(",") {
                return Err(NotJson);
            }
        }
    }

    fn object(&mut self) -> Result<Value, NotJson> {
        let mut members = BTreeMap::new();
        self.eat("{");
        if self.eat("}") {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip_space();
            let name = self.string()?;
            if !self.eat(":") {
                return Err(NotJson);
            }
            members.insert(name, self.value()?);
            if self.eat("}") {
                return Ok(Value::Object(members));
            }
            if !self.eat(",") {
                return Err(NotJson);
            }
        }
    }

    fn number(&mut self) -> Result<Value, NotJson> {
        let end = self
            .rest
            .find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'))
            .unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let unsigned = digits.strip_prefix('-').unwrap_or(digits);
        let whole = unsigned.split(['.', 'e', 'E']).next().unwrap_or_default();
        let well_formed = unsigned.starts_with(|c: char| c.is_ascii_digit())
            && (whole == "0" || !whole.starts_with('0'))
            && !unsigned.ends_with('.')
            && !unsigned.contains(".e")
            && !unsigned.contains(".E");
        match digits.parse() {
            Ok(number) if well_formed => {
                self.rest = rest;
                Ok(Value::Number(number))
            }
            _ => Err(NotJson),
        }
    }

    fn string(&mut self) -> Result<String, NotJson> {
        let mut text = String::new();
        let mut chars = self.rest.chars();
        if chars.next() != Some('"') {
            return Err(NotJson);
        }
        loop {
            match chars.next().ok_or(NotJson)? {
                '"' => break,
                '\\' => {
                    let (c, rest) = escape(chars.as_str())?;
                    text.push(c);
                    chars = rest.chars();
                }
                c if c < ' ' => return Err(NotJson),
                c => text.push(c),
            }
        }
        self.rest = chars.as_str();
        Ok(text)
    }
}

/// Reads an escape sequence after its backslash: the character and what follows.
pub fn escape(text: &str) -> Result<(char, &str), NotJson> {
    let mut chars = text.chars();
    let c = match chars.next().ok_or(NotJson)? {
        c @ ('"' | '\\' | '/') => c,
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => return code_point(chars.as_str()),
        _ => return Err(NotJson),
    };
    Ok((c, chars.as_str()))
}

fn code_point(text: &str) -> Result<(char, &str), NotJson> {
    let (high, rest) = four_digits(text)?;
    if !(0xd800..0xdc00).contains(&high) {
        return Ok((char::from_u32(high).unwrap_or('\u{fffd}'), rest));
    }
    match rest.strip_prefix("\\u").map(four_digits) {
        Some(Ok((low, rest))) if (0xdc00..0xe000).contains(&low) => {
            let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            Ok((char::from_u32(code).unwrap_or('\u{fffd}'), rest))
        }
        _ => Ok(('\u{fffd}', rest)),
    }
}

fn four_digits(text: &str) -> Result<(u32, &str), NotJson> {
    let digits = text.get(..4).ok_or(NotJson)?;
    if digits.chars().all(|c| c.is_ascii_hexdigit()) {
        let code = u32::from_str_radix(digits, 16).map_err(|_| NotJson)?;
        Ok((code, &text[4..]))
    } else {
        Err(NotJson)
    }
}
