//! Three bytes of each element are not initialised, and must not be copied to a device.

#[derive(Clone, Copy, bytemuck::NoUninit)]
#[repr(C)]
struct Padded {
    flag: u8,
    value: u32,
}

fn main() {
    let _ = Padded { flag: 1, value: 2 };
}
