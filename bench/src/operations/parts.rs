//! Arrays reduced to many results: rows, columns, segments, runs, windows and groups. f32 Sum.

use std::collections::VecDeque;
use std::hint::black_box;

use ndarray::{ArrayView2, Axis};
use rayon::prelude::*;
use warpfold::{Max, Scan, Sum, View, along, columns, groups, rows, runs, segments, windows};

use super::{
    contest::{Bench, contest},
    whole::{all_close, same},
};
use crate::{Outcome, datum};

pub(super) fn measure(bench: &mut Bench, n: usize) -> Outcome<()> {
    let x = datum::make::<f32>(n);
    matrices(bench, &x)?;
    pieces(bench, &x)?;
    overlapping(bench, &x)?;
    running(bench, &x)?;
    by_group(bench, &x)
}

fn matrices(bench: &mut Bench, x: &[f32]) -> Outcome<()> {
    for (width, name) in [(4, "of 4"), (64, "of 64"), (1000, "of 1000"), (1 << 16, "of 2^16")] {
        let count = x.len() / width;
        let (x, n) = (&x[..count * width], x.len());
        let (rows_name, columns_name) = (format!("rows {name}"), format!("columns, rows {name}"));
        if count == 0 || !(bench.wants(&rows_name) || bench.wants(&columns_name)) {
            continue;
        }
        let view = ArrayView2::from_shape((count, width), x)?;
        let sums: Vec<f32> =
            x.chunks(width).map(|row| row.iter().map(|&x| f64::from(x)).sum::<f64>() as f32).collect();
        contest!(bench, n, &rows_name, sums, all_close; ours |cpu| cpu.reduce(Sum, rows(black_box(x), [count, width]));
            other "chunks().sum()" || black_box(x).chunks(width).map(|row| row.iter().sum()).collect(),
            other "ndarray sum_axis" || black_box(view).sum_axis(Axis(1)).to_vec(),
            rayon "par_chunks().sum()" || black_box(x).par_chunks(width).map(|row| row.iter().sum()).collect());
        let mut sums = vec![0.0f64; width];
        x.chunks(width).for_each(|row| sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x)));
        let sums: Vec<f32> = sums.into_iter().map(|sum| sum as f32).collect();
        contest!(bench, n, &columns_name, sums, all_close;
            ours |cpu| cpu.reduce(Sum, columns(black_box(x), [count, width]));
            other "a loop over rows" || {
                let mut sums = vec![0.0f32; width];
                black_box(x).chunks(width).for_each(|row| sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum += x));
                sums
            },
            other "ndarray sum_axis" || black_box(view).sum_axis(Axis(0)).to_vec());
    }
    Ok(())
}

fn pieces(bench: &mut Bench, x: &[f32]) -> Outcome<()> {
    let n = x.len();
    for (most, name) in [(20, "to 20"), (2000, "to 2000")] {
        let (segments_name, runs_name) = (format!("segments of 0 {name}"), format!("runs of 1 {name}"));
        let mut offsets = vec![0_u32];
        let mut keys = Vec::with_capacity(n);
        while keys.len() < n {
            let key = offsets.len() as u64;
            let len = usize::try_from(<u64 as datum::Datum>::at(key) % most)?.min(n - keys.len());
            keys.resize(keys.len() + len, key as u32);
            offsets.push(u32::try_from(keys.len())?);
        }
        let (keys, offsets) = (&keys[..], &offsets[..]);
        let sum = |x: &[f32]| x.iter().map(|&x| f64::from(x)).sum::<f64>() as f32;
        let pieces = || offsets.windows(2).map(|ends| &black_box(x)[ends[0] as usize..ends[1] as usize]);
        let sums: Vec<f32> = pieces().map(sum).collect();
        contest!(bench, n, &segments_name, sums, all_close; ours |cpu| cpu.reduce(Sum, segments(black_box(x), offsets));
        other "a loop over slices" || pieces().map(|piece| piece.iter().sum()).collect(),
        rayon "par_windows()" || {
            offsets.par_windows(2).map(|ends| black_box(x)[ends[0] as usize..ends[1] as usize].iter().sum()).collect()
        });
        let sums: Vec<f32> = pieces().filter(|piece| !piece.is_empty()).map(sum).collect();
        contest!(bench, n, &runs_name, sums, all_close; ours |cpu| Ok(cpu.reduce(Sum, runs(keys, black_box(x)))?.1);
        other "a loop with keys" || {
            let mut out: Vec<(u32, f32)> = Vec::new();
            for (&key, &x) in keys.iter().zip(black_box(x)) {
                match out.last_mut() {
                    Some((last, sum)) if *last == key => *sum += x,
                    _ => out.push((key, x)),
                }
            }
            out.into_iter().map(|(_, sum)| sum).collect()
        });
    }
    Ok(())
}

fn running(bench: &mut Bench, x: &[f32]) -> Outcome<()> {
    for (width, name) in [(4, "of 4"), (64, "of 64"), (1000, "of 1000")] {
        let count = x.len() / width;
        let (x, n) = (&x[..count * width], x.len());
        let (down, along_rows) = (format!("scan columns, rows {name}"), format!("scan rows {name}"));
        if count == 0 || !(bench.wants(&down) || bench.wants(&along_rows)) {
            continue;
        }
        let matrix = View::new(x, &[count, width])?;
        let exact = |axis: usize| -> Vec<f32> {
            let (mut sums, mut out) = (vec![0.0_f64; width], Vec::with_capacity(x.len()));
            for row in x.chunks(width) {
                let mut sum = 0.0;
                for (column, &x) in row.iter().enumerate() {
                    (sums[column], sum) = (sums[column] + f64::from(x), sum + f64::from(x));
                    out.push(if axis == 0 { sums[column] as f32 } else { sum as f32 });
                }
            }
            out
        };
        contest!(bench, n, &down, exact(0), all_close;
        ours |cpu| cpu.scan(Sum, along(black_box(matrix), &[0]), Scan::inclusive());
        other "a loop over rows" || {
            let (x, mut out) = (black_box(x), vec![0.0; x.len()]);
            out[..width].copy_from_slice(&x[..width]);
            for at in width..x.len() {
                out[at] = out[at - width] + x[at];
            }
            out
        });
        contest!(bench, n, &along_rows, exact(1), all_close;
        ours |cpu| cpu.scan(Sum, rows(black_box(x), [count, width]), Scan::inclusive());
        other "a loop over each row" || {
            let mut out = Vec::with_capacity(x.len());
            for row in black_box(x).chunks(width) {
                out.extend(row.iter().scan(0.0, |sum, &x| {
                    *sum += x;
                    Some(*sum)
                }));
            }
            out
        });
    }
    Ok(())
}

fn overlapping(bench: &mut Bench, x: &[f32]) -> Outcome<()> {
    let n = x.len();
    for (len, name) in [(10, "10"), (100, "100"), (1000, "1000"), (10_000, "10^4")] {
        let (sums_name, max_name) = (format!("windows of {name}"), format!("windows of {name}, max"));
        if len > n || !(bench.wants(&sums_name) || bench.wants(&max_name)) {
            continue;
        }
        let running = || {
            let x = black_box(x);
            let first: f64 = x[..len].iter().map(|&x| f64::from(x)).sum();
            let changes = x[len..].iter().zip(x).map(|(&new, &old)| f64::from(new) - f64::from(old));
            let rest = changes.scan(first, |sum, change| {
                *sum += change;
                Some(*sum as f32)
            });
            std::iter::once(first as f32).chain(rest).collect::<Vec<f32>>()
        };
        contest!(bench, n, &sums_name, running(), all_close; ours |cpu| cpu.reduce(Sum, windows(black_box(x), len));
            other "a running sum" running);
        // The elements that may still be the greatest of a window, with their indices.
        let greatest = || {
            let (x, mut candidates) = (black_box(x), VecDeque::<usize>::new());
            let mut all = Vec::with_capacity(n - len + 1);
            for (i, new) in x.iter().enumerate() {
                while candidates.back().is_some_and(|&last| x[last] <= *new) {
                    candidates.pop_back();
                }
                candidates.push_back(i);
                if candidates[0] + len <= i {
                    candidates.pop_front();
                }
                if i + 1 >= len {
                    all.push(Some(x[candidates[0]]));
                }
            }
            all
        };
        contest!(bench, n, &max_name, greatest(), same; ours |cpu| cpu.reduce(Max, windows(black_box(x), len));
            other "a queue of candidates" greatest);
    }
    Ok(())
}

fn by_group(bench: &mut Bench, x: &[f32]) -> Outcome<()> {
    let n = x.len();
    for (count, name) in [(10, "10"), (1000, "1000"), (100_000, "10^5"), (1_000_000, "10^6")] {
        let (sum_name, max_name) = (format!("{name} groups"), format!("{name} groups, max"));
        if count > n || !(bench.wants(&sum_name) || bench.wants(&max_name)) {
            continue;
        }
        let ids: Vec<u32> =
            (0..n as u64).map(|i| (<u64 as datum::Datum>::at(!i) % count as u64) as u32).collect();
        let ids = &ids[..];
        let mut sums = vec![0.0f64; count];
        ids.iter().zip(x).for_each(|(&id, &x)| sums[id as usize] += f64::from(x));
        let sums: Vec<f32> = sums.into_iter().map(|sum| sum as f32).collect();
        contest!(bench, n, &sum_name, sums, all_close; ours |cpu| cpu.reduce(Sum, groups(ids, black_box(x), count));
        other "a loop" || {
            let mut sums = vec![0.0f32; count];
            ids.iter().zip(black_box(x)).for_each(|(&id, &x)| sums[id as usize] += x);
            sums
        });
        let greatest = || {
            let mut greatest: Vec<Option<f32>> = vec![None; count];
            for (&id, &x) in ids.iter().zip(black_box(x)) {
                let place = &mut greatest[id as usize];
                *place = Some(place.map_or(x, |max| max.max(x)));
            }
            greatest
        };
        contest!(bench, n, &max_name, greatest(), same; ours |cpu| cpu.reduce(Max, groups(ids, black_box(x), count));
            other "a loop" greatest);
    }
    Ok(())
}
