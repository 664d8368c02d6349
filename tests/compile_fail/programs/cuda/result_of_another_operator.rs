//! Room for one operator's result does not take another's.

use warpfold::{ArgMin, Cuda, DeviceScalar, Error, Sum};

fn main() -> Result<(), Error> {
    let cuda = Cuda::open(0)?;
    let stream = cuda.stream()?;
    let array = cuda.upload(&[1.0f32, 2.0])?;
    let mut sum: DeviceScalar<f32, Sum> = cuda.scalar()?;
    stream.reduce_into(ArgMin, &array, &mut sum)?;
    Ok(())
}
