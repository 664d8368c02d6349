//! The extremes of every pair of special floats, by the definitions of IEEE 754-2019, section 9.6, in its words.

use warpfold::kernels::{Kernel, RowsKernel};
use warpfold::{Element, Max, Maximum, Min, Minimum, Op, bf16, f16};

use crate::{Bits, Sample};

/// A float and its extremes.
pub trait Float: Element + Sample + Bits {
    /// Returns the minimum, the maximum, the minimumNumber and the maximumNumber of two.
    fn extremes(x: Self, y: Self) -> [Self; 4];
}

macro_rules! floats {
    ($($float:ident),*) => { $(
        impl Float for $float {
            fn extremes(x: Self, y: Self) -> [Self; 4] {
                // The lesser one, where -0 compares less than +0.
                let is_less = x < y || x == y && x.is_sign_negative();
                let (least, greatest) = if is_less { (x, y) } else { (y, x) };
                // "A quiet NaN if either operand is a NaN"; the number "if one operand is a number and the other is a
                // NaN".
                match (x.is_nan(), y.is_nan()) {
                    (true, true) => [Self::NAN; 4],
                    (true, false) => [Self::NAN, Self::NAN, y, y],
                    (false, true) => [Self::NAN, Self::NAN, x, x],
                    (false, false) => [least, greatest, least, greatest],
                }
            }
        }
    )* };
}
floats!(f16, bf16, f32, f64);

/// A backend under test.
pub trait Backend {
    /// Folds each two elements.
    fn pairs<T: Float, O: OfPairs<T>>(&self, x: &[T]) -> Vec<Option<T>>;
}

/// An operator of this table.
pub trait OfPairs<T: Element>: Kernel<T> + RowsKernel<T> + Op<T, Out = Option<T>> + Default {}

impl<T: Element, O: Kernel<T> + RowsKernel<T> + Op<T, Out = Option<T>> + Default> OfPairs<T> for O {}

/// Compares the results of one operator in `pairs` with the definition.
///
/// # Panics
/// If a result differs.
pub fn check<T: Float, O: OfPairs<T>>(which: usize, pairs: impl FnOnce(&[T]) -> Vec<Option<T>>) {
    let special = T::special();
    assert!(special.len() >= 20);
    let all: Vec<[T; 2]> = special.iter().flat_map(|&x| special.iter().map(move |&y| [x, y])).collect();
    let found = pairs(all.as_flattened());
    assert_eq!(found.len(), all.len());
    for ([x, y], found) in all.into_iter().zip(found) {
        let expected = T::extremes(x, y)[which];
        let of = || format!("{} of {} and {}", std::any::type_name::<O>(), x.bits(), y.bits());
        assert_eq!(found.bits(), expected.bits(), "{}", of());
    }
}

/// Compares a backend's results of every extreme of every float with the definitions.
///
/// # Panics
/// If a result differs.
pub fn check_all(backend: &impl Backend) {
    macro_rules! of {
        ($($float:ident),*) => { $(
            check::<$float, Minimum>(0, |x| backend.pairs::<$float, Minimum>(x));
            check::<$float, Maximum>(1, |x| backend.pairs::<$float, Maximum>(x));
            check::<$float, Min>(2, |x| backend.pairs::<$float, Min>(x));
            check::<$float, Max>(3, |x| backend.pairs::<$float, Max>(x));
        )* };
    }
    of!(f16, bf16, f32, f64);
}
