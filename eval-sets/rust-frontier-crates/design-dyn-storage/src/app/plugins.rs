//! Formats and types that are found by name when the program runs.

use super::packed::{pack, Pack, Value};
use super::text::{TextInput, TextSink};
use crate::erased::{DynDecoder, DynEncode, DynSeed, DynSink, ErasedDecoder, ErasedSeed, ErasedSink};
use crate::model::{Decode, DecodeOwned, Decoder, Encode, Error, Fault, MapAccess, Seed, Visitor};
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

/// A format, whichever.
pub trait Format: Send + Sync {
    fn write(&self, value: &dyn DynEncode) -> Result<String, Error>;
    fn read<'de>(&self, input: &'de str, into: &mut dyn DynSeed<'de>) -> Result<(), Error>;
}

pub struct TextFormat;

impl Format for TextFormat {
    fn write(&self, value: &dyn DynEncode) -> Result<String, Error> {
        let mut out = String::new();
        let mut sink = ErasedSink::new(TextSink::new(&mut out));
        let written = value.dyn_encode(&mut sink);
        match sink.finish(written) {
            Ok(length) => {
                assert_eq!(length, out.len());
                Ok(out)
            }
            Err(error) => Err(Error::custom(format_args!("at {:?}: {error}", error.at))),
        }
    }

    fn read<'de>(&self, input: &'de str, into: &mut dyn DynSeed<'de>) -> Result<(), Error> {
        let mut input = TextInput::new(input);
        let mut decoder = ErasedDecoder::new(input.decoder());
        let read = into.dyn_decode(&mut decoder);
        let read = decoder.finish(read).and_then(|()| input.end());
        read.map_err(|error| Error::custom(format_args!("at {:?}: {error}", error.at)))
    }
}

/// Reads any type by any format. The value borrows from the input.
pub fn read_by<'de, T: Decode<'de>>(format: &dyn Format, input: &'de str) -> Result<T, Error> {
    let mut seed = ErasedSeed::new(PhantomData::<T>);
    format.read(input, &mut seed)?;
    seed.out().ok_or_else(|| Error::custom("nothing was read"))
}

/// Something to draw.
pub trait Shape: DynEncode + fmt::Debug {
    fn area(&self) -> i64;
}

type Reader = Box<dyn for<'r, 'de> Fn(&'r mut (dyn DynDecoder<'de> + 'r)) -> Result<Box<dyn Shape>, Error> + Send + Sync>;

/// The types that are known, by name.
#[derive(Default)]
pub struct Registry {
    readers: HashMap<&'static str, Reader>,
}

impl Registry {
    pub fn add<T: Shape + DecodeOwned + 'static>(&mut self, name: &'static str) -> &mut Self {
        self.readers.insert(
            name,
            Box::new(|decoder| Ok(Box::new(T::decode(decoder)?))),
        );
        self
    }
}

/// Reads `{name: value}` as the type of that name.
impl<'de> Seed<'de> for &Registry {
    type Out = Box<dyn Shape>;

    fn decode<D: Decoder<'de>>(self, decoder: D) -> Result<Box<dyn Shape>, D::Error> {
        decoder.any(self)
    }
}

impl<'de> Visitor<'de> for &Registry {
    type Out = Box<dyn Shape>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {} shapes", self.readers.len())
    }

    fn map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Box<dyn Shape>, A::Error> {
        struct By<'r>(&'r Reader);
        impl<'de> Seed<'de> for By<'_> {
            type Out = Box<dyn Shape>;

            fn decode<D: Decoder<'de>>(self, decoder: D) -> Result<Box<dyn Shape>, D::Error> {
                let mut decoder = ErasedDecoder::new(decoder);
                let read = self.0(&mut decoder);
                decoder.finish(read)
            }
        }
        let name: Option<&'de str> = entries.key()?;
        let reader = name.and_then(|name| self.readers.get(name));
        let reader = reader.ok_or_else(|| A::Error::custom("an unknown shape"))?;
        let shape = entries.value_seed(By(reader))?;
        match entries.key::<&str>()? {
            None => Ok(shape),
            Some(_) => Err(A::Error::custom("more than one shape")),
        }
    }
}

/// Decoders in boxes, one after the other.
pub fn first_text<'de>(decoders: Vec<Box<dyn DynDecoder<'de> + Send + 'de>>) -> Option<&'de str> {
    decoders.into_iter().find_map(|decoder| <&'de str>::decode(decoder).ok())
}

/// Values of any type, kept and sent around.
pub struct Mixed<'v> {
    pub local: Vec<Box<dyn DynEncode + 'v>>,
    pub shared: std::sync::Arc<dyn DynEncode + Send + Sync + 'v>,
}

impl Mixed<'_> {
    pub fn pack(&self) -> Value<'static> {
        pack(&(&self.local, &*self.shared))
    }

    pub fn each(&self, mut next: impl FnMut() -> Box<dyn DynSink + 'static>) -> Result<(), Error> {
        self.local.iter().try_for_each(|value| value.encode(&mut *next()))
    }
}

/// Goes through as many erasures as it is deep.
pub struct Layers<T>(pub usize, pub T);

impl<T: Encode> Encode for Layers<T> {
    fn encode<S: crate::model::Sink>(&self, sink: S) -> Result<S::Out, S::Error> {
        let mut layer: Box<dyn DynEncode + '_> = Box::new(&self.1);
        for _ in 0..self.0 {
            layer = Box::new(layer);
        }
        layer.encode(sink)
    }
}

impl<'de, T: Decode<'de>> Seed<'de> for Layers<PhantomData<T>> {
    type Out = T;

    fn decode<D: Decoder<'de>>(self, decoder: D) -> Result<T, D::Error> {
        fn deep<'de, T: Decode<'de>>(depth: usize, decoder: &mut dyn DynDecoder<'de>) -> Result<T, Error> {
            if depth == 0 {
                return T::decode(decoder);
            }
            let mut next = ErasedDecoder::new(decoder);
            let read = deep(depth - 1, &mut next);
            next.finish(read)
        }
        let mut erased = ErasedDecoder::new(decoder);
        let read = deep(self.0, &mut erased);
        erased.finish(read)
    }
}

pub fn repack(value: &dyn DynEncode) -> Result<Value<'static>, Error> {
    let mut sink = ErasedSink::new(Pack);
    let written = value.encode(&mut sink as &mut dyn DynSink);
    sink.finish(written)
}
