//! Results in device memory: plain data that other libraries and later kernels read.
//!
//! | result | stored as | no result |
//! |---|---|---|
//! | integers, f16, bf16, f32, f64 | itself | the greatest integer; the canonical NaN |
//! | bool | u8, 0 or 1 | 255 |
//! | [`Complex`](crate::Complex) | itself: two floats | NaN in both parts |
//! | [`At<T>`](crate::At) | [`StoredAt`]: 16 bytes, the index first | index `u64::MAX` and no result of the value |
//! | [`Extremes<T>`](crate::Extremes) | two of what `T` is stored as: the least first | no result twice |
//! | [`Affine`](crate::Affine), [`Matrix2`](crate::Matrix2), arrays | itself: the numbers in order | no result of each |
//! | tuples | [`Joined`](crate::Joined): one after the other, without padding | no result of each |
//!
//! `Option<R>` is stored as `R` is, and `None` as the right column says. The number of elements tells `None` apart without a
//! look at the value: `None` is the result of empty input, and of a variance of too few elements.

mod at;
mod several;

use bytemuck::Pod;

pub use self::at::{InWord, StoredAt};
use crate::{Op, bf16, f16};

/// A result that can be stored in device memory. For your own result type that is plain data, `Stored` is the type itself.
///
/// ```
/// use bytemuck::{Pod, Zeroable};
/// use gpu_kernels::Storable;
///
/// /// A range of times.
/// #[derive(Clone, Copy, Pod, Zeroable)]
/// #[repr(C)]
/// struct Span {
///     from: u64,
///     to: u64,
/// }
///
/// impl Storable for Span {
///     type Stored = Self;
///     fn store(self) -> Self {
///         self
///     }
///     fn none() -> Self {
///         Self { from: u64::MAX, to: 0 }
///     }
/// }
///
/// assert_eq!(Some(2.5f32).store(), 2.5);
/// assert_eq!(None::<f32>.store().to_bits(), 0x7fc0_0000);
/// assert_eq!(None::<Span>.store().from, u64::MAX);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no result that lies in device memory",
    label = "kernels over many rows finish their results on the device",
    note = "implement `gpu_kernels::Storable` for a result type of your own",
    note = "in a tuple each result is of whole words of 4 bytes: no bool, no f16"
)]
pub trait Storable {
    /// The stored type.
    type Stored: Pod + Send + Sync;
    /// Returns this result as it is stored.
    fn store(self) -> Self::Stored;
    /// Returns the value that stands for no result, where the result is an `Option`.
    fn none() -> Self::Stored;
}

/// The stored result of operator `O` over elements `T`.
pub type StoredOf<T, O> = <<O as Op<T>>::Out as Storable>::Stored;

/// Implements [`Storable`] of lines `number: value for no result;`.
macro_rules! numbers {
    ($($number:ty: $none:expr;)*) => { $(
        impl Storable for $number {
            type Stored = Self;
            #[inline(always)]
            fn store(self) -> Self {
                self
            }
            #[inline(always)]
            fn none() -> Self {
                $none
            }
        }
    )* };
}
numbers! {
    i8: Self::MAX;
    u8: Self::MAX;
    i16: Self::MAX;
    u16: Self::MAX;
    i32: Self::MAX;
    u32: Self::MAX;
    i64: Self::MAX;
    u64: Self::MAX;
    i128: Self::MAX;
    u128: Self::MAX;
    isize: Self::MAX;
    usize: Self::MAX;
    f16: Self::from_bits(0x7e00);
    bf16: Self::from_bits(0x7fc0);
    f32: Self::from_bits(0x7fc0_0000);
    f64: Self::from_bits(0x7ff8_0000_0000_0000);
}

impl Storable for bool {
    type Stored = u8;
    #[inline(always)]
    fn store(self) -> u8 {
        self.into()
    }
    #[inline(always)]
    fn none() -> u8 {
        u8::MAX
    }
}

impl<R: Storable> Storable for Option<R> {
    type Stored = R::Stored;
    #[inline(always)]
    fn store(self) -> R::Stored {
        match self {
            Some(result) => result.store(),
            None => R::none(),
        }
    }
    #[inline(always)]
    fn none() -> R::Stored {
        R::none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{At, Extremes};

    #[test]
    fn results_lie_there_as_the_table_says() {
        let at = At { index: 0x0102, value: f16::ONE }.store();
        assert_eq!(bytemuck::cast::<_, [u64; 2]>(at), [0x0102, 0x3c00]);
        let at = At { index: 7, value: -2i64 }.store();
        assert_eq!(bytemuck::cast::<_, [i64; 2]>(at), [7, -2]);
        let extremes =
            Extremes { min: At { index: 1, value: 2u8 }, max: At { index: 3, value: 4u8 } }.store();
        assert_eq!(bytemuck::cast::<_, [u64; 4]>(extremes), [1, 2, 3, 4]);
        let tuple = (Some(1u32), 2u64, Some(3u32), Extremes { min: 4u32, max: 5 }).store();
        assert_eq!(bytemuck::cast::<_, [u32; 6]>(tuple), [1, 2, 0, 3, 4, 5]);
        assert_eq!((true.store(), false.store()), (1, 0));
    }

    #[test]
    fn none_is_as_the_table_says() {
        assert_eq!(None::<i32>.store(), i32::MAX);
        assert_eq!(None::<bf16>.store().to_bits(), 0x7fc0);
        assert_eq!(None::<bool>.store(), 255);
        let at = None::<At<f32>>.store();
        assert_eq!(bytemuck::cast::<_, [u64; 2]>(at), [u64::MAX, 0x7fc0_0000]);
        let extremes = None::<Extremes<At<f64>>>.store();
        let [nowhere, nan] = [u64::MAX, 0x7ff8_0000_0000_0000];
        assert_eq!(bytemuck::cast::<_, [u64; 4]>(extremes), [nowhere, nan, nowhere, nan]);
        let tuple = (None::<f32>, 5u64, None::<f32>).store();
        assert_eq!(bytemuck::cast::<_, [u32; 4]>(tuple), [0x7fc0_0000, 5, 0, 0x7fc0_0000]);
        assert_eq!(None::<(f32, f32)>.store().right.to_bits(), 0x7fc0_0000);
    }
}
