//! Elements are plain data: what a pointer leads to is not on the device.

use warpfold::{Cuda, Error};

fn main() -> Result<(), Error> {
    Cuda::open(0)?.upload(&[String::from("text")])?;
    Ok(())
}
