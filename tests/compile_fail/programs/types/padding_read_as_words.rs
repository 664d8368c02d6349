//! Vectors are loaded as words, which padding is none of.

use cuda_std::global::GlobalSlice;

#[derive(Clone, Copy)]
#[repr(C)]
struct Padded(u8, u16);

fn main() {
    let data = [Padded(1, 2); 4];
    // SAFETY: they are all there.
    let slice = unsafe { GlobalSlice::new(data.as_ptr(), 4) };
    let _ = slice.neighbours::<4>().read(0);
    let _ = slice.read_packed::<4>(0);
}
