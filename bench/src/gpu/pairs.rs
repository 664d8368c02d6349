//! Operators over two arrays: the two halves of each slice. There are no peers.

use warpfold::{AccurateDot, Dot, ZipKernel};

use super::bits::Bits;
use crate::datum::Datum;

/// A measured operator over two arrays.
pub(super) trait Pairing<T: Datum>: ZipKernel<T, Out: Bits> + Default {
    /// The name on the command line and in the table.
    const NAME: &'static str;
}

macro_rules! pairings {
    ($($op:ident $name:literal),*: $elements:tt) => { $(pairings! { @ $op $name $elements })* };
    (@ $op:ident $name:literal ($($element:ident)*)) => { $(
        impl Pairing<$element> for $op {
            const NAME: &'static str = $name;
        }
    )* };
}
pairings!(Dot "dot", AccurateDot "accurate_dot": (f32 f64));
