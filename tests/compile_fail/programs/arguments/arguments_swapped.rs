//! Pointers to elements of two types cannot be exchanged.

cuda_std::kernel! {
    /// Rounds numbers down.
    ///
    /// # Safety
    /// Both pointers are valid for `len` numbers.
    pub unsafe fn floor(input: *const f32, len: u64, output: *mut u32) {
        let _ = (input, len, output);
    }
}

fn main() {
    let (input, mut output) = ([1.5f32], [0u32]);
    let _ = floor { input: output.as_mut_ptr(), len: 1, output: input.as_ptr().cast_mut() };
}
