//! The generic traits: values, formats, and what is between them.

use std::collections::BTreeMap;
use std::fmt;

/// An error of a format, made from a message.
pub trait Fault: Sized + fmt::Display {
    /// An error with this message.
    fn custom(message: impl fmt::Display) -> Self;
}

/// An error that is its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl Fault for Error {
    fn custom(message: impl fmt::Display) -> Self {
        Error(message.to_string())
    }
}

/// A value that can be written in every format.
pub trait Encode {
    /// Writes the value.
    fn encode<S: Sink>(&self, sink: S) -> Result<S::Out, S::Error>;
}

/// A format to write one value in.
pub trait Sink: Sized {
    /// What a written value gives.
    type Out;
    /// The error.
    type Error: Fault;
    /// A list that is being written.
    type Seq: SeqSink<Out = Self::Out, Error = Self::Error>;
    /// A map that is being written.
    type Map: MapSink<Out = Self::Out, Error = Self::Error>;

    /// Writes nothing.
    fn null(self) -> Result<Self::Out, Self::Error>;
    /// Writes a bool.
    fn bool(self, value: bool) -> Result<Self::Out, Self::Error>;
    /// Writes a number.
    fn int(self, value: i64) -> Result<Self::Out, Self::Error>;
    /// Writes a text.
    fn text(self, value: &str) -> Result<Self::Out, Self::Error>;
    /// Begins a list.
    fn seq(self, len: Option<usize>) -> Result<Self::Seq, Self::Error>;
    /// Begins a map.
    fn map(self, len: Option<usize>) -> Result<Self::Map, Self::Error>;
}

/// A list that is being written.
pub trait SeqSink {
    /// What the list gives.
    type Out;
    /// The error.
    type Error: Fault;
    /// Writes the next item.
    fn item<T: Encode + ?Sized>(&mut self, item: &T) -> Result<(), Self::Error>;
    /// Ends the list.
    fn end(self) -> Result<Self::Out, Self::Error>;
}

/// A map that is being written.
pub trait MapSink {
    /// What the map gives.
    type Out;
    /// The error.
    type Error: Fault;
    /// Writes the next entry.
    fn entry<K: Encode + ?Sized, V: Encode + ?Sized>(&mut self, key: &K, value: &V) -> Result<(), Self::Error>;
    /// Ends the map.
    fn end(self) -> Result<Self::Out, Self::Error>;
}

/// A value that can be read. It owns all that it has.
pub trait Decode: Sized {
    /// Reads the value.
    fn decode<D: Decoder>(decoder: D) -> Result<Self, D::Error>;
}

/// One value in some format.
pub trait Decoder: Sized {
    /// The error.
    type Error: Fault;
    /// Reads the value, and gives it to the method of the visitor for its kind.
    fn any<V: Visitor>(self, visitor: V) -> Result<V::Out, Self::Error>;
}

/// Takes a value of any kind.
pub trait Visitor: Sized {
    /// What is made of the value.
    type Out;

    /// Writes what this visitor takes.
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// Takes nothing.
    fn null<E: Fault>(self) -> Result<Self::Out, E> {
        Err(unexpected("null", self))
    }
    /// Takes a bool.
    fn bool<E: Fault>(self, _value: bool) -> Result<Self::Out, E> {
        Err(unexpected("a bool", self))
    }
    /// Takes a number.
    fn int<E: Fault>(self, _value: i64) -> Result<Self::Out, E> {
        Err(unexpected("a number", self))
    }
    /// Takes a text.
    fn text<E: Fault>(self, _value: String) -> Result<Self::Out, E> {
        Err(unexpected("a text", self))
    }
    /// Takes a list.
    fn seq<A: SeqAccess>(self, _items: A) -> Result<Self::Out, A::Error> {
        Err(unexpected("a list", self))
    }
    /// Takes a map.
    fn map<A: MapAccess>(self, _entries: A) -> Result<Self::Out, A::Error> {
        Err(unexpected("a map", self))
    }
}

fn unexpected<V: Visitor, E: Fault>(found: &str, visitor: V) -> E {
    let expected = fmt::from_fn(|f| visitor.expecting(f));
    E::custom(format_args!("expected {expected}, found {found}"))
}

/// The items of a list.
pub trait SeqAccess {
    /// The error.
    type Error: Fault;
    /// The next item.
    fn next<T: Decode>(&mut self) -> Result<Option<T>, Self::Error>;
}

/// The entries of a map.
pub trait MapAccess {
    /// The error.
    type Error: Fault;
    /// The next key.
    fn key<T: Decode>(&mut self) -> Result<Option<T>, Self::Error>;
    /// The value of that key.
    fn value<T: Decode>(&mut self) -> Result<T, Self::Error>;
}

macro_rules! plain {
    ($($kind:ident: $type:ty, $what:literal, ($($value:ident)?) => $out:expr;)*) => {$(
        impl Encode for $type {
            fn encode<S: Sink>(&self, sink: S) -> Result<S::Out, S::Error> {
                $(let $value = *self;)?
                sink.$kind($($value)?)
            }
        }

        impl Decode for $type {
            fn decode<D: Decoder>(decoder: D) -> Result<Self, D::Error> {
                struct Plain;
                impl Visitor for Plain {
                    type Out = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($what)
                    }
                    fn $kind<E: Fault>(self $(, $value: $type)?) -> Result<$type, E> {
                        Ok($out)
                    }
                }
                decoder.any(Plain)
            }
        }
    )*};
}

plain! {
    null: (), "null", () => ();
    bool: bool, "a bool", (value) => value;
    int: i64, "a number", (value) => value;
}

impl Decode for String {
    fn decode<D: Decoder>(decoder: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor for Text {
            type Out = String;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }
            fn text<E: Fault>(self, value: String) -> Result<String, E> {
                Ok(value)
            }
        }
        decoder.any(Text)
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode<D: Decoder>(decoder: D) -> Result<Self, D::Error> {
        struct List<T>(Vec<T>);
        impl<T: Decode> Visitor for List<T> {
            type Out = Vec<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn seq<A: SeqAccess>(mut self, mut items: A) -> Result<Vec<T>, A::Error> {
                while let Some(item) = items.next()? {
                    self.0.push(item);
                }
                Ok(self.0)
            }
        }
        decoder.any(List(Vec::new()))
    }
}

impl Encode for str {
    fn encode<S: Sink>(&self, sink: S) -> Result<S::Out, S::Error> {
        sink.text(self)
    }
}

impl Encode for String {
    fn encode<S: Sink>(&self, sink: S) -> Result<S::Out, S::Error> {
        sink.text(self)
    }
}

impl<T: Encode + ?Sized> Encode for &T {
    fn encode<S: Sink>(&self, sink: S) -> Result<S::Out, S::Error> {
        (**self).encode(sink)
    }
}

impl<T: Encode + ?Sized> Encode for Box<T> {
    fn encode<S: Sink>(&self, sink: S) -> Result<S::Out, S::Error> {
        (**self).encode(sink)
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode<S: Sink>(&self, sink: S) -> Result<S::Out, S::Error> {
        match self {
            Some(value) => value.encode(sink),
            None => sink.null(),
        }
    }
}

impl<T: Encode> Encode for [T] {
    fn encode<S: Sink>(&self, sink: S) -> Result<S::Out, S::Error> {
        let mut seq = sink.seq(Some(self.len()))?;
        for item in self {
            seq.item(item)?;
        }
        seq.end()
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode<S: Sink>(&self, sink: S) -> Result<S::Out, S::Error> {
        self.as_slice().encode(sink)
    }
}

impl<K: Encode, V: Encode> Encode for BTreeMap<K, V> {
    fn encode<S: Sink>(&self, sink: S) -> Result<S::Out, S::Error> {
        let mut map = sink.map(Some(self.len()))?;
        for (key, value) in self {
            map.entry(key, value)?;
        }
        map.end()
    }
}

impl<A: Encode, B: Encode> Encode for (A, B) {
    fn encode<S: Sink>(&self, sink: S) -> Result<S::Out, S::Error> {
        let mut seq = sink.seq(Some(2))?;
        seq.item(&self.0)?;
        seq.item(&self.1)?;
        seq.end()
    }
}
