//! Bytes from a device become only what any bytes may be.

use std::num::NonZeroU32;

use warpfold::{Cuda, Error};

fn main() -> Result<(), Error> {
    let cuda = Cuda::open(0)?;
    cuda.upload(&[true])?.download()?;
    cuda.zeroed::<NonZeroU32>(10)?;
    Ok(())
}
