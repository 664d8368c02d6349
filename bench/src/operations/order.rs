//! Sorts and selection, of random and of patterned keys.

use std::{cmp::Ordering, hint::black_box};

use rayon::prelude::*;
use warpfold::Order;
use warpfold::elements::TotalOrder;

use super::{
    contest::{Bench, contest},
    whole::same,
};
use crate::{Outcome, datum, datum::Datum};

/// The arrangements of keys.
const ARRANGED: [&str; 7] =
    ["random", "sorted", "reversed", "few distinct", "organ pipe", "1 % noise", "concatenated"];

pub(super) fn measure(bench: &mut Bench, n: usize) -> Outcome<()> {
    for how in ARRANGED {
        sorts(bench, n, how, f32::total_cmp)?;
        sorts(bench, n, how, u64::cmp)?;
    }
    others(bench, n)?;
    selection(bench, n)
}

/// `n` ascending keys, rearranged as `how` says.
fn arranged<T: Datum>(n: usize, how: &str, compare: impl Fn(&T, &T) -> Ordering + Copy) -> Vec<T> {
    let mut keys = datum::make::<T>(n);
    let random = |i: usize| <u64 as Datum>::at(!(i as u64)) as usize;
    match how {
        "random" => {}
        "sorted" => keys.sort_by(compare),
        "reversed" => keys.sort_by(|left, right| compare(right, left)),
        "few distinct" => keys = (0..n).map(|i| T::at(random(i) as u64 % 16)).collect(),
        "organ pipe" => {
            let (up, down) = keys.split_at_mut(n / 2);
            up.sort_by(compare);
            down.sort_by(|left, right| compare(right, left));
        }
        "1 % noise" => {
            keys.sort_by(compare);
            (0..n / 100).for_each(|i| keys.swap(random(i) % n, random(i + n) % n));
        }
        _ => keys.chunks_mut(n.div_ceil(10).max(1)).for_each(|run| run.sort_by(compare)),
    }
    keys
}

fn sorts<T: Datum + TotalOrder + PartialEq + radsort::Key>(
    bench: &mut Bench,
    n: usize,
    how: &str,
    compare: impl Fn(&T, &T) -> Ordering + Copy + Sync,
) -> Outcome<()> {
    let name = format!("sort {} {how}", T::NAME);
    if !bench.wants(&name) {
        return Ok(());
    }
    let keys = arranged(n, how, compare);
    let keys = &keys[..];
    let by = |sort: &dyn Fn(&mut Vec<T>)| {
        let mut keys = black_box(keys).to_vec();
        sort(&mut keys);
        keys
    };
    let sorted = by(&|keys| keys.sort_by(compare));
    contest!(bench, n, &name, sorted, same; ours |cpu| {
        let mut sorted = black_box(keys).to_vec();
        cpu.sort(&mut sorted, Order::Ascending)?;
        Ok(sorted)
    };
        other "sort_by()" || by(&|keys| keys.sort_by(compare)),
        other "sort_unstable_by()" || by(&|keys| keys.sort_unstable_by(compare)),
        other "radsort" || by(&|keys| radsort::sort(keys)),
        rayon "par_sort_by()" || by(&|keys| keys.par_sort_by(compare)),
        rayon "par_sort_unstable_by()" || by(&|keys| keys.par_sort_unstable_by(compare)));
    Ok(())
}

fn others(bench: &mut Bench, n: usize) -> Outcome<()> {
    let keys = datum::make::<u32>(n);
    let keys = &keys[..];
    let indices = |sort: &dyn Fn(&mut Vec<usize>)| {
        let mut indices: Vec<usize> = (0..n).collect();
        sort(&mut indices);
        indices
    };
    let sorted = indices(&|indices| indices.sort_by_key(|&i| keys[i]));
    contest!(bench, n, "argsort u32", sorted, same; ours |cpu| cpu.argsort(black_box(keys), Order::Ascending);
        other "sort_by_key()" || indices(&|indices| indices.sort_by_key(|&i| keys[i])),
        other "sort_unstable_by_key()" || indices(&|indices| indices.sort_unstable_by_key(|&i| (keys[i], i))),
        rayon "par_sort_by_key()" || indices(&|indices| indices.par_sort_by_key(|&i| keys[i])));
    let values = datum::make::<f32>(n);
    let values = &values[..];
    let mut pairs: Vec<(u32, f32)> = keys.iter().copied().zip(values.iter().copied()).collect();
    pairs.sort_by_key(|pair| pair.0);
    let zipped = || keys.iter().copied().zip(values.iter().copied()).collect::<Vec<_>>();
    contest!(bench, n, "sort_pairs u32 f32", pairs.iter().copied().unzip::<u32, f32, Vec<_>, Vec<_>>(), same;
    ours |cpu| {
        let (mut keys, mut values) = (black_box(keys).to_vec(), values.to_vec());
        cpu.sort_pairs(&mut keys, &mut values, Order::Ascending)?;
        Ok((keys, values))
    };
    other "sort_by_key() of pairs" || {
        let mut pairs = zipped();
        pairs.sort_by_key(|pair| pair.0);
        pairs.into_iter().unzip()
    },
    other "radsort of pairs" || {
        let mut pairs = zipped();
        radsort::sort_by_key(&mut pairs, |pair| pair.0);
        pairs.into_iter().unzip()
    },
    rayon "par_sort_by_key() of pairs" || {
        let mut pairs = zipped();
        pairs.par_sort_by_key(|pair| pair.0);
        pairs.into_iter().unzip()
    });
    Ok(())
}

fn selection(bench: &mut Bench, n: usize) -> Outcome<()> {
    let x = datum::make::<f32>(n);
    let x = &x[..];
    for (k, name) in [(10, "top_k 10"), (1000, "top_k 1000")] {
        if k > n {
            continue;
        }
        // The keys alone: the others may return equal keys at any of their places.
        let selected = || {
            let mut x = black_box(x).to_vec();
            if k < n {
                x.select_nth_unstable_by(k, |left, right| right.total_cmp(left));
            }
            x.truncate(k);
            x.sort_unstable_by(|left, right| right.total_cmp(left));
            x
        };
        contest!(bench, n, name, selected(), same;
            ours |cpu| Ok(cpu.top_k(black_box(x), k)?.into_iter().map(|at| at.value).collect::<Vec<_>>());
            other "select_nth_unstable_by()" selected);
    }
    let middle = |x: &mut [f32]| {
        let (lower, at, _) = x.select_nth_unstable_by(n / 2, f32::total_cmp);
        let upper = *at;
        if n % 2 == 1 { upper } else { lower.iter().copied().fold(f32::MIN, f32::max).midpoint(upper) }
    };
    let median = || f64::from(middle(&mut black_box(x).to_vec()));
    contest!(bench, n, "median f32", median(), super::whole::close; ours |cpu| Ok(cpu.median(black_box(x))?.into());
        other "select_nth_unstable_by()" median);
    Ok(())
}
