//! A launch of a kernel takes that kernel's arguments, not those of another.

use std::ptr;

use cuda_std::Arguments;
use warpfold::kernels::Entry;

cuda_std::kernel! {
    /// Rounds numbers down.
    ///
    /// # Safety
    /// Both pointers are valid for `len` numbers.
    pub unsafe fn floor(input: *const f32, len: u64, output: *mut u32) {
        let _ = (input, len, output);
    }
}
cuda_std::kernel! {
    /// Rounds numbers up.
    ///
    /// # Safety
    /// Both pointers are valid for `len` numbers.
    pub unsafe fn ceil(input: *const f32, len: u64, output: *mut u32) {
        let _ = (input, len, output);
    }
}

const FLOOR: Entry<floor> = Entry::new("floor", "floor", "");

fn launch<A: Arguments>(_: Entry<A>, _: A) {}

fn main() {
    launch(FLOOR, ceil { input: ptr::null(), len: 0, output: ptr::null_mut() });
}
