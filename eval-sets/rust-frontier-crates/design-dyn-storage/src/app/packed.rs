//! A value in memory as a format: what is decoded from it borrows from it.

use crate::model::{
    Decode, Decoder, Encode, Error, Fault, MapAccess, MapSink, Seed, SeqAccess, SeqSink, Sink, Visitor,
};
use std::borrow::Cow;
use std::fmt;

/// Any value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Text(Cow<'v, str>),
    Seq(Vec<Value<'v>>),
    Map(Vec<(Value<'v>, Value<'v>)>),
}

impl Encode for Value<'_> {
    fn encode<S: Sink>(&self, sink: S) -> Result<S::Out, S::Error> {
        match self {
            Value::Null => sink.null(),
            Value::Bool(value) => value.encode(sink),
            Value::Int(value) => value.encode(sink),
            Value::Text(value) => value.encode(sink),
            Value::Seq(items) => items.encode(sink),
            Value::Map(entries) => {
                let mut map = sink.map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de: 'v, 'v> Decode<'de> for Value<'v> {
    fn decode<D: Decoder<'de>>(decoder: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Out = Value<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn null<E: Fault>(self) -> Result<Value<'de>, E> {
                Ok(Value::Null)
            }
            fn bool<E: Fault>(self, value: bool) -> Result<Value<'de>, E> {
                Ok(Value::Bool(value))
            }
            fn int<E: Fault>(self, value: i64) -> Result<Value<'de>, E> {
                Ok(Value::Int(value))
            }
            fn text<E: Fault>(self, value: &str) -> Result<Value<'de>, E> {
                Ok(Value::Text(Cow::Owned(value.to_owned())))
            }
            fn borrowed_text<E: Fault>(self, value: &'de str) -> Result<Value<'de>, E> {
                Ok(Value::Text(Cow::Borrowed(value)))
            }
            fn seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value<'de>, A::Error> {
                let mut all = Vec::new();
                while let Some(item) = items.next()? {
                    all.push(item);
                }
                Ok(Value::Seq(all))
            }
            fn map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value<'de>, A::Error> {
                let mut all = Vec::new();
                while let Some(key) = entries.key()? {
                    all.push((key, entries.value()?));
                }
                Ok(Value::Map(all))
            }
        }
        decoder.any(Any)
    }
}

impl<'de> Decoder<'de> for &'de Value<'_> {
    type Error = Error;

    fn any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Out, Error> {
        match self {
            Value::Null => visitor.null(),
            Value::Bool(value) => visitor.bool(*value),
            Value::Int(value) => visitor.int(*value),
            Value::Text(value) => visitor.borrowed_text(value),
            Value::Seq(items) => visitor.seq(Items(items.iter())),
            Value::Map(entries) => visitor.map(Entries(entries.iter(), None)),
        }
    }
}

struct Items<'de, 'v>(std::slice::Iter<'de, Value<'v>>);

impl<'de> SeqAccess<'de> for Items<'de, '_> {
    type Error = Error;

    fn next_seed<S: Seed<'de>>(&mut self, seed: S) -> Result<Option<S::Out>, Error> {
        self.0.next().map(|value| seed.decode(value)).transpose()
    }
    fn left(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Entries<'de, 'v>(std::slice::Iter<'de, (Value<'v>, Value<'v>)>, Option<&'de Value<'v>>);

impl<'de> MapAccess<'de> for Entries<'de, '_> {
    type Error = Error;

    fn key_seed<S: Seed<'de>>(&mut self, seed: S) -> Result<Option<S::Out>, Error> {
        let Some((key, value)) = self.0.next() else { return Ok(None) };
        self.1 = Some(value);
        seed.decode(key).map(Some)
    }
    fn value_seed<S: Seed<'de>>(&mut self, seed: S) -> Result<S::Out, Error> {
        seed.decode(self.1.take().ok_or_else(|| Error::custom("there is no value"))?)
    }
}

/// Makes a value. It cannot fail, and knows how long each list and map has to be.
pub struct Pack;

pub fn pack<T: Encode + ?Sized>(value: &T) -> Value<'static> {
    match value.encode(Pack) {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

impl Sink for Pack {
    type Out = Value<'static>;
    type Error = Error;
    type Seq = PackParts<Value<'static>>;
    type Map = PackParts<(Value<'static>, Value<'static>)>;

    fn null(self) -> Result<Value<'static>, Error> {
        Ok(Value::Null)
    }
    fn bool(self, value: bool) -> Result<Value<'static>, Error> {
        Ok(Value::Bool(value))
    }
    fn int(self, value: i64) -> Result<Value<'static>, Error> {
        Ok(Value::Int(value))
    }
    fn text(self, value: &str) -> Result<Value<'static>, Error> {
        Ok(Value::Text(Cow::Owned(value.to_owned())))
    }
    fn seq(self, len: Option<usize>) -> Result<Self::Seq, Error> {
        Ok(PackParts { parts: Vec::new(), len })
    }
    fn map(self, len: Option<usize>) -> Result<Self::Map, Error> {
        Ok(PackParts { parts: Vec::new(), len })
    }
}

pub struct PackParts<T> {
    parts: Vec<T>,
    len: Option<usize>,
}

impl<T> PackParts<T> {
    fn all(self) -> Result<Vec<T>, Error> {
        match self.len {
            Some(len) if len != self.parts.len() => Err(Error::custom("another length was announced")),
            _ => Ok(self.parts),
        }
    }
}

impl SeqSink for PackParts<Value<'static>> {
    type Out = Value<'static>;
    type Error = Error;

    fn item<T: Encode + ?Sized>(&mut self, item: &T) -> Result<(), Error> {
        self.parts.push(item.encode(Pack)?);
        Ok(())
    }
    fn end(self) -> Result<Value<'static>, Error> {
        self.all().map(Value::Seq)
    }
}

impl MapSink for PackParts<(Value<'static>, Value<'static>)> {
    type Out = Value<'static>;
    type Error = Error;

    fn entry<K: Encode + ?Sized, V: Encode + ?Sized>(&mut self, key: &K, value: &V) -> Result<(), Error> {
        self.parts.push((key.encode(Pack)?, value.encode(Pack)?));
        Ok(())
    }
    fn end(self) -> Result<Value<'static>, Error> {
        self.all().map(Value::Map)
    }
}
