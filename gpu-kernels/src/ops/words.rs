//! Accumulators side by side, without padding.

use bytemuck::{Pod, Zeroable};
use num_complex::Complex;

use super::affine::Affine;
use super::exact::ExactTotal;
use super::matrix::Matrix2;
use crate::op::Accumulator;

/// An accumulator of whole 4-byte words, aligned to 4 bytes at least, so that another may follow it without padding.
///
/// # Safety
/// Its size is a multiple of 4 bytes, and its alignment is 4 bytes at least.
pub unsafe trait WholeWords: Accumulator {}

macro_rules! whole_words {
    ($($acc:ty),*) => { $(
        const _: () = assert!(size_of::<$acc>().is_multiple_of(4) && align_of::<$acc>() >= 4);
        // SAFETY: the assertion above checks it.
        unsafe impl WholeWords for $acc {}
    )* };
}
whole_words!(i32, u32, i64, u64, isize, usize, i128, u128, f32, f64, Complex<f32>, Complex<f64>);

// SAFETY: the size is a multiple of the size of `A`, and the alignment is that of `A`.
unsafe impl<A: WholeWords, const N: usize> WholeWords for [A; N] where Self: Accumulator {}

// SAFETY: two fields of one such type, without padding (`repr(C)`).
unsafe impl<N: WholeWords> WholeWords for Affine<N> where Self: Accumulator {}

// SAFETY: an array of four numbers of one such type (`repr(transparent)`).
unsafe impl<N: WholeWords> WholeWords for Matrix2<N> where Self: Accumulator {}

// SAFETY: an array of u32 (`repr(transparent)`).
unsafe impl<const WORDS: usize> WholeWords for ExactTotal<WORDS> where Self: Accumulator {}

/// Two accumulators side by side. Aligned to 4 bytes, so that no padding comes between or behind them, whatever their
/// alignments are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, packed(4))]
pub struct Joined<A: Copy, B: Copy> {
    /// The first.
    pub left: A,
    /// The second.
    pub right: B,
}

// SAFETY: both fields are `Zeroable`, as accumulators are `Pod`.
unsafe impl<A: WholeWords, B: WholeWords> Zeroable for Joined<A, B> {}

// SAFETY: both fields are plain data of whole words, with an alignment of at least the struct's 4 bytes, so there is no
// padding.
unsafe impl<A: WholeWords, B: WholeWords> Pod for Joined<A, B> {}

// SAFETY: the size is the sum of two multiples of 4 bytes, and `packed(4)` aligns it to 4.
unsafe impl<A: WholeWords, B: WholeWords> WholeWords for Joined<A, B> {}

/// Plain data of any size, or none, for types that are not carried in words. Aligned to 1 byte, so that no padding comes before
/// the element.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed)]
pub struct Kept<T: Copy> {
    /// 1, or 0 for none.
    is_some: u8,
    /// Zeros for none.
    element: T,
}

// SAFETY: both fields are `Zeroable`.
unsafe impl<T: Pod> Zeroable for Kept<T> {}

// SAFETY: both fields are plain data, side by side without padding (`packed`).
unsafe impl<T: Pod> Pod for Kept<T> {}

impl<T: Pod> Kept<T> {
    // SAFETY: `u8` and `T: Pod` are `Zeroable`.
    /// None.
    pub const NONE: Self = unsafe { core::mem::zeroed() };

    /// Returns this element as kept.
    #[must_use]
    pub const fn some(element: T) -> Self {
        Self { is_some: 1, element }
    }

    /// Returns whether there is an element.
    #[must_use]
    pub const fn is_some(self) -> bool {
        self.is_some != 0
    }

    /// Returns the element, if there is one.
    #[must_use]
    pub const fn get(self) -> Option<T> {
        if self.is_some() { Some(self.element) } else { None }
    }
}
