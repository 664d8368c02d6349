//! `bench histogram`: counts of random f32 in even bins, few to many, against CUB.

use warpfold::{Bins, Cpu};

use super::ground::tables;
use super::{Options, are_the_cpus, random};
use crate::Outcome;

/// The command line of `bench histogram`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Number of elements, as a power of 2.
    #[arg(long, default_value_t = 28, value_parser = clap::value_parser!(u32).range(1..=31))]
    log2: u32,
    /// Numbers of bins: powers of 2, so that rounding changes no peer's counts.
    #[arg(long, value_delimiter = ',', default_value = "16,256,4096,65536,1048576")]
    bins: Vec<usize>,
}

/// Measures every number of bins, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    let n = 1usize << args.log2;
    tables(&args.options, None, |ground| {
        // Multiples of 2^-24 below 1.
        let x: Vec<f32> = (0..n as u64).map(|i| (random(i) >> 40) as f32 / (1 << 24) as f32).collect();
        let device = ground.cuda.upload(&x)?;
        let mut outside = ground.cuda.values::<u64>(3)?;
        for &len in &args.bins {
            let even = Bins::even(0.0..=1.0f32, len)?;
            let right = Cpu::new().histogram(&even, &x)?.counts;
            let (bins, mut counts) = (ground.cuda.bins(&even)?, ground.cuda.values::<u64>(len)?);
            let name = format!("{len} bins of {n}");
            let case = ground.case("counted", &name, n * size_of::<f32>());
            ground.ours(case, &mut || {
                Ok(ground.stream.histogram_into(&bins, &device, (&mut counts, &mut outside))?)
            })?;
            are_the_cpus(&name, &counts.to_vec()?, &right)?;
            let from = (device.as_device_ptr(), [n as u64, len as u64]);
            let check = |theirs: &[u32]| {
                let theirs: Vec<u64> = theirs.iter().copied().map(u64::from).collect();
                are_the_cpus(&format!("CUB, {name}"), &theirs, &right)
            };
            // SAFETY: peers/histogram.cu declares the function.
            unsafe { ground.theirs(("peer_histogram_f32", "CUB"), case, from, len, check) }?;
        }
        Ok(())
    })
}
