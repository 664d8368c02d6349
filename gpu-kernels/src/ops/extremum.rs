//! The least and the greatest element, with both of IEEE 754-2019's treatments of NaN.

use super::native::of_native_integers;
use super::numbers::order::Ordered;
use crate::op::{Atomic, Op};

/// The least element; NaN is skipped, and is the result only if every element is NaN (IEEE 754-2019 `minimumNumber`). -0.0 is
/// less than +0.0. `None` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Min;

/// The greatest element; NaN is skipped, and is the result only if every element is NaN (IEEE 754-2019 `maximumNumber`). -0.0
/// is less than +0.0. `None` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Max;

/// The least element; NaN if any element is NaN (IEEE 754-2019 `minimum`). -0.0 is less than +0.0. `None` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Minimum;

/// The greatest element; NaN if any element is NaN (IEEE 754-2019 `maximum`). -0.0 is less than +0.0. `None` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Maximum;

macro_rules! extremum {
    ($op:ty: $pick:ident, identity $identity:ident, NaN $nan:ident) => {
        impl<T: Ordered> Op<T> for $op {
            type Acc = T::Key;
            type Out = Option<T>;
            const IDENTITY: T::Key = T::$identity;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = true;
            // The identity is the last of all keys: the others ascend from it by their bits.
            const ATOMIC: Option<Atomic> = Atomic::Max.of::<T::Key>();
            const FINISHES_EMPTY: bool = false;
            const NEEDS_INDEX: bool = false;
            #[inline(always)]
            fn lift(self, x: T, _index: u64) -> T::Key {
                x.key(T::$nan)
            }
            #[inline(always)]
            fn combine(left: T::Key, right: T::Key) -> T::Key {
                left.$pick(right)
            }
            #[inline(always)]
            fn append_slice(self, acc: T::Key, x: &[T], _first: u64) -> T::Key {
                let (skipped, nan) = (T::shorten(T::$identity), T::shorten(T::$nan));
                let (mut best, mut is_nan) = (skipped, false);
                // A NaN that decides the result is noted apart: choosing between it and the best so far would not be
                // vector code. Maximum then took 13 times as long as Max (docs/tuning/cpu.md).
                for &x in x {
                    let key = x.short(skipped);
                    best = best.$pick(key);
                    is_nan |= key != x.short(nan);
                }
                acc.$pick(T::lengthen(if is_nan { nan } else { best }))
            }
            #[inline]
            fn finish(acc: T::Key, len: u64) -> Option<T> {
                (len > 0).then(|| T::from_key(acc))
            }
        }
    };
}
extremum!(Min: min, identity GREATEST, NaN GREATEST);
extremum!(Max: max, identity LEAST, NaN LEAST);
extremum!(Minimum: min, identity GREATEST, NaN LEAST);
extremum!(Maximum: max, identity LEAST, NaN GREATEST);

of_native_integers!(Min, Max, Minimum, Maximum);
