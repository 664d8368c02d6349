//! Why bytes are no state.

use core::fmt;

use super::bytes::VERSION;

/// Why bytes are no state of the type that was to be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes end too early.
    TooShort,
    /// So many bytes follow the state's.
    TooLong(usize),
    /// The bytes have this version of the format, which this version of the crate does not know.
    Version(u8),
    /// The bytes are of another state, or of other elements. The value is the second byte.
    OtherState(u8),
    /// An integer has more bits than elements of this type can add up to.
    OutOfRange,
    /// `encode` writes this state in other bytes.
    NotCanonical,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort => f.write_str("the state's bytes end too early: some were lost"),
            Self::TooLong(more) => {
                write!(f, "{more} bytes follow the state's: give decode those of one state")
            }
            Self::Version(version) => write!(
                f,
                "the state's bytes have version {version} of the format, and this crate knows {VERSION}: use the crate that wrote them"
            ),
            Self::OtherState(what) => write!(
                f,
                "the bytes are of another state or element (0x{what:02x}): decode them as the type that wrote them"
            ),
            Self::OutOfRange => f.write_str("an integer in the state's bytes is too long for its elements"),
            Self::NotCanonical => {
                f.write_str("the bytes are not those that encode writes: they were changed")
            }
        }
    }
}

impl core::error::Error for DecodeError {}
