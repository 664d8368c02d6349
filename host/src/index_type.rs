//! The integers that offsets and group ids may be.

use bytemuck::Pod;

/// An integer that says where a segment begins, or which group an element is in: i32, u32, i64, u64 or usize.
pub trait IndexType: Pod + Send + Sync + sealed::Integer {}

mod sealed {
    /// What is asked of such an integer.
    pub trait Integer: bytemuck::Pod {
        /// The greatest there is.
        #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "GPUs take them as bits"))]
        const MOST: u64;
        /// Its value, if it may be an index on this machine.
        fn index(self) -> Option<usize>;
        /// Its value, for a message.
        fn value(self) -> i128;
        /// Whether it may be negative.
        const IS_SIGNED: bool;
    }
}

macro_rules! index_types {
    ($($int:ty),*) => { $(
        impl IndexType for $int {}
        impl sealed::Integer for $int {
            const MOST: u64 = <$int>::MAX as u64;
            #[inline]
            fn index(self) -> Option<usize> {
                usize::try_from(self).ok()
            }
            fn value(self) -> i128 {
                self as i128
            }
            const IS_SIGNED: bool = <$int>::MIN != 0;
        }
    )* };
}
index_types!(i32, u32, i64, u64, usize);
