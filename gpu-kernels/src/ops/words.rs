//! Accumulators side by side, without padding.

use bytemuck::{Pod, Zeroable};
use num_complex::Complex;

use super::affine::Affine;
use super::exact::ExactTotal;
use super::matrix::Matrix2;
use crate::op::Accumulator;

/// An accumulator that consists of whole words of 4 bytes, aligned to them, so that another may stand right behind it.
///
/// # Safety
/// Its size is a multiple of 4 bytes, and its alignment is 4 bytes at least.
pub unsafe trait WholeWords: Accumulator {}

macro_rules! whole_words {
    ($($acc:ty),*) => { $(
        const _: () = assert!(size_of::<$acc>().is_multiple_of(4) && align_of::<$acc>() >= 4);
        // SAFETY: the line above.
        unsafe impl WholeWords for $acc {}
    )* };
}
whole_words!(i32, u32, i64, u64, isize, usize, i128, u128, f32, f64, Complex<f32>, Complex<f64>);

// SAFETY: a multiple of a multiple of 4 bytes, and the alignment of one of them.
unsafe impl<A: WholeWords, const N: usize> WholeWords for [A; N] where Self: Accumulator {}

// SAFETY: two fields of one type, without padding.
unsafe impl<N: WholeWords> WholeWords for Affine<N> where Self: Accumulator {}

// SAFETY: four numbers of one type, without padding.
unsafe impl<N: WholeWords> WholeWords for Matrix2<N> where Self: Accumulator {}

// SAFETY: an array of words and nothing else.
unsafe impl<const WORDS: usize> WholeWords for ExactTotal<WORDS> where Self: Accumulator {}

/// Two accumulators side by side. Aligned to 4 bytes, so that no padding comes between them or behind, whatever their
/// alignments are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, packed(4))]
pub struct Joined<A: Copy, B: Copy> {
    /// The first.
    pub left: A,
    /// The second.
    pub right: B,
}

// SAFETY: so are both of its fields.
unsafe impl<A: WholeWords, B: WholeWords> Zeroable for Joined<A, B> {}

// SAFETY: both fields are plain data, at least as aligned as the struct lets them be, of whole words: there is no padding.
unsafe impl<A: WholeWords, B: WholeWords> Pod for Joined<A, B> {}

// SAFETY: the sum of two multiples of 4 bytes, aligned to 4 by its representation.
unsafe impl<A: WholeWords, B: WholeWords> WholeWords for Joined<A, B> {}

/// Plain data of any size, or none: what takes no words. Without alignment, so that no padding comes before it.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed)]
pub struct Kept<T: Copy> {
    /// 1, or 0 for none.
    is_some: u8,
    /// Zeros for none.
    element: T,
}

// SAFETY: so are both of its fields.
unsafe impl<T: Pod> Zeroable for Kept<T> {}

// SAFETY: both fields are plain data, and lie side by side without padding.
unsafe impl<T: Pod> Pod for Kept<T> {}

impl<T: Pod> Kept<T> {
    // SAFETY: zeros are a value of plain data.
    /// None.
    pub const NONE: Self = unsafe { core::mem::zeroed() };

    /// This element.
    #[must_use]
    pub const fn some(element: T) -> Self {
        Self { is_some: 1, element }
    }

    /// Whether there is an element.
    #[must_use]
    pub const fn is_some(self) -> bool {
        self.is_some != 0
    }

    /// The element, if there is one.
    #[must_use]
    pub const fn get(self) -> Option<T> {
        if self.is_some() { Some(self.element) } else { None }
    }
}
