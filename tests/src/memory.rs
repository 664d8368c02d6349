//! What the emulator's tests hand to a kernel, beside elements.

use bytemuck::Pod;

/// What stands in memory that a kernel has yet to write.
#[must_use]
pub fn poison<A: Pod>(len: usize) -> Vec<A> {
    let mut cells = vec![A::zeroed(); len];
    bytemuck::cast_slice_mut::<A, u8>(&mut cells).fill(0xa5);
    cells
}

/// Offsets of one of the types that they may be.
pub trait Offset: Copy + Into<i128> + TryFrom<u64> {
    /// Whether they may be negative.
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
