//! Records reductions in a graph once, and replays them with one call.

use warpfold::{ArgMax, Cuda, Error, Sum};

fn main() -> Result<(), Error> {
    let cuda = match Cuda::open(0) {
        Ok(cuda) => cuda,
        Err(error) => return Ok(println!("{error}")),
    };
    let x = cuda.upload(&(0..1_000_000u32).collect::<Vec<_>>())?;
    let (mut sum, mut greatest) = (cuda.scalar::<u32, Sum>()?, cuda.scalar::<u32, ArgMax>()?);
    let stream = cuda.stream()?;

    // Load kernels before recording: loading waits for the device, which is not possible while a stream
    // records.
    cuda.prepare(Sum, &x)?;
    cuda.prepare(ArgMax, &x)?;
    let mut graph = stream.capture(|stream| {
        stream.reduce_into(Sum, &x, &mut sum)?;
        stream.reduce_into(ArgMax, &x, &mut greatest)
    })?;
    for _ in 0..100 {
        graph.launch(&stream)?;
    }

    assert_eq!(sum.get()?, 499_999_500_000);
    assert_eq!(greatest.get()?.map(|at| at.index), Some(999_999));
    println!("{}: two reductions, replayed 100 times", cuda.properties().name);
    Ok(())
}
