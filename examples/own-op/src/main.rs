//! Folds with operators of one's own: wherever it is fastest, and on the CPU, which needs no kernels.

use own_op::{Gcd, Within};
use warpfold::{Cpu, Error, reduce, reduce_by};

fn main() -> Result<(), Error> {
    let multiples: Vec<u32> = (1..1_000_000).map(|i| 42 * (i % 10_007)).collect();
    let gcd = reduce::<u32, Gcd>(&multiples)?;
    assert_eq!((gcd, Cpu::new().reduce::<u32, Gcd>(&multiples)?), (42, 42));

    let roots: Vec<f32> = (0..1_000_000u32).map(|i| (i as f32).sqrt()).collect();
    let near = reduce_by(Within { centre: 500.0, radius: 0.5 }, &roots)?;
    let counted = roots.iter().filter(|&&root| (499.5..=500.5).contains(&root)).count();
    assert_eq!(near, counted as u64);

    println!("{gcd} divides all; {near} of the roots are within 0.5 of 500");
    #[cfg(feature = "cuda")]
    on_a_gpu(&multiples, &roots, (gcd, near))?;
    Ok(())
}

/// The same on the first GPU, if there is one.
#[cfg(feature = "cuda")]
fn on_a_gpu(multiples: &[u32], roots: &[f32], expected: (u32, u64)) -> Result<(), Error> {
    let cuda = match warpfold::Cuda::open(0) {
        Ok(cuda) => cuda,
        Err(error) => {
            println!("no GPU: {error}");
            return Ok(());
        }
    };
    let (multiples, roots) = (cuda.upload(multiples)?, cuda.upload(roots)?);
    let gcd = cuda.reduce::<u32, Gcd>(&multiples.as_slice())?;
    let near = cuda.reduce_by(Within { centre: 500.0, radius: 0.5 }, &roots.as_slice())?;
    assert_eq!((gcd, near), expected);
    println!("the same on {}", cuda.name());
    Ok(())
}
