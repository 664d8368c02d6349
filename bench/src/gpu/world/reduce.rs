//! f32 Sum of an array that is divided between the devices, against one device alone.

use warpfold::{Cpu, Sum};

use super::Rank;
use crate::Outcome;
use crate::datum::Datum;

/// Elements on one device alone, and of all devices together.
const CASES: [(usize, usize); 2] = [(1 << 28, 1 << 28), (1 << 30, 1 << 31)];

/// Measures, and prints a table on the first rank.
pub(super) fn measure(rank: &Rank) -> Outcome<()> {
    let ranks = rank.world.size();
    let most = CASES.iter().map(|&(alone, together)| alone.max(together / ranks)).max().unwrap_or(0);
    // Every device has the same elements.
    let distinct: Vec<f32> = (0..1u64 << 26).map(f32::at).collect();
    let host: Vec<f32> = distinct.iter().copied().cycle().take(most).collect();
    let x = rank.cuda.upload(&host)?;
    if rank.is_first() {
        println!(
            "\nf32 Sum, blocking calls, microseconds\nelements on one, us, elements on {ranks}, us, ratio"
        );
    }
    for (alone, together) in CASES {
        let (one, part) = (x.slice(..alone)?, x.slice(..together / ranks)?);
        let mut found = 0.0;
        let all = rank.time(1, &mut || {
            found = rank.world.reduce(Sum, part)?;
            Ok(())
        })?;
        check(rank, &host[..(together / ranks).min(1 << 26)])?;
        let single = rank.time(1, &mut || {
            if rank.is_first() {
                rank.cuda.reduce(Sum, one)?;
            }
            Ok(())
        })?;
        if rank.is_first() {
            println!(
                "{alone}, {:.1}, {together}, {:.1}, {:.3} (minima {:.1}, {:.1}; sum {found:e})",
                single.median,
                all.median,
                all.median / single.median,
                single.min,
                all.min
            );
        }
    }
    Ok(())
}

/// Compares a sum over all devices with that of the CPU over all parts.
fn check(rank: &Rank, part: &[f32]) -> Outcome<()> {
    let x = rank.cuda.upload(part)?;
    let found = rank.world.reduce(Sum, &x)?;
    let right = Cpu::new().reduce(Sum, &part.repeat(rank.world.size()))?;
    if found.to_bits() == right.to_bits() {
        return Ok(());
    }
    Err(format!("the sum over all devices is {found:e}, and that of the CPU {right:e}").into())
}
