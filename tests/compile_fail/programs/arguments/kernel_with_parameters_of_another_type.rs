//! A kernel that shares a struct of arguments has parameters of the fields' types.

cuda_std::arguments! {
    /// The arguments of kernels that round.
    pub struct Round<T: Copy> { input: *const T, len: u64, output: *mut u32 }
}

cuda_std::kernel! {
    /// Rounds numbers down.
    ///
    /// # Safety
    /// Both pointers are valid for `len` numbers.
    pub unsafe fn floor(input: *const f64, len: u64, output: *mut u32): Round<f32> {
        let _ = (input, len, output);
    }
}

fn main() {}
