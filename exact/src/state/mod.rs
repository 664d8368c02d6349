//! States: what a sum, a dot product, moments and comoments are before they are rounded. Compiled for the host alone.
//!
//! | layer | files |
//! |---|---|
//! | states | `sum.rs`, `dot.rs`, `moments.rs`, `comoments.rs`, `small.rs`; what all have, `methods.rs` |
//! | bytes | `bytes.rs`, `decode_error.rs`, `serde.rs` |
//! | elements | `element.rs`, `floats.rs`, `products.rs`, `half.rs`, `integers.rs` |
//! | what is counted; long integers in memory; whether elements come or go | `counts.rs`, `long.rs`, `way.rs` |
//! | results | `natural.rs`, `quotient.rs`, `rounded.rs` |

mod bytes;
mod comoments;
mod counts;
mod decode_error;
mod dot;
mod element;
mod floats;
#[cfg(feature = "half")]
mod half;
mod integers;
mod long;
mod methods;
mod moments;
mod natural;
mod products;
mod quotient;
mod rounded;
#[cfg(feature = "serde")]
mod serde;
mod small;
mod sum;

pub use bytes::{BufferTooSmall, VERSION};
pub use comoments::Comoments;
pub use decode_error::DecodeError;
pub use dot::Dot;
pub use element::Element;
pub use moments::Moments;
pub use small::{DoesNotFit, Small};
pub use sum::Sum;
