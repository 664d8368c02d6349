//! Reductions of every input.

use test_kernels::mix;
use warpfold::{
    Cpu, Dot, Op, Sum, Variance, View, WeightedMean, after_element, along, by_key, chunks, columns, finish,
    groups, rows, runs, segments, tree, zip,
};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::failing::{Call, tried};
use warpfold_tests::samples;

use super::Backend;

/// A sum with a large accumulator, of 1200 bytes.
#[derive(Clone, Copy)]
struct Wide;

impl Op<f32> for Wide {
    type Acc = [f32; 300];
    type Out = f32;
    const IDENTITY: [f32; 300] = [0.0; 300];
    const COMMUTATIVE: bool = true;
    fn lift(self, x: f32, index: u64) -> [f32; 300] {
        let mut acc = [0.0; 300];
        acc[index as usize % 300] = x;
        acc
    }
    fn combine(mut left: [f32; 300], right: [f32; 300]) -> [f32; 300] {
        left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
        left
    }
    fn finish(acc: [f32; 300], _len: u64) -> f32 {
        acc.iter().sum()
    }
}

/// Halves what was before, and adds: an operator that does not commute.
#[derive(Clone, Copy)]
pub struct Fading;

impl Op<f32> for Fading {
    type Acc = [f32; 2];
    type Out = f32;
    const IDENTITY: [f32; 2] = [1.0, 0.0];
    fn lift(self, x: f32, _index: u64) -> [f32; 2] {
        [0.5, x]
    }
    fn combine([a, b]: [f32; 2], [c, d]: [f32; 2]) -> [f32; 2] {
        [a * c, c * b + d]
    }
    fn finish([_, x]: [f32; 2], _len: u64) -> f32 {
        x
    }
}

/// The ids of `groups` groups, in no order.
fn ids(n: usize, groups: usize) -> &'static [u32] {
    Vec::leak((0..n as u64).map(|i| mix(i) as u32 % groups as u32).collect())
}

/// All calls.
pub fn calls(backend: &Backend) -> Vec<Call> {
    let n = backend.n;
    let (x, y) = (backend.floats(), Vec::leak(samples::<f32>(Ordinary, 2, n as u64)));
    let integers = Vec::leak(samples::<i32>(Ordinary, 3, n as u64));
    let (y, integers) = (&*y, &*integers);
    let mut all: Vec<Call> = Vec::new();
    let mut of = |call: Call| all.push(call);
    of(backend.call("reduce Sum", move |cpu| tried(|| cpu.reduce(Sum, x))));
    of(backend.call("reduce Variance", move |cpu| tried(|| cpu.reduce(Variance, x))));
    of(backend.call("reduce Fading", move |cpu| tried(|| cpu.reduce(Fading, x))));
    of(backend.call("reduce Wide", move |cpu| tried(|| cpu.reduce(Wide, &x[..6000]))));
    of(backend.call("reduce after an element", move |cpu| tried(|| cpu.reduce(Sum, after_element(0.5, x)))));
    of(backend.call("fold_tiles and finish", move |cpu| {
        let n = n as u64;
        tried(|| finish::<f32, Variance>(&cpu.fold_tiles(Variance, x, n, 0..tree::tiles::<f32>(n))?, n))
    }));
    of(backend.call("zip Dot", move |cpu| tried(|| cpu.reduce(Dot, zip(x, y)))));
    of(backend.call("zip WeightedMean", move |cpu| tried(|| cpu.reduce(WeightedMean, zip(x, y)))));
    for columns in [3, 100, n / 2] {
        let name = format!("rows of {columns}");
        let shape = [n / columns, columns];
        of(backend.call(&format!("{name} Sum"), move |cpu| tried(|| cpu.reduce(Sum, rows(x, shape)))));
        of(backend
            .call(&format!("{name} Variance"), move |cpu| tried(|| cpu.reduce(Variance, rows(x, shape)))));
    }
    of(backend.call("rows Fading", move |cpu| tried(|| cpu.reduce(Fading, rows(x, [150, n / 150])))));
    of(backend.call("rows Wide", move |cpu| tried(|| cpu.reduce(Wide, rows(&x[..6000], [6, 1000])))));
    for count in [3, 100, n / 100] {
        let shape = [n / count, count];
        of(backend
            .call(&format!("{count} columns Sum"), move |cpu| tried(|| cpu.reduce(Sum, columns(x, shape)))));
        of(backend.call(&format!("{count} columns Fading"), move |cpu| {
            tried(|| cpu.reduce(Fading, columns(x, shape)))
        }));
    }
    of(backend.call("log_sum_exp", move |cpu| tried(|| cpu.log_sum_exp(x))));
    for columns in [100, n / 2] {
        let shape = [n / columns, columns];
        let softmax = move |cpu: &Cpu| tried(|| cpu.softmax(rows(x, shape)));
        of(backend.call(&format!("softmax of rows of {columns}"), softmax));
    }
    let norms = move |cpu: &Cpu| tried(|| cpu.rms_norm(along(View::new(x, &[n / 3, 3])?, &[0]), None, 1e-6));
    of(backend.call("rms_norm of strided rows", norms));
    of(backend.call("chunks", move |cpu| tried(|| cpu.reduce(Sum, chunks(x, 1000 - 7)))));
    of(backend.call("long chunks", move |cpu| tried(|| cpu.reduce(Sum, chunks(x, n / 2 - 50)))));
    for axes in [&[0][..], &[1], &[2], &[0, 2], &[0, 1, 2]] {
        of(backend.call(&format!("along {axes:?}"), move |cpu| {
            let view = View::new(x, &[n / 2000, 40, 50])?.permuted(&[2, 0, 1])?;
            tried(|| cpu.reduce(Sum, along(view, axes)))
        }));
    }
    // Segments of 0 to 16 elements, and one of half of all.
    let ends = (0..n / 20).scan(0, |end, i| {
        *end += mix(i as u64) as usize % 17;
        Some(*end)
    });
    let offsets = &*Vec::leak(ends.filter(|&end| end < n / 2).chain([n]).collect::<Vec<usize>>());
    of(backend.call("segments Sum", move |cpu| tried(|| cpu.reduce(Sum, segments(x, offsets)))));
    of(backend.call("segments Variance", move |cpu| tried(|| cpu.reduce(Variance, segments(x, offsets)))));
    let keys = &*Vec::leak((0..n as u64).map(|i| mix(i / 20) as u32 % 100_000).collect::<Vec<u32>>());
    of(backend.call("runs", move |cpu| tried(|| cpu.reduce(Sum, runs(keys, x)))));
    of(backend.call("by key", move |cpu| tried(|| cpu.reduce(Sum, by_key(keys, x)))));
    for count in [10, 3000, n / 9, n / 2] {
        let ids = ids(n, count);
        of(backend.call(&format!("{count} groups Sum"), move |cpu| {
            tried(|| cpu.reduce(Sum, groups(ids, x, count)))
        }));
        of(backend.call(&format!("{count} groups of a free operator"), move |cpu| {
            tried(|| cpu.reduce(Sum, groups(ids, integers, count)))
        }));
        of(backend.call(&format!("{count} groups Fading"), move |cpu: &Cpu| {
            tried(|| cpu.reduce(Fading, groups(ids, x, count)))
        }));
    }
    // One group has nearly all elements.
    let ids = &*Vec::leak((0..n).map(|i| if i % 50 == 0 { (i / 50) as u32 } else { 7 }).collect::<Vec<_>>());
    of(backend
        .call("groups of unequal lengths", move |cpu| tried(|| cpu.reduce(Sum, groups(ids, x, n / 50)))));
    all
}
