//! Elements must be plain data: the target of a pointer is not on the device.

use warpfold::{Cuda, Error};

fn main() -> Result<(), Error> {
    Cuda::open(0)?.upload(&[String::from("text")])?;
    Ok(())
}
