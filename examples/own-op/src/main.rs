//! Reduces with users' operators: on the faster backend, and on the CPU. The CPU needs no kernels.

use own_op::{Gcd, Within};
use warpfold::{Auto, Cpu, Error, reduce, rows};

fn main() -> Result<(), Error> {
    let multiples: Vec<u32> = (1..1_000_000).map(|i| 42 * (i % 10_007)).collect();
    let gcd = reduce::<u32, Gcd>(&multiples)?;
    assert_eq!((gcd, Cpu::new().reduce(Gcd, &multiples)?), (42, 42));

    let roots: Vec<f32> = (0..1_000_000u32).map(|i| (i as f32).sqrt()).collect();
    let within = Within { centre: 500.0, radius: 0.5 };
    let near = Auto::new().reduce(within, &roots)?;
    let counted = roots.iter().filter(|&&root| (499.5..=500.5).contains(&root)).count();
    assert_eq!(near, counted as u64);

    // Elements without kernels, and the parts of an array.
    let wide: Vec<u64> = multiples.iter().map(|&x| u64::from(x) << 20).collect();
    assert_eq!(reduce::<u64, Gcd>(&wide)?, 42 << 20);
    assert_eq!(Auto::new().reduce(within, &[499, 500, 501])?, 1);
    assert_eq!(Auto::new().reduce(Gcd, rows(&[12, 18, 35, 49u8], [2, 2]))?, [6, 7]);

    println!("{gcd} divides all; {near} of the roots are within 0.5 of 500");
    #[cfg(feature = "cuda")]
    on_a_gpu(&multiples, (within, &roots), (gcd, near))?;
    Ok(())
}

/// The same on the first GPU, if there is one.
#[cfg(feature = "cuda")]
fn on_a_gpu(multiples: &[u32], (within, roots): (Within, &[f32]), expected: (u32, u64)) -> Result<(), Error> {
    let cuda = match warpfold::Cuda::open(0) {
        Ok(cuda) => cuda,
        Err(error) => {
            println!("no GPU: {error}");
            return Ok(());
        }
    };
    let (multiples, roots) = (cuda.upload(multiples)?, cuda.upload(roots)?);
    let gcd = cuda.reduce(Gcd, &multiples)?;
    let near = cuda.reduce(within, &roots)?;
    assert_eq!((gcd, near), expected);
    println!("the same on {}", cuda.properties().name);
    Ok(())
}
