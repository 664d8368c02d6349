//! `bench compact`: compaction of the random u32 below a threshold, also by a formula, against CUB's selection, with few, half
//! and most selected.

use warpfold::{Below, Cpu, formula};

use super::ground::tables;
use super::table::OURS;
use super::{Options, are_the_cpus, random};
use crate::Outcome;

/// The command line of `bench compact`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Number of elements, as a power of 2.
    #[arg(long, default_value_t = 28, value_parser = clap::value_parser!(u32).range(1..=31))]
    log2: u32,
    /// Shares of selected elements, in per cent.
    #[arg(long, value_delimiter = ',', default_value = "1,50,99", value_parser = clap::value_parser!(u32).range(0..=100))]
    shares: Vec<u32>,
}

/// The number that `share` per cent of all u32 are below.
fn threshold(share: u32) -> u32 {
    ((u64::from(share) << 32) / 100).min(u32::MAX.into()) as u32
}

/// Measures every share, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    let n = 1usize << args.log2;
    tables(&args.options, None, |ground| {
        let x: Vec<u32> = (0..n as u64).map(|i| random(i) as u32).collect();
        let device = ground.cuda.upload(&x)?;
        let (mut out, mut count) = (ground.cuda.values::<u32>(n)?, ground.cuda.values::<u64>(1)?);
        for &share in &args.shares {
            let below = Below { threshold: threshold(share) };
            let right = Cpu::new().compact(below, &x)?;
            let name = format!("{share} % of {n}");
            let case = ground.case("selected", &name, (n + right.len()) * size_of::<u32>());
            ground.ours(case, &mut || {
                Ok(ground.stream.compact_into(below, &device, (&mut out, &mut count))?)
            })?;
            let found = count.to_vec()?.first().map_or(0, |&count| count as usize);
            are_the_cpus(&name, out.to_vec()?.get(..found).unwrap_or_default(), &right)?;
            let end = below.threshold;
            let formula = formula!(|v: u32; end: u32| -> bool { v.lt(end) });
            ground.on_device(&format!("{OURS}, by a formula"), case, &mut || {
                Ok(ground.stream.compact_into(formula, &device, (&mut out, &mut count))?)
            })?;
            let found = count.to_vec()?.first().map_or(0, |&count| count as usize);
            are_the_cpus(&name, out.to_vec()?.get(..found).unwrap_or_default(), &right)?;
            let from = (device.as_device_ptr(), [n as u64, below.threshold.into()]);
            let check = |theirs: &[u32]| {
                let found = theirs.get(n).map_or(0, |&count| count as usize);
                are_the_cpus(&format!("CUB, {name}"), theirs.get(..found).unwrap_or_default(), &right)
            };
            // SAFETY: peers/compact.cu declares the function. Two more outputs hold the count after the elements; the number of
            // elements is even.
            unsafe { ground.theirs(("peer_compact_below_u32", "CUB"), case, from, n + 2, check) }?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_what_they_say() {
        assert_eq!([0, 50, 100].map(threshold), [0, 1 << 31, u32::MAX]);
        let below = |share| (0..10_000).filter(|&i| (random(i) as u32) < threshold(share)).count();
        assert!((50..150).contains(&below(1)) && (9_850..9_950).contains(&below(99)));
    }
}
