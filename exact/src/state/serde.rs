//! States in serde's formats: as their canonical bytes.

use core::fmt;
use core::marker::PhantomData;

use serde::de::{Error, SeqAccess, Visitor};

/// Reads a state from bytes, or a sequence of up to [`MOST`] of them.
pub(super) struct Bytes<S>(PhantomData<S>);

/// A state that has bytes.
pub(super) trait Decode: Sized {
    /// Returns the state that has these bytes.
    fn decode<E: Error>(bytes: &[u8]) -> Result<Self, E>;
}

/// More than the longest state: comoments of f64 have 2,300 bytes.
pub(super) const MOST: usize = 2560;

impl<S> Bytes<S> {
    /// Returns the visitor.
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, S: Decode> Visitor<'de> for Bytes<S> {
    type Value = S;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the canonical bytes of an exact state")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<S, E> {
        S::decode(bytes)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut bytes: A) -> Result<S, A::Error> {
        let mut buffer = [0; MOST];
        let mut len = 0;
        while let Some(byte) = bytes.next_element()? {
            *buffer.get_mut(len).ok_or_else(|| A::Error::custom("too many bytes for an exact state"))? = byte;
            len += 1;
        }
        S::decode(&buffer[..len])
    }
}

/// Implements serde's traits for a state.
macro_rules! as_bytes {
    ($State:ident) => {
        impl<T: Element> serde::Serialize for $State<T> {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                const { assert!(Self::MAX_BYTES <= super::serde::MOST) }
                let mut buffer = [0; super::serde::MOST];
                let bytes = self.encode(&mut buffer).map_err(serde::ser::Error::custom)?;
                serializer.serialize_bytes(bytes)
            }
        }

        impl<'de, T: Element> serde::Deserialize<'de> for $State<T> {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_bytes(super::serde::Bytes::<Self>::new())
            }
        }

        impl<T: Element> super::serde::Decode for $State<T> {
            fn decode<E: serde::de::Error>(bytes: &[u8]) -> Result<Self, E> {
                Self::decode(bytes).map_err(E::custom)
            }
        }
    };
}
pub(super) use as_bytes;
