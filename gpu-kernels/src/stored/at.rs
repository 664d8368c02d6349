//! An element and where it stands, in device memory.

use bytemuck::{Pod, Zeroable};

use super::Storable;
use crate::ops::{At, WholeWords};
use crate::{bf16, f16};

/// Where an element stands, and the element, as 16 bytes: the index from byte 0, the value from byte 8, and zeros behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct StoredAt<V: InWord> {
    /// Index of the element; `u64::MAX` for none.
    pub index: u64,
    /// The element.
    pub value: V,
    /// What of 8 bytes the value leaves.
    zeros: V::Rest,
}

/// A value of at most 8 bytes, behind which zeros fill them.
///
/// # Safety
/// The sizes of the value and of the rest come to 8 bytes; the rest needs no more alignment than the value, which needs
/// no more than 8 bytes.
pub unsafe trait InWord: Pod + Send + Sync {
    /// What of 8 bytes it leaves.
    type Rest: Pod + Send + Sync;
}

macro_rules! in_words {
    ($($rest:ty: $($value:ty),+;)*) => { $($(
        const _: () = assert!(size_of::<$value>() + size_of::<$rest>() == 8);
        const _: () = assert!(align_of::<$rest>() <= align_of::<$value>() && align_of::<$value>() <= 8);
        // SAFETY: the lines above.
        unsafe impl InWord for $value {
            type Rest = $rest;
        }
    )+)* };
}
in_words! {
    [u8; 7]: i8, u8;
    [u16; 3]: i16, u16, f16, bf16;
    u32: i32, u32, f32;
    [u64; 0]: i64, u64, f64;
}
#[cfg(target_pointer_width = "64")]
in_words!([u64; 0]: isize, usize;);
#[cfg(target_pointer_width = "32")]
in_words!(u32: isize, usize;);

// SAFETY: so are all of its fields.
unsafe impl<V: InWord> Zeroable for StoredAt<V> {}

// SAFETY: 8 bytes, and then 8 of the value and the rest, which lie side by side (the promise of `InWord`).
unsafe impl<V: InWord> Pod for StoredAt<V> {}

// SAFETY: 16 bytes, aligned as its index is.
unsafe impl<V: InWord> WholeWords for StoredAt<V> {}

impl<V: InWord> StoredAt<V> {
    #[inline(always)]
    fn new(index: u64, value: V) -> Self {
        Self { index, value, zeros: V::Rest::zeroed() }
    }
}

impl<R: Storable<Stored: InWord>> Storable for At<R> {
    type Stored = StoredAt<R::Stored>;
    #[inline(always)]
    fn store(self) -> StoredAt<R::Stored> {
        StoredAt::new(self.index, self.value.store())
    }
    #[inline(always)]
    fn none() -> StoredAt<R::Stored> {
        StoredAt::new(u64::MAX, R::none())
    }
}
