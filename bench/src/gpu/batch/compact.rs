//! `bench compact`: compaction of the random u32 below a threshold, against CUB's selection, with few, half and
//! most selected.

use warpfold::{Below, Cpu};

use super::cub::Cub;
use super::ground;
use super::table::{Case, OURS, report};
use super::{Options, random};
use crate::{Outcome, machine::Machine};

/// The command line of `bench compact`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    cub: Cub,
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
    println!("{}", Machine::here());
    let n = 1usize << args.log2;
    let (mut cases, mut figures) = (Vec::new(), Vec::new());
    let peak = ground::on_device(&args.options, |ground| {
        let peer = args.cub.load()?;
        let x: Vec<u32> = (0..n as u64).map(|i| random(i) as u32).collect();
        let device = ground.cuda.upload(&x)?;
        let (mut out, mut count) = (ground.cuda.values::<u32>(n)?, ground.cuda.values::<u64>(1)?);
        for &share in &args.shares {
            let below = Below { threshold: threshold(share) };
            let right = Cpu::new().compact(below, &x)?;
            let bytes = (n + right.len()) * size_of::<u32>();
            let case = Case { name: format!("{share} % of {n}"), bytes: bytes as u64 };
            figures.push(ground.on_device(OURS.to_owned(), &case, &mut || {
                Ok(ground.stream.compact_into(below, &device, &mut out, &mut count)?)
            })?);
            let found = count.to_vec()?.first().map_or(0, |&count| count as usize);
            are_right(OURS, out.to_vec()?.get(..found), &right)?;
            if let Some(peer) = &peer {
                // Two more, for the count after the elements; the number of elements is even.
                let theirs = ground.cuda.zeroed::<u32>(n + 2)?;
                let (from, to) = (device.as_device_ptr(), theirs.as_device_ptr());
                let what = [n as u64, below.threshold.into()];
                // SAFETY: peers/compact.cu declares the function with this type; both arrays stay until the
                // stream has settled.
                figures.push(unsafe {
                    peer.timed(ground, ("peer_compact_below_u32", "CUB"), &case, (from, to), what)
                }?);
                let theirs = theirs.to_vec()?;
                let found = theirs.get(n).map_or(0, |&count| count as usize);
                are_right("CUB", theirs.get(..found), &right)?;
            }
            cases.push(case);
        }
        Ok(())
    })?;
    report("selected", &cases, &figures, peak);
    Ok(())
}

/// Fails unless the elements found are those of the CPU.
fn are_right(who: &str, found: Option<&[u32]>, right: &[u32]) -> Outcome<()> {
    if found == Some(right) {
        Ok(())
    } else {
        Err(format!("{who}: other elements than the CPU selects").into())
    }
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
