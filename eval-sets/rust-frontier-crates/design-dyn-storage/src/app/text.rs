//! A format for people: `{name: "x", tags: [1, true, null, bare]}`. A quoted text may have `\n`, `\"`
//! and `\\`; it is borrowed if it has none of them.

use crate::model::{
    Decode, Decoder, Encode, Fault, MapAccess, MapSink, Seed, SeqAccess, SeqSink, Sink, Visitor,
};
use std::fmt::{self, Write};

/// Where and why. Not made of a message alone, so nothing can make it up again.
#[derive(Debug, PartialEq, Eq)]
pub struct TextError {
    pub at: Option<usize>,
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Fault for TextError {
    fn custom(message: impl fmt::Display) -> Self {
        TextError { at: None, message: message.to_string() }
    }
}

pub fn to_text<T: Encode + ?Sized>(value: &T) -> Result<String, TextError> {
    let mut out = String::new();
    value.encode(TextSink { out: &mut out, depth: 0 })?;
    Ok(out)
}

pub fn from_text<'de, T: Decode<'de>>(text: &'de str) -> Result<T, TextError> {
    let mut input = TextInput::new(text);
    let value = T::decode(input.decoder())?;
    input.end()?;
    Ok(value)
}

/// Writes to a string, at most eight levels deep.
pub struct TextSink<'o> {
    out: &'o mut String,
    depth: usize,
}

impl<'o> TextSink<'o> {
    pub fn new(out: &'o mut String) -> Self {
        TextSink { out, depth: 0 }
    }

    fn open(self, with: char) -> Result<TextParts<'o>, TextError> {
        if self.depth == 8 {
            return Err(TextError { at: Some(self.out.len()), message: "too deep".into() });
        }
        self.out.push(with);
        Ok(TextParts { out: self.out, depth: self.depth + 1, first: true })
    }
}

pub struct TextParts<'o> {
    out: &'o mut String,
    depth: usize,
    first: bool,
}

impl TextParts<'_> {
    fn part(&mut self, separator: &str) -> TextSink<'_> {
        if !std::mem::take(&mut self.first) {
            self.out.push_str(separator);
        }
        TextSink { out: self.out, depth: self.depth }
    }
}

impl<'o> Sink for TextSink<'o> {
    type Out = usize;
    type Error = TextError;
    type Seq = TextParts<'o>;
    type Map = TextMap<'o>;

    fn null(self) -> Result<usize, TextError> {
        self.out.push_str("null");
        Ok(self.out.len())
    }
    fn bool(self, value: bool) -> Result<usize, TextError> {
        let _ = write!(self.out, "{value}");
        Ok(self.out.len())
    }
    fn int(self, value: i64) -> Result<usize, TextError> {
        let _ = write!(self.out, "{value}");
        Ok(self.out.len())
    }
    fn text(self, value: &str) -> Result<usize, TextError> {
        let _ = write!(self.out, "{value:?}");
        Ok(self.out.len())
    }
    fn seq(self, _len: Option<usize>) -> Result<TextParts<'o>, TextError> {
        self.open('[')
    }
    fn map(self, _len: Option<usize>) -> Result<TextMap<'o>, TextError> {
        self.open('{').map(TextMap)
    }
}

impl SeqSink for TextParts<'_> {
    type Out = usize;
    type Error = TextError;

    fn item<T: Encode + ?Sized>(&mut self, item: &T) -> Result<(), TextError> {
        item.encode(self.part(", ")).map(drop)
    }
    fn end(self) -> Result<usize, TextError> {
        self.out.push(']');
        Ok(self.out.len())
    }
}

pub struct TextMap<'o>(TextParts<'o>);

impl MapSink for TextMap<'_> {
    type Out = usize;
    type Error = TextError;

    fn entry<K: Encode + ?Sized, V: Encode + ?Sized>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Result<(), TextError> {
        key.encode(self.0.part(", "))?;
        self.0.first = true;
        self.0.out.push_str(": ");
        value.encode(self.0.part(""))?;
        Ok(())
    }
    fn end(self) -> Result<usize, TextError> {
        self.0.out.push('}');
        Ok(self.0.out.len())
    }
}

/// A text that is being read.
pub struct TextInput<'de> {
    text: &'de str,
    at: usize,
}

impl<'de> TextInput<'de> {
    pub fn new(text: &'de str) -> Self {
        TextInput { text, at: 0 }
    }

    pub fn decoder(&mut self) -> TextDecoder<'_, 'de> {
        TextDecoder(self)
    }

    pub fn end(mut self) -> Result<(), TextError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error("expected the end")),
        }
    }

    fn error(&self, message: &str) -> TextError {
        TextError { at: Some(self.at), message: message.into() }
    }

    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\n', ',', ':']).len();
        self.text[self.at..].chars().next()
    }

    fn word(&mut self) -> &'de str {
        let rest = &self.text[self.at..];
        let word = rest.split([' ', '\n', ',', ':', '[', ']', '{', '}', '"']).next().unwrap_or("");
        self.at += word.len();
        word
    }
}

pub struct TextDecoder<'i, 'de>(&'i mut TextInput<'de>);

impl<'de> Decoder<'de> for TextDecoder<'_, 'de> {
    type Error = TextError;

    fn any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Out, TextError> {
        let input = self.0;
        match input.peek() {
            None => Err(input.error("expected a value")),
            Some('[') => {
                input.at += 1;
                let out = visitor.seq(Parts { input, close: ']' })?;
                close(input, ']')?;
                Ok(out)
            }
            Some('{') => {
                input.at += 1;
                let out = visitor.map(Parts { input, close: '}' })?;
                close(input, '}')?;
                Ok(out)
            }
            Some('"') => {
                let rest = &input.text[input.at + 1..];
                let mut escaped = false;
                let end = rest.find(|c| {
                    let quote = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    quote
                });
                let Some(end) = end else { return Err(input.error("expected a quote")) };
                let text = &rest[..end];
                input.at += end + 2;
                if text.contains('\\') {
                    let text = text.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\");
                    visitor.text(&text)
                } else {
                    visitor.borrowed_text(text)
                }
            }
            Some(_) => match input.word() {
                "null" => visitor.null(),
                "true" => visitor.bool(true),
                "false" => visitor.bool(false),
                "" => Err(input.error("expected a value")),
                word => match word.parse() {
                    Ok(value) => visitor.int(value),
                    Err(_) => visitor.borrowed_text(word),
                },
            },
        }
    }
}

fn close(input: &mut TextInput<'_>, with: char) -> Result<(), TextError> {
    if input.peek() != Some(with) {
        return Err(input.error("expected the end of a list or map"));
    }
    input.at += 1;
    Ok(())
}

struct Parts<'i, 'de> {
    input: &'i mut TextInput<'de>,
    close: char,
}

impl<'de> Parts<'_, 'de> {
    fn part<S: Seed<'de>>(&mut self, seed: S) -> Result<Option<S::Out>, TextError> {
        if self.input.peek() == Some(self.close) {
            return Ok(None);
        }
        seed.decode(self.input.decoder()).map(Some)
    }
}

impl<'de> SeqAccess<'de> for Parts<'_, 'de> {
    type Error = TextError;

    fn next_seed<S: Seed<'de>>(&mut self, seed: S) -> Result<Option<S::Out>, TextError> {
        self.part(seed)
    }
}

impl<'de> MapAccess<'de> for Parts<'_, 'de> {
    type Error = TextError;

    fn key_seed<S: Seed<'de>>(&mut self, seed: S) -> Result<Option<S::Out>, TextError> {
        self.part(seed)
    }
    fn value_seed<S: Seed<'de>>(&mut self, seed: S) -> Result<S::Out, TextError> {
        seed.decode(self.input.decoder())
    }
}
