//! A result cannot be written while it is borrowed.

use warpfold::{Cuda, DeviceScalar, Error, Sum};

fn main() -> Result<(), Error> {
    let cuda = Cuda::open(0)?;
    let stream = cuda.stream()?;
    let array = cuda.upload(&[1.0f32, 2.0])?;
    let mut sum = cuda.scalar::<f32, Sum>()?;
    let borrowed: &DeviceScalar<f32, Sum> = &sum;
    stream.reduce_into(Sum, &array, &mut sum)?;
    borrowed.get()?;
    Ok(())
}
