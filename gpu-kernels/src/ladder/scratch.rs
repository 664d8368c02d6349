//! The block's shared memory.

use cuda_std::shared::SharedArray;

use super::addend::Addend;

/// The most threads that a block may have, and so the most places that it needs.
pub(super) const MOST_THREADS: usize = 1024;

cuda_std::shared_bytes! {
    /// One number per thread.
    fn ladder_scratch: 4096
}

/// A place for each thread of the block.
#[inline(always)]
pub(super) fn scratch<T: Addend>() -> SharedArray<T, MOST_THREADS> {
    ladder_scratch().array()
}
