//! Arithmetic of your own: formulas, with the same bits on a CPU and on a GPU.

use warpfold::{Cpu, Error, Max, Mean, Sum, count, formula, operator, rows, zip};

fn main() -> Result<(), Error> {
    let cpu = Cpu::new();
    let errors: Vec<f32> = (0..500_000u64).map(|i| ((i * 7919) % 1009) as f32 / 100.0 - 5.0).collect();
    let mask: Vec<f32> = (0..500_000).map(|i| f32::from(u8::from(i % 3 == 0))).collect();

    // The Huber loss. Captured numbers are listed after a semicolon.
    let limit = 1.5;
    let huber = formula!(|v: f32; limit: f32| {
        let size = v.abs();
        size.le(limit).select(v * v * 0.5, (size - limit * 0.5) * limit)
    });
    let loss = cpu.reduce(Sum.of(huber), &errors)?;
    // The mean under a mask, and the distance of two arrays.
    let kept = formula!(|v: f32, mask: f32| -> Option<f32> { mask.ne(0.0).then_some(v) });
    let mean = cpu.reduce(Mean.of(kept), zip(&errors, &mask))?;
    let distance = cpu.reduce(Max.of(formula!(|x: f32, y: f32| (x - y).abs())), zip(&errors, &mask))?;
    // Hits within a range, by row. How many of the numbers below 2^16 have bit 3 and not bit 5.
    let near = formula!(|v: f32| -> bool { v.ge(-0.25) & v.le(0.25) });
    let by_row = cpu.reduce(count(near), rows(&errors, [1000, 500]))?;
    assert_eq!(by_row.iter().sum::<u64>(), cpu.compact(near, &errors)?.len() as u64);
    let bits = formula!(|v: u32| (v >> 3) & !(v >> 5) & 1);
    assert_eq!(cpu.reduce(Sum.of(bits), &(0..1 << 16).collect::<Vec<u32>>())?, 1 << 14);
    // An operator of your own: an identity, and a formula that combines two elements.
    let larger = operator!(0.0, formula!(|a: f32, b| a.abs().gt(b.abs()).select(a, b)));
    let most = cpu.reduce(larger, &errors)?;
    assert_eq!(Some(most), cpu.reduce(Max, &errors)?);
    println!("loss {loss}, mean {mean:?}, distance {distance:?}");

    #[cfg(feature = "cuda")]
    if let Ok(cuda) = warpfold::Cuda::open(0) {
        let x = cuda.upload(&errors)?;
        assert_eq!((cuda.reduce(Sum.of(huber), &x)?, cuda.reduce(larger, &x)?), (loss, most));
        assert_eq!(cuda.reduce(count(near), rows(&x, [1000, 500]))?.to_vec()?, by_row);
    }
    Ok(())
}
