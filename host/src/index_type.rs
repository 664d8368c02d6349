//! The integers that offsets and group ids may be.

/// An integer that says where a segment begins, or which group an element is in: i32, u32, i64, u64 or usize.
pub trait IndexType: Copy + Send + Sync + sealed::Integer {}

mod sealed {
    /// What is asked of such an integer.
    pub trait Integer {
        /// Its value, if it may be an index on this machine.
        fn index(self) -> Option<usize>;
        /// Its value, for a message.
        fn value(self) -> i128;
    }
}

macro_rules! index_types {
    ($($int:ty),*) => { $(
        impl IndexType for $int {}
        impl sealed::Integer for $int {
            #[inline]
            fn index(self) -> Option<usize> {
                usize::try_from(self).ok()
            }
            fn value(self) -> i128 {
                self as i128
            }
        }
    )* };
}
index_types!(i32, u32, i64, u64, usize);
