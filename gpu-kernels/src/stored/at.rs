//! An element and its index, in device memory.

use bytemuck::{Pod, Zeroable};

use super::Storable;
use crate::ops::{At, WholeWords};
use crate::{bf16, f16};

/// An element and its index as 16 bytes: the index from byte 0, the value from byte 8, and zeros behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct StoredAt<V: InWord> {
    /// Index of the element; `u64::MAX` for none.
    pub index: u64,
    /// The element.
    pub value: V,
    /// The rest of the value's 8 bytes.
    zeros: V::Rest,
}

/// A value of at most 8 bytes, filled up to 8 with zeros.
///
/// # Safety
/// The sizes of the value and of the rest add up to 8. The rest needs no more alignment than the value, which needs at most 8.
pub unsafe trait InWord: Pod + Send + Sync {
    /// The rest of the 8 bytes.
    type Rest: Pod + Send + Sync;
}

macro_rules! in_words {
    ($($rest:ty: $($value:ty),+;)*) => { $($(
        const _: () = assert!(size_of::<$value>() + size_of::<$rest>() == 8);
        const _: () = assert!(align_of::<$rest>() <= align_of::<$value>() && align_of::<$value>() <= 8);
        // SAFETY: the two assertions above check it.
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

// SAFETY: all fields are `Zeroable`: `u64`, and two `Pod` types by `InWord`.
unsafe impl<V: InWord> Zeroable for StoredAt<V> {}

// SAFETY: 8 bytes of `u64`, then 8 of the value and the rest, both `Pod` and side by side without padding, by the contract of
// `InWord`.
unsafe impl<V: InWord> Pod for StoredAt<V> {}

// SAFETY: 16 bytes in all, aligned as the index is.
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
