//! Arithmetic of one's own in reductions, by formulas: the Huber loss, a mean of some elements, hits within a range by row, and numbers
//! with an odd count of bits. On a GPU if there is one, otherwise on the CPU: with the same bits.

use warpfold::{Cpu, Cuda, Error, Max, Sum, count, formula, rows};

const ROWS: usize = 1000;
const COLUMNS: usize = 500;

fn main() -> Result<(), Error> {
    let errors: Vec<f32> = (0..ROWS * COLUMNS).map(|i| ((i * 7919) % 1009) as f32 / 100.0 - 5.0).collect();
    let numbers: Vec<u32> = (0..100_000u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();

    let limit = 1.5;
    let huber = formula!(|v: f32; limit: f32| {
        let size = v.abs();
        size.le(limit).select(v * v * 0.5, (size - limit * 0.5) * limit)
    });
    let (least, most) = (-0.25, 0.25);
    let near = formula!(|v: f32; least: f32, most: f32| -> bool { v.ge(least) & v.le(most) });
    let near_or_zero = formula!(|v: f32; least: f32, most: f32| (v.ge(least) & v.le(most)).select(v, 0.0));
    // The parity of the bits, by halving.
    let odd = formula!(|v: u32| -> bool {
        let v = v ^ (v >> 16);
        let v = v ^ (v >> 8);
        let v = v ^ (v >> 4);
        let v = v ^ (v >> 2);
        ((v ^ (v >> 1)) & 1).eq(1)
    });

    let cpu = Cpu::new();
    let loss = cpu.reduce(Sum.of(huber), &errors)?;
    let mean = cpu.reduce(Sum.of(near_or_zero), &errors)? / cpu.reduce(count(near), &errors)? as f32;
    let hits = cpu.reduce(count(near), rows(&errors, [ROWS, COLUMNS]))?;
    let odds = cpu.reduce(count(odd), &numbers)?;
    let worst = cpu.reduce(Max.of(huber), &errors)?;
    println!("loss {loss}, mean of the near {mean}, {} hits in row 0, {odds} odd, worst {worst:?}", hits[0]);

    let cuda = match Cuda::open(0) {
        Ok(cuda) => cuda,
        Err(error) => return Ok(println!("{error}")),
    };
    let (errors, numbers) = (cuda.upload(&errors)?, cuda.upload(&numbers)?);
    assert_eq!(cuda.reduce(Sum.of(huber), &errors)?, loss);
    assert_eq!(cuda.reduce(count(near), rows(&errors, [ROWS, COLUMNS]))?.to_vec()?, hits);
    assert_eq!(cuda.reduce(count(odd), &numbers)?, odds);
    assert_eq!(cuda.reduce(Max.of(huber), &errors)?, worst);
    println!("the same on {}", cuda.properties().name);
    Ok(())
}
