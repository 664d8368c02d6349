//! A kernel that shares a struct of arguments has a body that takes this struct, with the same types.

cuda_std::arguments! {
    /// The arguments of kernels that round.
    pub struct Round<T: Copy> { input: *const T, len: u64, output: *mut u32 }

    /// The arguments of kernels that count.
    pub struct Count<T: Copy> { len: u64, input: *const T, output: *mut u32 }
}

/// Rounds numbers.
///
/// # Safety
/// Both pointers are valid for `len` numbers.
pub unsafe fn round<T: Copy>(a: Round<T>) {
    let _ = (a.input, a.len, a.output);
}

cuda_std::kernel! {
    /// Counts numbers.
    ///
    /// # Safety
    /// The contract of [`round`].
    pub unsafe fn count => round::<f32>: Count<f32>;

    /// Rounds numbers down.
    ///
    /// # Safety
    /// The contract of [`round`].
    pub unsafe fn floor => round::<f64>: Round<f32>;
}

fn main() {}
