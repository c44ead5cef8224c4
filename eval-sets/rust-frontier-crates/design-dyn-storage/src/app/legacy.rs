//! Code from before there was `dyn`, generic throughout.

use super::text::{from_text, to_text, TextError};
use crate::model::{Decode, DecodeOwned, Decoder, Encode, Fault, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// Adds up whatever numbers there are.
struct Sum;

impl Visitor<'_> for Sum {
    type Out = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or text")
    }
    fn int<E: Fault>(self, value: i64) -> Result<i64, E> {
        Ok(value)
    }
    fn text<E: Fault>(self, value: &str) -> Result<i64, E> {
        value.trim().parse().map_err(E::custom)
    }
}

#[derive(Debug)]
pub struct Total(pub i64);

impl<'de> Decode<'de> for Total {
    fn decode<D: Decoder<'de>>(decoder: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Out = i64;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of numbers")
            }
            fn seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<i64, A::Error> {
                let mut total = 0;
                while let Some(Number(item)) = items.next()? {
                    total += item;
                }
                Ok(total)
            }
        }
        struct Number(i64);
        impl<'de> Decode<'de> for Number {
            fn decode<D: Decoder<'de>>(decoder: D) -> Result<Self, D::Error> {
                decoder.any(Sum).map(Number)
            }
        }
        decoder.any(List).map(Total)
    }
}

/// Reads a value out of a text that is gone afterwards.
pub fn copied<T: DecodeOwned>(text: String) -> Result<T, TextError> {
    from_text(&text)
}

pub fn round_trip<T: DecodeOwned + Encode>(value: &T) -> Result<T, TextError> {
    copied(to_text(value)?)
}

pub struct Cached<K, V> {
    pub values: BTreeMap<K, V>,
}

impl<'de, K: Decode<'de> + Ord, V: Decode<'de>> Decode<'de> for Cached<K, V> {
    fn decode<D: Decoder<'de>>(decoder: D) -> Result<Self, D::Error> {
        BTreeMap::decode(decoder).map(|values| Cached { values })
    }

    fn missing<E: Fault>(_field: &str) -> Result<Self, E> {
        Ok(Cached { values: BTreeMap::new() })
    }
}

pub fn count<'de, D, T>(decoder: D, _: PhantomData<T>) -> Result<usize, D::Error>
where
    D: Decoder<'de>,
    T: Decode<'de>,
{
    Vec::<Option<T>>::decode(decoder).map(|all| all.iter().flatten().count())
}
