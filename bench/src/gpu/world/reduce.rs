//! f32 Sum of an array that is divided between the devices, against one device alone.

use warpfold::{Cpu, DeviceSlice, Sum};

use super::Rank;
use crate::Outcome;
use crate::datum::Datum;

/// Elements on one device alone, and whether as many are on each device, or on all together.
const CASES: [(usize, bool); 3] = [(1 << 28, false), (1 << 28, true), (1 << 30, true)];

/// Measures, and prints a table on the first rank.
pub(super) fn measure(rank: &Rank) -> Outcome<()> {
    let ranks = rank.world.size();
    let most = CASES.iter().map(|case| case.0).max().unwrap_or(0);
    // Every device has the same elements.
    let distinct: Vec<f32> = (0..1u64 << 26).map(f32::at).collect();
    let host: Vec<f32> = distinct.iter().copied().cycle().take(most).collect();
    let x = rank.cuda.upload(&host)?;
    if rank.is_first() {
        println!(
            "\nf32 Sum, microseconds: blocking calls; launches of a graph of one call, and a wait\n\
             elements on one, us, elements on {ranks}, us, ratio, graph: us, us, ratio"
        );
    }
    for (alone, on_each) in CASES {
        // Parts begin with tiles of the tree.
        let own = if on_each { alone } else { (alone / ranks) >> 20 << 20 };
        let together = own * ranks;
        let (one, part) = (x.slice(..alone)?, x.slice(..own)?);
        let mut found = 0.0;
        let all = rank.time(1, &mut || {
            found = rank.world.reduce(Sum, part)?;
            Ok(())
        })?;
        check(rank, &host[..own.min(1 << 26)])?;
        let single = rank.time(1, &mut || {
            if rank.is_first() {
                rank.cuda.reduce(Sum, one)?;
            }
            Ok(())
        })?;
        let graphs = graphs(rank, one, part)?;
        if rank.is_first() {
            println!(
                "{alone}, {:.1}, {together}, {:.1}, {:.3}, {:.1}, {:.1}, {:.3} (minima {:.1}, {:.1}; sum {found:e})",
                single.median,
                all.median,
                all.median / single.median,
                graphs[0],
                graphs[1],
                graphs[1] / graphs[0],
                single.min,
                all.min
            );
        }
    }
    Ok(())
}

/// The microseconds of a graph that reduces `one` on the first device, and of one that reduces the parts of all.
fn graphs(rank: &Rank, one: DeviceSlice<'_, f32>, part: DeviceSlice<'_, f32>) -> Outcome<[f64; 2]> {
    let (stream, mut sum) = (rank.cuda.stream()?, rank.cuda.scalar()?);
    let mut alone = stream.capture(|stream| stream.reduce_into(Sum, one, &mut sum))?;
    let mut all = rank.cuda.scalar()?;
    let mut together = stream.capture(|stream| rank.world.reduce_on(stream, Sum, part, &mut all))?;
    let single = rank.time(1, &mut || {
        if rank.is_first() {
            alone.launch(&stream)?;
            stream.synchronize()?;
        }
        Ok(())
    })?;
    let all = rank.time(1, &mut || {
        together.launch(&stream)?;
        Ok(stream.synchronize()?)
    })?;
    Ok([single.median, all.median])
}

/// Compares a sum over all devices with the CPU's sum over all parts.
fn check(rank: &Rank, part: &[f32]) -> Outcome<()> {
    let x = rank.cuda.upload(part)?;
    let found = rank.world.reduce(Sum, &x)?;
    let right = Cpu::new().reduce(Sum, &part.repeat(rank.world.size()))?;
    if found.to_bits() == right.to_bits() {
        return Ok(());
    }
    Err(format!("the sum over all devices is {found:e}, and that of the CPU {right:e}").into())
}
