//! Reduces arrays in a GPU's memory on a stream: the calls return at once, and the results stay there until
//! they are read.

use warpfold::{Cuda, Error, Max, Mean, rows};

fn main() -> Result<(), Error> {
    let cuda = match Cuda::open(0) {
        Ok(cuda) => cuda,
        Err(error) => return Ok(println!("{error}")),
    };
    let x: Vec<f32> = (0..6_000_000).map(|i| (i / 2_000_000) as f32).collect();
    let x = cuda.upload(&x)?;
    let (stream, mut max) = (cuda.stream()?, cuda.scalar::<f32, Max>()?);
    let mut means = cuda.results::<f32, Mean>(3)?;

    stream.reduce_into(Max, &x, &mut max)?;
    stream.reduce_into(Mean, rows(&x, [3, 2_000_000]), &mut means)?;
    // Other work of this thread goes here.

    assert_eq!(max.get()?, Some(2.0)); // waits
    assert_eq!(means.to_vec()?, [0.0, 1.0, 2.0].map(Some));
    println!("{}: max and means as expected", cuda.properties().name);
    Ok(())
}
