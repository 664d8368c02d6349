//! Scans, compaction, partition, unique elements and histograms. f32.

use std::hint::black_box;

use warpfold::{Bins, Cpu, Scan, Sum, above};

use super::{
    contest::{Bench, contest},
    whole::{all_close, same},
};
use crate::{Outcome, datum};

pub(super) fn measure(bench: &mut Bench, n: usize) -> Outcome<()> {
    let x = datum::make::<f32>(n);
    let x = &x[..];
    let running = |x: &[f32]| -> Vec<f32> {
        x.iter()
            .scan(0.0, |sum, &x| {
                *sum += x;
                Some(*sum)
            })
            .collect()
    };
    let exact: Vec<f32> = x
        .iter()
        .scan(0.0f64, |sum, &x| {
            *sum += f64::from(x);
            Some(*sum as f32)
        })
        .collect();
    contest!(bench, n, "scan f32", exact, all_close; ours |cpu| cpu.scan(Sum, black_box(x), Scan::inclusive());
        other "iter().scan()" || running(black_box(x)));
    for (bound, name) in [(0.5, "compact half"), (0.9, "compact a tenth")] {
        let kept: Vec<f32> = x.iter().copied().filter(|&x| x > bound).collect();
        contest!(bench, n, name, kept, same; ours |cpu| cpu.compact(above(bound), black_box(x));
            other "iter().filter()" || black_box(x).iter().copied().filter(|&x| x > bound).collect());
    }
    // Ours returns one array, the kept elements first: the others' two arrays are concatenated.
    let whole = |(mut kept, rest): (Vec<f32>, Vec<f32>)| {
        let middle = kept.len();
        kept.extend(rest);
        (kept, middle)
    };
    let parted = || black_box(x).iter().partition(|&&x| x > 0.5);
    contest!(bench, n, "partition", whole(parted()), same; ours |cpu| cpu.partition(above(0.5f32), black_box(x));
        other "iter().partition()" || whole(parted()));
    let keys: Vec<u32> = datum::make::<u32>(n).into_iter().map(|x| x % 2).collect();
    let keys = &keys[..];
    let mut unique = keys.to_vec();
    unique.dedup();
    contest!(bench, n, "unique", unique, same; ours |cpu| cpu.unique(black_box(keys));
    other "to_vec(), dedup()" || {
        let mut unique = black_box(keys).to_vec();
        unique.dedup();
        unique
    });
    for len in [16, 256, 4096] {
        let (bins, scale) = (Bins::even(0.0..=1.0, len)?, len as f32);
        let looped = |x: &[f32]| {
            let mut counts = vec![0u64; len];
            x.iter()
                .filter(|x| (0.0..=1.0).contains(*x))
                .for_each(|x| counts[((x * scale) as usize).min(len - 1)] += 1);
            counts
        };
        let counted = |cpu: &Cpu| cpu.histogram(&bins, black_box(x)).map(|found| found.counts);
        contest!(bench, n, &format!("histogram of {len} bins"), looped(x), same; ours |cpu| counted(cpu);
            other "a loop" || looped(black_box(x)));
    }
    Ok(())
}
