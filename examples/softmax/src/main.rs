//! Runs the kernel in the emulator and, with the feature `cuda`, on a GPU; both give the bits of plain code on
//! the host.

#[cfg(feature = "cuda")]
mod gpu;

use std::error::Error;

use cuda_std::emulator::{Launch, Order};
use softmax::{ExpSum, THREADS, softmax_rows};
use warpfold::{Cpu, Maximum};
use warpfold_elementary::exp;

fn main() -> Result<(), Box<dyn Error>> {
    for len in [1, 7, 1000, 4096, 20_000] {
        let input = rows(3, len);
        let expected = on_the_host(&input, len)?;
        for order in [Order::InOrder, Order::Interleaved(1)] {
            let found = under_the_emulator(&input, len, order)?;
            assert!(bits(&found).eq(bits(&expected)), "rows of {len} under the emulator, {order:?}");
        }
    }
    println!("under the emulator: the host's bits");
    #[cfg(feature = "cuda")]
    gpu::run()?;
    Ok(())
}

/// `count` rows of `len` random numbers between -20 and 20 (Lehmer's generator).
fn rows(count: usize, len: usize) -> Vec<f32> {
    let mut state = 1u64;
    let next = || {
        state = state * 48_271 % 0x7fff_ffff;
        state as f32 / 0x7fff_ffff as f32 * 40.0 - 20.0
    };
    std::iter::repeat_with(next).take(count * len).collect()
}

/// Plain code: warpfold's reductions of each row, with the same bits as the kernel.
fn on_the_host(input: &[f32], len: usize) -> Result<Vec<f32>, warpfold::Error> {
    let mut output = Vec::with_capacity(input.len());
    for row in input.chunks(len) {
        let max = Cpu::new().reduce(Maximum, row)?.unwrap_or(f32::NAN);
        let sum = Cpu::new().reduce(ExpSum { max }, row)?;
        output.extend(row.iter().map(|x| exp(x - max) / sum));
    }
    Ok(output)
}

/// The kernel itself, on the CPU: a race, a missed barrier or an access out of bounds would be an error.
fn under_the_emulator(input: &[f32], len: usize, order: Order) -> Result<Vec<f32>, Box<dyn Error>> {
    let mut output = vec![0.0; input.len()];
    let (from, to) = (input.as_ptr(), output.as_mut_ptr());
    let blocks = u32::try_from(input.len() / len)?;
    Launch::new(blocks, THREADS)
        .order(order)
        .register(input)
        .register(&raw const output[..])
        // SAFETY: one block per row; both arrays have as many rows and live as long as the launch.
        .run(|| unsafe { softmax_rows(softmax_rows { input: from, len: len as u64, output: to }) })?;
    Ok(output)
}

fn bits(x: &[f32]) -> impl Iterator<Item = u32> + '_ {
    x.iter().map(|x| x.to_bits())
}
