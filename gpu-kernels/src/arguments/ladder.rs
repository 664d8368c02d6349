//! The arguments of the ladder's kernels.

cuda_std::arguments! {
    /// The arguments of kernels from one array to another.
    pub struct Between<T: Copy> { input: *const T, len: u64, out: *mut T }

    /// The arguments of rung 13.
    pub struct WithTicket<T: Copy> { input: *const T, len: u64, out: *mut T, ticket: *mut u32 }

    /// The arguments of the transposes.
    pub struct Transpose<T: Copy> { input: *const T, out: *mut T, width: u32, height: u32 }
}
