//! Arrays reduced to one result.

use std::hint::black_box;

use arrow_arith::aggregate;
use arrow_array::{Float32Array, Float64Array};
use ndarray::ArrayView1;
use rayon::prelude::*;
use warpfold::{AccurateSum, All, ArgMax, Dot, Max, Mean, MinMax, Norm2, Sum, Variance, above, zip};

use super::contest::{Bench, contest};
use crate::{Outcome, datum};

/// Whether two numbers are equal up to the rounding of a naive sum, which in f32 stands still from 2^24 on.
pub(super) fn close(left: &f64, right: &f64) -> bool {
    let tolerance = if *right > f64::from(1 << 24) { 1.0 } else { 5e-2 };
    (left - right).abs() <= tolerance * right.abs().max(1.0)
}

/// Whether all numbers of two arrays are close.
pub(super) fn all_close<V: AsRef<[f32]>>(left: &V, right: &V) -> bool {
    let (left, right) = (left.as_ref(), right.as_ref());
    let close = |(&left, &right): (&f32, &f32)| close(&left.into(), &right.into());
    left.len() == right.len() && left.iter().zip(right).all(close)
}

/// Whether two results are equal.
pub(super) fn same<R: PartialEq>(left: &R, right: &R) -> bool {
    left == right
}

pub(super) fn measure(bench: &mut Bench, n: usize) -> Outcome<()> {
    floats(bench, n)?;
    moments(bench, n)?;
    integers(bench, n)
}

fn floats(bench: &mut Bench, n: usize) -> Outcome<()> {
    let x = datum::make::<f32>(n);
    let x = &x[..];
    let view = ArrayView1::from(x);
    let array = &Float32Array::from(x.to_vec());
    let exact: f64 = x.iter().copied().map(f64::from).sum();
    let greatest = x.iter().copied().reduce(f32::max);
    contest!(bench, n, "sum f32", exact, close; ours |cpu| Ok(cpu.reduce(Sum, black_box(x))?.into());
        other "iter().sum()" || black_box(x).iter().sum::<f32>().into(),
        other "ndarray sum" || black_box(view).sum().into(),
        rayon "par_iter().sum()" || black_box(x).par_iter().sum::<f32>().into(),
        peer "arrow" || aggregate::sum(black_box(array)).unwrap_or_default().into(),
        python "sum" (x, |sum| sum.parse().ok()));
    let wide = datum::make::<f64>(n);
    let wide = &wide[..];
    let (sum, array_of_wide): (f64, _) = (wide.iter().sum(), &Float64Array::from(wide.to_vec()));
    contest!(bench, n, "sum f64", sum, close; ours |cpu| cpu.reduce(Sum, black_box(wide));
        other "iter().sum()" || black_box(wide).iter().sum(),
        other "ndarray sum" || black_box(ArrayView1::from(wide)).sum(),
        rayon "par_iter().sum()" || black_box(wide).par_iter().sum(),
        peer "arrow" || aggregate::sum(black_box(array_of_wide)).unwrap_or_default(),
        python "sum" (wide, |sum| sum.parse().ok()));
    contest!(bench, n, "max f32", greatest, same; ours |cpu| cpu.reduce(Max, black_box(x));
        other "iter().reduce(max)" || black_box(x).iter().copied().reduce(f32::max),
        rayon "par_iter().reduce(max)" || black_box(x).par_iter().copied().reduce_with(f32::max),
        peer "arrow" || aggregate::max(black_box(array)),
        python "max" (x, |max| max.parse().ok().map(Some)));
    let extremes = greatest.map(|max| (x.iter().copied().fold(f32::INFINITY, f32::min), max));
    contest!(bench, n, "minmax f32", extremes, same;
    ours |cpu| Ok(cpu.reduce(MinMax, black_box(x))?.map(|range| (range.min, range.max)));
    other "a loop" || {
        let extremes = black_box(x).iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(min, max), &x| (min.min(x), max.max(x)));
        (!x.is_empty()).then_some(extremes)
    });
    let place = greatest.and_then(|max| x.iter().position(|&x| x == max));
    contest!(bench, n, "argmax f32", place, same;
    ours |cpu| Ok(cpu.reduce(ArgMax, black_box(x))?.map(|at| at.index as usize));
    other "iter().enumerate().reduce()" || argmax(black_box(x)),
    rayon "par_iter().max_by()" || {
        let at = black_box(x).par_iter().enumerate();
        at.reduce_with(|left, right| if right.1 > left.1 { right } else { left }).map(|(at, _)| at)
    },
    python "argmax" (x, |at| at.parse().ok().map(Some)));
    let norm = x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
    contest!(bench, n, "norm2 f32", norm, close; ours |cpu| Ok(cpu.reduce(Norm2, black_box(x))?.into());
        other "a loop" || black_box(x).iter().map(|&x| x * x).sum::<f32>().sqrt().into(),
        other "ndarray dot" || black_box(view).dot(&view).sqrt().into());
    let y: Vec<f32> = x.iter().rev().copied().collect();
    let y = &y[..];
    let dot: f64 = x.iter().zip(y).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
    contest!(bench, n, "dot f32", dot, close;
        ours |cpu| Ok(cpu.reduce(Dot, zip(black_box(x), black_box(y)))?.into());
        other "iter().zip()" || black_box(x).iter().zip(y).map(|(&x, &y)| x * y).sum::<f32>().into(),
        other "ndarray dot" || black_box(view).dot(&ArrayView1::from(y)).into(),
        rayon "par_iter().zip()" || black_box(x).par_iter().zip(y).map(|(&x, &y)| x * y).sum::<f32>().into());
    let some = x.iter().filter(|&&x| x > 0.5).count() as u64;
    contest!(bench, n, "count f32", some, same; ours |cpu| cpu.count(above(0.5f32), black_box(x));
        other "iter().filter().count()" || black_box(x).iter().filter(|&&x| x > 0.5).count() as u64,
        rayon "par_iter().filter().count()" || black_box(x).par_iter().filter(|&&x| x > 0.5).count() as u64);
    Ok(())
}

fn moments(bench: &mut Bench, n: usize) -> Outcome<()> {
    let x = datum::make::<f32>(n);
    let x = &x[..];
    let exact: f64 = x.iter().copied().map(f64::from).sum();
    let mean = exact / n as f64;
    let variance = x.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum::<f64>() / n as f64;
    contest!(bench, n, "mean f32", mean, close;
        ours |cpu| Ok(cpu.reduce(Mean, black_box(x))?.unwrap_or_default().into());
        other "iter().sum() / n" || f64::from(black_box(x).iter().sum::<f32>() / n as f32));
    contest!(bench, n, "variance f32", variance, close;
        ours |cpu| Ok(cpu.reduce(Variance, black_box(x))?.unwrap_or_default().into());
        other "two loops" || {
            let mean = black_box(x).iter().sum::<f32>() / n as f32;
            f64::from(x.iter().map(|&x| (x - mean) * (x - mean)).sum::<f32>() / n as f32)
        },
        other "ndarray var" || black_box(ArrayView1::from(x)).var(0.0).into());
    contest!(bench, n, "accurate sum f32", exact, close;
        ours |cpu| Ok(cpu.reduce(AccurateSum, black_box(x))?.into());
        other "Neumaier's loop" || neumaier(black_box(x)).into(),
        other "a loop in f64" || black_box(x).iter().copied().map(f64::from).sum());
    Ok(())
}

fn integers(bench: &mut Bench, n: usize) -> Outcome<()> {
    let (x, bytes) = (datum::make::<i32>(n), datum::make::<u8>(n));
    let (x, bytes) = (&x[..], &bytes[..]);
    let sum = x.iter().map(|&x| i64::from(x)).sum::<i64>();
    contest!(bench, n, "sum i32", sum, same; ours |cpu| cpu.reduce(Sum, black_box(x));
        other "iter().sum()" || black_box(x).iter().map(|&x| i64::from(x)).sum(),
        rayon "par_iter().sum()" || black_box(x).par_iter().map(|&x| i64::from(x)).sum());
    let sum = bytes.iter().map(|&x| u64::from(x)).sum::<u64>();
    contest!(bench, n, "sum u8", sum, same; ours |cpu| cpu.reduce(Sum, black_box(bytes));
        other "iter().sum()" || black_box(bytes).iter().map(|&x| u64::from(x)).sum(),
        rayon "par_iter().sum()" || black_box(bytes).par_iter().map(|&x| u64::from(x)).sum());
    contest!(bench, n, "max i32", x.iter().max().copied(), same; ours |cpu| cpu.reduce(Max, black_box(x));
        other "iter().max()" || black_box(x).iter().max().copied(),
        rayon "par_iter().max()" || black_box(x).par_iter().max().copied());
    let all = x.iter().all(|&x| x != 0);
    contest!(bench, n, "all i32", all, same; ours |cpu| cpu.reduce(All, black_box(x));
        other "iter().all()" || black_box(x).iter().all(|&x| x != 0));
    Ok(())
}

/// The first index of the greatest element, by a loop.
fn argmax<T: PartialOrd>(x: &[T]) -> Option<usize> {
    x.iter().enumerate().reduce(|best, at| if at.1 > best.1 { at } else { best }).map(|(at, _)| at)
}

/// Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974.
fn neumaier(x: &[f32]) -> f32 {
    let (mut sum, mut rest) = (0.0f32, 0.0f32);
    for &x in x {
        let next = sum + x;
        rest += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
        sum = next;
    }
    sum + rest
}
