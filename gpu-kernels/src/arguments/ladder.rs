//! The arguments of the ladder's kernels.

use cuda_std::memory::{Atomic, Readable, Writable};

cuda_std::arguments! {
    /// The arguments of kernels from one array to another.
    pub struct Between<T: Copy> { input: Readable<T>, len: u64, out: Writable<T> }

    /// The arguments of rung 13.
    pub struct WithTicket<T: Copy> { input: Readable<T>, len: u64, out: Writable<T>, ticket: Atomic<u32> }

    /// The arguments of the transposes.
    pub struct Transpose<T: Copy> { input: Readable<T>, out: Writable<T>, width: u32, height: u32 }
}
