//! Bytes from a device become elements only if the type can check them, and zeros only if zero is a value.

use std::num::NonZeroU32;

use warpfold::{Cuda, Error};

#[derive(Clone, Copy, bytemuck::NoUninit)]
#[repr(u8)]
enum Side {
    Left = 1,
    Right = 2,
}

fn main() -> Result<(), Error> {
    let cuda = Cuda::open(0)?;
    cuda.upload(&[Side::Left, Side::Right])?.to_vec()?;
    cuda.zeroed::<NonZeroU32>(10)?;
    Ok(())
}
