//! The block's shared memory.

use cuda_std::shared::SharedArray;

use super::addend::Addend;

/// The most threads of a block, and so the most places.
pub(super) const MOST_THREADS: usize = 1024;

cuda_std::shared_bytes! {
    /// One number per thread.
    fn ladder_scratch: 4096
}

/// Returns the scratch, one place per thread of the block.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn scratch<T: Addend>() -> SharedArray<T, MOST_THREADS> {
    ladder_scratch().array()
}
