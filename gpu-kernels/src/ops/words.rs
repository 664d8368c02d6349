//! Accumulators side by side, without padding.

use bytemuck::{Pod, Zeroable};

use crate::op::Accumulator;

/// An accumulator that consists of whole words of 4 bytes, aligned to them, so that another may stand right behind it.
///
/// # Safety
/// Its size is a multiple of 4 bytes, and its alignment is 4 bytes at least.
pub unsafe trait WholeWords: Accumulator {
    /// All bits zero.
    // SAFETY: every bit pattern is a value of plain data.
    const ZEROS: Self = unsafe { core::mem::zeroed() };
}

macro_rules! whole_words {
    ($($acc:ty),*) => { $(
        const _: () = assert!(size_of::<$acc>().is_multiple_of(4) && align_of::<$acc>() >= 4);
        // SAFETY: the line above.
        unsafe impl WholeWords for $acc {}
    )* };
}
whole_words!(i32, u32, i64, u64, i128, u128, f32, f64);

// SAFETY: a multiple of a multiple of 4 bytes, and the alignment of one of them.
unsafe impl<A: WholeWords, const N: usize> WholeWords for [A; N] where Self: Accumulator {}

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
