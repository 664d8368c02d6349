//! Reduces an array of cudarc in place, after the work on cudarc's stream. CuPy and PyTorch work the same way.

use cudarc::driver::{CudaContext, DevicePtr};
use warpfold::{Cuda, Sum};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cuda = match Cuda::open(0) {
        Ok(cuda) => cuda,
        Err(error) => return Ok(println!("{error}")),
    };
    let context = CudaContext::new(0)?;
    let theirs = context.new_stream()?;
    let array = theirs.clone_htod(&[1.0f32, 2.0, 4.0])?;

    let (address, _in_use) = array.device_ptr(&theirs);
    // SAFETY: cudarc keeps the array and the stream until the end of this function, and writes neither meanwhile.
    let (x, stream) = unsafe {
        (cuda.borrow_raw::<f32>(address, array.len())?, cuda.stream_from_raw(theirs.cu_stream().cast())?)
    };
    let sum = stream.reduce(Sum, &x)?;

    assert_eq!(sum, 7.0);
    println!("{}: cudarc's array sums to {sum}", cuda.properties().name);
    Ok(())
}
