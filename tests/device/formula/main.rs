//! Operators over formulas on a device against the CPU, bit for bit.
#![allow(missing_docs)]

mod combined;
mod compact;
mod random;
mod scan;

use std::fmt::Debug;

use bytemuck::Pod;
use gpu_kernels::Storable;
use gpu_kernels::addresses::Two;
use warpfold::formula::Mapped;
use warpfold::kernels::{Kernel, RowsKernel};
use warpfold::{
    ArgMax, ArgMin, Cpu, Element, Error, Max, Mean, Min, Op, Sum, SumOfSquares, Variance, along, bf16,
    chunks, columns, count, f16, formula, groups, rows, runs, segments, windows, zip,
};
use warpfold_tests::data::Family::{self, Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, on_gpu_or_emulated, samples, sizes};

/// All of an array, of every size at which something changes.
fn flat<T, O>(op: O, family: Family)
where
    T: Element + Sample,
    O: Kernel<T> + Op<T, Out: Bits + Debug>,
{
    for n in sizes::up_to::<T>(on_gpu_or_emulated(1 << 20, 20_000)) {
        let x: Vec<T> = samples(family, n, n);
        let found = cuda().reduce(op, &cuda().upload(&x).unwrap()).unwrap();
        let expected = Cpu::new().reduce(op, &x).unwrap();
        assert!(found.is_same(&expected), "{n}: {found:?} and not {expected:?}");
    }
}

/// Parts of an array: rows for each kernel, columns, segments.
fn parts<T, O>(op: O, family: Family)
where
    T: Element + Sample,
    O: RowsKernel<T> + Op<T, Out: Bits + Storable>,
{
    let same = |found: Vec<O::Out>, expected: Vec<O::Out>, what: &str| {
        assert_eq!(found.len(), expected.len(), "{what}");
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert!(found.is_same(expected), "{what}, {i}: {} and not {}", found.bits(), expected.bits());
        }
    };
    let cpu = Cpu::new();
    for [r, c] in [[500, 1], [700, 3], [64, 64], [60, 333], [5, 4096], [4, 9000], [2, 70_001]] {
        let r = r.min(on_gpu_or_emulated(usize::MAX, 20));
        let x: Vec<T> = samples(family, c as u64, (r * c) as u64);
        let there = cuda().upload(&x).unwrap();
        let found = cuda().reduce(op, rows(&there, [r, c])).unwrap();
        same(found.to_vec().unwrap(), cpu.reduce(op, rows(&x, [r, c])).unwrap(), &format!("rows {r} x {c}"));
        let found = cuda().reduce(op, columns(&there, [r, c])).unwrap();
        same(
            found.to_vec().unwrap(),
            cpu.reduce(op, columns(&x, [r, c])).unwrap(),
            &format!("columns {r} x {c}"),
        );
        let found = cuda().reduce(op, chunks(&there, 1000)).unwrap();
        same(
            found.to_vec().unwrap(),
            cpu.reduce(op, chunks(&x, 1000)).unwrap(),
            &format!("chunks {r} x {c}"),
        );
        let offsets = [0, 1, 1, (r * c / 2) as u64, (r * c) as u64];
        let found = cuda().reduce(op, segments(&there, &cuda().upload(&offsets).unwrap())).unwrap();
        same(
            found.to_vec().unwrap(),
            cpu.reduce(op, segments(&x, &offsets)).unwrap(),
            &format!("segments {r} x {c}"),
        );
        let keys: Vec<u32> = (0..(r * c) as u32).map(|i| i / 37).collect();
        let (_, found) = cuda().reduce(op, runs(&cuda().upload(&keys).unwrap(), &there)).unwrap();
        let (_, expected) = cpu.reduce(op, runs(&keys, &x)).unwrap();
        same(found.to_vec().unwrap(), expected, &format!("runs {r} x {c}"));
    }
}

/// Pairs of two arrays, of every size at which something changes.
fn pairs<T, O>(op: O, family: Family)
where
    T: Element + Pod + Sample,
    O: Kernel<[T; 2], Two<T>> + Op<[T; 2], Out: Bits + Debug>,
{
    for n in sizes::up_to::<T>(on_gpu_or_emulated(1 << 20, 20_000)) {
        let (x, y): (Vec<T>, Vec<T>) = (samples(family, n, n), samples(Ordinary, n + 1, n));
        let found = cuda().reduce(op, zip(&cuda().upload(&x).unwrap(), &cuda().upload(&y).unwrap())).unwrap();
        let expected = Cpu::new().reduce(op, zip(&x, &y)).unwrap();
        assert!(found.is_same(&expected), "{n}: {found:?} and not {expected:?}");
    }
}

macro_rules! each {
    ($check:ident: $($(#[$meta:meta])* $name:ident: $formula:expr, [$($op:ident),*];)*) => { $(
        $(#[$meta])*
        #[test]
        fn $name() {
            let formula = $formula;
            $($check($op.of(formula), Special);)*
        }
    )* };
}
each! {
    flat:
    one_array_of_f32: formula!(|v: f32| (v - 0.5).abs() * 2.0), [Sum, Min, Max, Mean, Variance, SumOfSquares, ArgMin, ArgMax];
    one_array_of_f64: formula!(|v: f64| (1.0 / v).sqrt().min(v)), [Sum, Variance, ArgMax];
    one_array_of_i32: formula!(|v: i32| (v ^ 0x55) << 1), [Sum, Mean];
    one_array_of_u32: formula!(|v: u32| (v >> 3) * 7 + (v & 0xff)), [Sum, Max];
    one_array_of_i64: formula!(|v: i64| (v >> 32).abs() - v), [Sum];
    one_array_of_u64: formula!(|v: u64| v.gt(1000).select(v >> 7, v * 3)), [Sum];
}
each! {
    parts:
    parts_of_f32: formula!(|v: f32| (v - 0.5).abs() * 2.0), [Sum, ArgMax];
    #[cfg(feature = "catalogue")]
    more_parts_of_f32: formula!(|v: f32| (v - 0.5).abs() * 2.0), [Min, Max, Mean, Variance, SumOfSquares, ArgMin];
    #[cfg(feature = "catalogue")]
    parts_of_f64: formula!(|v: f64| (1.0 / v).sqrt().min(v)), [Sum, Min, Max, Mean, Variance, SumOfSquares, ArgMin, ArgMax];
    #[cfg(feature = "catalogue")]
    parts_of_i32: formula!(|v: i32| (v ^ 0x55) << 1), [Sum, Min, Max, Mean];
    #[cfg(feature = "catalogue")]
    parts_of_u32: formula!(|v: u32| (v >> 3) * 7 + (v & 0xff)), [Sum, Min, Max, Mean];
    #[cfg(feature = "catalogue")]
    parts_of_i64: formula!(|v: i64| (v >> 32).abs() - v), [Sum];
    #[cfg(feature = "catalogue")]
    parts_of_u64: formula!(|v: u64| v.gt(1000).select(v >> 7, v * 3)), [Sum];
}

// Of about half of the elements, of few and of none there is a result.
each! {
    flat:
    some_of_f32: formula!(|v: f32| -> Option<f32> { v.gt(0.25).then_some((v - 0.5).abs()) }), [Sum, Min, Max, Mean, Variance, ArgMin, ArgMax];
    some_of_f64: formula!(|v: f64| -> Option<f64> { (v.lt(-1.5) | v.ne(v)).then_some(v * 3.0) }), [Sum, Mean, Variance, ArgMax];
    some_of_i32: formula!(|v: i32| -> Option<i32> { (v % 3).eq(1).then_some(v / 7) }), [Sum, Mean, Min];
    some_of_u32: formula!(|v: u32| -> Option<u32> { v.gt(5).then_some(v / (v & 7)) }), [Sum, Max];
    some_of_i64: formula!(|v: i64| -> Option<i64> { (v & 1).eq(0).then_some(v / -3) }), [Sum];
    some_of_u64: formula!(|v: u64| -> Option<u64> { (v % 5).eq(2).then_some(v % (v >> 60)) }), [Sum];
    none_or_nan_of_f32: formula!(|v: f32| -> Option<f32> { v.ne(v).then_some(v) }), [Max, Variance, ArgMin, ArgMax];
    least_of_f32: formula!(|v: f32| -> Option<f32> { v.gt(0.25).then_some(v * f32::INFINITY) }), [ArgMin, ArgMax];
    none_of_f32: formula!(|v: f32| -> Option<f32> { v.lt(v).then_some(v) }), [Sum, Max, Mean, Variance, ArgMin];
    in_f64_of_f32: formula!(|v: f32| -> f64 { v.to::<f64>() * 0.1 }), [Sum, Mean];
}
each! {
    parts:
    parts_of_some_f32: formula!(|v: f32| -> Option<f32> { v.gt(0.25).then_some((v - 0.5).abs()) }), [Sum, Mean];
    #[cfg(feature = "catalogue")]
    more_parts_of_some_f32: formula!(|v: f32| -> Option<f32> { v.gt(0.25).then_some((v - 0.5).abs()) }), [Min, Max, Variance, ArgMin, ArgMax];
    #[cfg(feature = "catalogue")]
    parts_of_some_f64: formula!(|v: f64| -> Option<f64> { (v.lt(-1.5) | v.ne(v)).then_some(v * 3.0) }), [Sum, Min, Max, Mean, Variance, ArgMin, ArgMax];
    #[cfg(feature = "catalogue")]
    parts_of_some_i32: formula!(|v: i32| -> Option<i32> { (v % 3).eq(1).then_some(v / 7) }), [Sum, Min, Max, Mean];
    #[cfg(feature = "catalogue")]
    parts_of_some_u32: formula!(|v: u32| -> Option<u32> { v.gt(5).then_some(v / (v & 7)) }), [Sum, Min, Max, Mean];
    #[cfg(feature = "catalogue")]
    parts_of_some_i64: formula!(|v: i64| -> Option<i64> { (v & 1).eq(0).then_some(v / -3) }), [Sum];
    #[cfg(feature = "catalogue")]
    parts_of_some_u64: formula!(|v: u64| -> Option<u64> { (v % 5).eq(2).then_some(v % (v >> 60)) }), [Sum];
    #[cfg(feature = "catalogue")]
    parts_in_f64_of_f32: formula!(|v: f32| -> f64 { v.to::<f64>() * 0.1 }), [Sum, Mean];
}
each! {
    pairs:
    pairs_of_f32: formula!(|x: f32, y: f32| (x - y).abs() * 0.5), [Sum, Min, Max, Mean, Variance, ArgMin, ArgMax];
    some_pairs_of_f32: formula!(|x: f32, y: f32| -> Option<f32> { y.gt(0.25).then_some(x * y) }), [Sum, Min, Max, Mean, Variance, ArgMin, ArgMax];
    pairs_of_f64: formula!(|x: f64, y: f64| x / y - y), [Sum, Variance];
    some_pairs_of_f64: formula!(|x: f64, y: f64| -> Option<f64> { x.lt(y).then_some(x.sqrt()) }), [Mean, ArgMin];
    pairs_of_i32: formula!(|x: i32, y: i32| x / y + x % y), [Sum];
    some_pairs_of_u32: formula!(|x: u32, y: u32| -> Option<u32> { x.gt(y).then_some(x - y) }), [Sum];
    pairs_of_i64: formula!(|x: i64, y: i64| x / y), [Sum];
    some_pairs_of_u64: formula!(|x: u64, y: u64| -> Option<u64> { (x & y).ne(0).then_some(x % y) }), [Sum];
}

// Floats of 16 bits.
each! {
    flat:
    one_array_of_f16: formula!(|v: f16| -> f32 { v.to::<f32>() * 3.0 - 0.5 }), [Sum];
    one_array_of_bf16: formula!(|v: bf16| -> f32 { v.to::<f32>().abs().sqrt() }), [Sum];
}
each! {
    parts:
    parts_of_f16: formula!(|v: f16| -> f32 { v.to::<f32>() * 3.0 - 0.5 }), [Sum];
    #[cfg(feature = "catalogue")]
    parts_of_bf16: formula!(|v: bf16| -> f32 { v.to::<f32>().abs().sqrt() }), [Sum];
}

// An element and its index.
each! {
    flat:
    places_of_f32: formula!(|v: f32, index: Index| v * (index & 3).to::<f32>()), [Sum, Min, Max, ArgMin, ArgMax];
    places_of_f64: formula!(|v: f64, index: Index| (index & 1).eq(0).select(v, -v)), [Sum, Min, Max, ArgMin, ArgMax];
    places_of_i32: formula!(|v: i32, index: Index| v ^ (index * 3).to::<i32>()), [Sum];
    places_of_u32: formula!(|v: u32, index: Index| v * (index / 5).to::<u32>()), [Sum];
    places_of_i64: formula!(|v: i64, index: Index| v - index.to::<i64>() * 7), [Sum];
    places_of_u64: formula!(|v: u64, index: Index| (v ^ index) * 31), [Sum];
}
each! {
    parts:
    parts_and_places_of_f32: formula!(|v: f32, index: Index| v * (index & 3).to::<f32>()), [Sum, Max, ArgMin];
    #[cfg(feature = "catalogue")]
    more_parts_and_places_of_f32: formula!(|v: f32, index: Index| v * (index & 3).to::<f32>()), [Min, ArgMax];
    #[cfg(feature = "catalogue")]
    parts_and_places_of_f64: formula!(|v: f64, index: Index| (index & 1).eq(0).select(v, -v)), [Min, Max, ArgMin, ArgMax];
    parts_and_places_of_u64: formula!(|v: u64, index: Index| (v ^ index) * 31), [Sum];
}

/// Captured numbers are parameters of the launch: two values of one formula share a kernel.
#[test]
fn captured_numbers_are_passed_with_the_launch() {
    let huber = |limit: f32, scale: f64| {
        formula!(|v: f32; limit: f32, scale: f64| {
            let d = v.abs();
            let long = (d - limit * 0.5) * limit;
            (d.le(limit).select(v * v * 0.5, long).to::<f64>() * scale).to()
        })
    };
    for (limit, scale) in [(0.5, 1.0), (1.5, 3.25), (-1.0, 0.1)] {
        flat(Sum.of(huber(limit, scale)), Ordinary);
        let far = formula!(|x: f32, y: f32; limit: f32, scale: f64| -> Option<f32> {
            let d = (x - y).abs();
            d.gt(limit).then_some((d.to::<f64>() * scale).to::<f32>())
        });
        pairs(Mean.of(far), Ordinary);
        parts(Sum.of(huber(limit, scale)), Ordinary);
    }
}

#[test]
fn elements_for_which_a_formula_holds_are_counted() {
    let most = 2.0;
    flat(count(formula!(|v: f32; most: f32| -> bool { v.gt(0.25) & v.lt(most) | v.ne(v) })), Special);
    flat(count(formula!(|v: f64| -> bool { !(v * v).lt(1.0) ^ v.eq(0.0) })), Special);
    flat(count(formula!(|v: i32| -> bool { (v & 3).eq(1) })), Special);
    flat(count(formula!(|v: u64| -> bool { (v >> 60).ge(8) })), Special);
    pairs(count(formula!(|x: f32, y: f32; most: f32| -> bool { (x * y).lt(most) })), Special);
}

/// Inputs without kernels of their own.
#[test]
fn formulas_go_into_other_inputs() {
    let x: Vec<f32> = samples(Ordinary, 9, 12 * 10 * 8);
    into_other_inputs(&x, Sum.of(formula!(|v: f32| v * v - 1.0)));
    into_other_inputs(&x, Sum.of(formula!(|v: f32, index: Index| v - (index & 7).to::<f32>())));
}

fn into_other_inputs<F: Copy + Send + Sync + 'static>(x: &[f32], op: Mapped<Sum, F>)
where
    Mapped<Sum, F>: RowsKernel<f32> + Op<f32, Out = f32>,
{
    let there = cuda().upload(x).unwrap();
    let cpu = Cpu::new();
    let (view, on_device) =
        (warpfold::View::new(x, &[12, 10, 8]).unwrap(), warpfold::View::new(&there, &[12, 10, 8]).unwrap());
    for axes in [[0, 1], [0, 2], [1, 2]] {
        let found = cuda().reduce(op, along(on_device, &axes)).unwrap().to_vec().unwrap();
        assert_eq!(found, cpu.reduce(op, along(view, &axes)).unwrap(), "{axes:?}");
    }
    let found = cuda().reduce(op, windows(&there, 100)).unwrap().to_vec().unwrap();
    assert_eq!(found, cpu.reduce(op, windows(x, 100)).unwrap());
    let ids: Vec<u32> = (0..x.len() as u32).map(|i| i * i % 11).collect();
    let found = cuda().reduce(op, groups(&cuda().upload(&ids).unwrap(), &there, 11)).unwrap();
    assert_eq!(found.to_vec().unwrap(), cpu.reduce(op, groups(&ids, x, 11)).unwrap());
    let stream = cuda().stream().unwrap();
    assert_eq!(stream.reduce(op, &there).unwrap(), cpu.reduce(op, x).unwrap());
    let mut scalar = cuda().scalar::<f32, Mapped<Sum, F>>().unwrap();
    stream.reduce_into(op, &there, &mut scalar).unwrap();
    assert_eq!(scalar.get().unwrap(), cpu.reduce(op, x).unwrap());
}

/// Two formulas of one kernel take turns, from several threads.
#[test]
fn formulas_of_one_kernel_are_kept_apart() -> Result<(), Error> {
    let x: Vec<f32> = samples(Ordinary, 10, 3000);
    let there = cuda().upload(&x)?;
    let (one, two) = (Sum.of(formula!(|v: f32| v + 1.0)), Sum.of(formula!(|v: f32| v - 1.0)));
    let (first, second) = (Cpu::new().reduce(one, &x)?, Cpu::new().reduce(two, &x)?);
    assert_ne!(first, second);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    assert_eq!(cuda().reduce(one, &there).unwrap(), first);
                    assert_eq!(cuda().reduce(two, &there).unwrap(), second);
                    assert_eq!(cuda().reduce(Sum, &there).unwrap(), Cpu::new().reduce(Sum, &x).unwrap());
                }
            });
        }
    });
    Ok(())
}
