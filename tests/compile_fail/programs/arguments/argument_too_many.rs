//! A launch has arguments for the kernel's parameters only.

use std::ptr;

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
    let _ = floor { input: ptr::null(), len: 0, output: ptr::null_mut(), op: 0 };
}
