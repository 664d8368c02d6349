//! Sum and product.

use super::number::{Number, Wide};
use crate::op::Op;

/// The sum; NaN if any element is NaN or infinities of both signs meet.
///
/// Integers are summed in 64 bits, where they wrap. Floats are rounded to nearest at each node of the
/// [tree](crate::tree), whose error bound holds; a NaN result is the canonical one. The sum of nothing is
/// the identity: 0, and -0.0 for floats, as in Rust's standard library.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum;

/// The product; NaN if any element is NaN or a zero and an infinity meet.
///
/// Integers are multiplied in 64 bits, where they wrap. Floats are rounded to nearest at each node of the
/// [tree](crate::tree); a NaN result is the canonical one. The product of nothing is 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Product;

macro_rules! carried_wide {
    ($op:ty, $identity:ident, $combine:ident) => {
        impl<T: Number> Op<T> for $op {
            type Acc = T::Wide;
            type Out = T::Wide;
            const IDENTITY: T::Wide = T::Wide::$identity;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = T::Wide::ASSOCIATIVE;
            #[inline]
            fn lift(self, x: T, _index: u64) -> T::Wide {
                x.as_()
            }
            #[inline]
            fn combine(left: T::Wide, right: T::Wide) -> T::Wide {
                left.$combine(right)
            }
            #[inline]
            fn finish(acc: T::Wide, _len: u64) -> T::Wide {
                acc.canonical()
            }
        }
    };
}
carried_wide!(Sum, ZERO, add);
carried_wide!(Product, ONE, mul);
