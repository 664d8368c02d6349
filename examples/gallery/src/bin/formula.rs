//! Arithmetic of your own: formulas, with the same bits on a CPU and on a GPU; on a CPU also closures.

use warpfold::{Cpu, Error, Max, Sum, count, formula, operator, rows};

fn main() -> Result<(), Error> {
    let cpu = Cpu::new();
    let errors: Vec<f32> = (0..500_000u64).map(|i| ((i * 7919) % 1009) as f32 / 100.0 - 5.0).collect();

    // The Huber loss. Captured numbers are listed after a semicolon.
    let limit = 1.5;
    let huber = formula!(|v: f32; limit: f32| {
        let size = v.abs();
        size.le(limit).select(v * v * 0.5, (size - limit * 0.5) * limit)
    });
    let (loss, worst) = (cpu.reduce(Sum.of(huber), &errors)?, cpu.reduce(Max.of(huber), &errors)?);

    // Hits within a range, by row too.
    let near = formula!(|v: f32| -> bool { v.ge(-0.25) & v.le(0.25) });
    let hits = cpu.reduce(count(near), &errors)?;
    let by_row = cpu.reduce(count(near), rows(&errors, [1000, 500]))?;
    assert_eq!((by_row.iter().sum::<u64>(), cpu.compact(near, &errors)?.len() as u64), (hits, hits));
    // An operator of your own: an identity, and a formula that combines two elements.
    let larger = operator!(0.0, formula!(|a: f32, b| a.abs().gt(b.abs()).select(a, b)));
    assert_eq!(Some(cpu.reduce(larger, &errors)?), cpu.reduce(Max, &errors)?);

    #[cfg(feature = "cuda")]
    if let Ok(cuda) = warpfold::Cuda::open(0) {
        let x = cuda.upload(&errors)?;
        assert_eq!((cuda.reduce(Sum.of(huber), &x)?, cuda.compact(near, &x)?.len() as u64), (loss, hits));
        assert_eq!(Some(cuda.reduce(larger, &x)?), cpu.reduce(Max, &errors)?);
        assert_eq!(cuda.reduce(count(near), rows(&x, [1000, 500]))?.to_vec()?, by_row);
        println!("the same on {}", cuda.properties().name);
    }
    // A closure needs the type of its parameter, and moves what it captures.
    assert_eq!(cpu.reduce(count(move |v: f32| v.abs() > limit), &errors)?, 350_843);
    let product = operator!(1, |a: u32, b| a.wrapping_mul(b) % 65_521);
    assert_eq!(cpu.reduce(product, &[7, 1000, 30])?, 13_437);
    println!("loss {loss}, worst {worst:?}, {hits} hits");
    Ok(())
}
