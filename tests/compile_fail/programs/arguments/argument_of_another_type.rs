//! An argument has the type of the kernel's parameter.

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
    let _ = floor { input: ptr::null::<f64>(), len: 0, output: ptr::null_mut() };
}
