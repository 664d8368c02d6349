//! A slice cannot outlive the device memory that it names.

use warpfold::{Cuda, Error, Sum};

fn main() -> Result<(), Error> {
    let cuda = Cuda::open(0)?;
    let array = cuda.upload(&[1.0f32, 2.0])?;
    let slice = array.slice(1..)?;
    drop(array);
    cuda.reduce(Sum, slice)?;
    Ok(())
}
