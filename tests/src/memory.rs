//! Memory for kernels in the emulator's tests, besides elements.

use bytemuck::Pod;

/// The contents of memory that a kernel has not written yet.
#[must_use]
pub fn poison<A: Pod>(len: usize) -> Vec<A> {
    let mut cells = vec![A::zeroed(); len];
    bytemuck::cast_slice_mut::<A, u8>(&mut cells).fill(0xa5);
    cells
}

/// A type of offsets.
pub trait Offset: Copy + Into<i128> + TryFrom<u64> {
    /// Whether offsets can be negative.
    const IS_SIGNED: bool;
}

macro_rules! offsets {
    ($($int:ty)*) => { $(
        impl Offset for $int {
            const IS_SIGNED: bool = <$int>::MIN != 0;
        }
    )* };
}
offsets!(u32 i32 u64 i64);
