//! A formula's results, and operators over them.

use std::fmt::Debug;

use warpfold::formula::{Body, Numeric};
use warpfold::{
    Any, ArgMax, ArgMin, Cpu, Element, Formula, Max, Maximum, Mean, Min, MinMax, Minimum, Norm1, Norm2, Op,
    Product, StdDev, Sum, SumOfSquares, Variance, count, formula, reference,
};
use warpfold_tests::data::Family::Special;
use warpfold_tests::{Bits, Sample, samples, sizes};

use crate::bits;

#[test]
fn a_formula_is_the_closure_of_the_same_text() {
    let limit = 0.25f32;
    let f = formula!(|v: f32; limit: f32| v.gt(limit).select(2.0 * v - 1.0, (v - limit).sqrt()));
    let g = formula!(|v: f64| v.round_ties_even().copysign(-1.0).clamp(-3.0, 8.0));
    let h = formula!(|v: i64| (v >> 3) + (v & 0xff) - v.abs());
    for x in samples::<f32>(Special, 5, 1000) {
        let expected = if x > limit { 2.0 * x - 1.0 } else { (x - limit).sqrt() };
        assert_eq!(bits(f.of(x)), bits(expected), "{x}");
    }
    for x in samples::<f64>(Special, 6, 1000) {
        assert_eq!(bits(g.of(x)), bits(x.round_ties_even().copysign(-1.0).clamp(-3.0, 8.0)), "{x}");
    }
    for x in samples::<i64>(Special, 7, 1000) {
        assert_eq!(h.of(x), (x >> 3).wrapping_add(x & 0xff).wrapping_sub(x.wrapping_abs()), "{x}");
    }
}

/// An operator over a formula's results has the bits of the slow reference, and of the operator over an array of these results where
/// both arrays have one tree.
fn is_mapped<T: Numeric + Sample, B: Body<In = T>, O, P>(formula: Formula<B>, op: O, plain: P)
where
    O: Op<T, Out: Bits + Debug>,
    P: Op<B::Out, Out = O::Out>,
    B::Out: Element,
{
    for n in sizes::up_to::<T>(70_000) {
        let x: Vec<T> = samples(Special, n, n);
        let mapped: Vec<B::Out> = x.iter().map(|&x| formula.of(x)).collect();
        let found = Cpu::new().reduce(op, &x).unwrap();
        let expected = reference::reduce_by(op, &x);
        assert!(found.is_same(&expected), "{n}: {found:?} and not {expected:?}");
        if size_of::<T>() == size_of::<B::Out>() {
            let expected = Cpu::new().reduce(plain, &mapped).unwrap();
            assert!(found.is_same(&expected), "{n}: {found:?} and not {expected:?} of an array");
        }
    }
}

macro_rules! each {
    ($formula:expr => $($op:ident),*) => { $( is_mapped($formula, $op.of($formula), $op); )* };
}

#[test]
fn an_operator_over_a_formula_is_that_over_its_results() {
    let (centre, scale) = (0.5, 3.0);
    let f = formula!(|v: f32; centre: f32, scale: f32| (v - centre).abs() * scale);
    each!(f => Sum, Product, Min, Max, Maximum, Minimum, MinMax, ArgMin, ArgMax, Mean, Variance, StdDev, SumOfSquares, Norm1, Norm2);
    each!(formula!(|v: f64| (1.0 / v).sqrt().min(v)) => Sum, Max, Mean, Variance, ArgMin, SumOfSquares);
    each!(formula!(|v: i32| (v ^ 0x55) << 1) => Sum, Min, Mean, Variance, ArgMax);
    each!(formula!(|v: u64| (v >> 3) * 7) => Sum, Max, Mean, ArgMin);
    each!(formula!(|v: f32| -> f64 { v.to::<f64>() * 0.1 }) => Sum, Mean, Max);
    each!(formula!(|v: f64| -> i32 { v.to() }) => Sum, Mean, Max);
}

#[test]
fn a_formula_with_a_bool_is_a_predicate() {
    let x: Vec<f32> = samples(Special, 4, 5000);
    let most = 0.75;
    let near = formula!(|v: f32; most: f32| -> bool { v.gt(0.25) & v.lt(most) });
    let closure = |v: &f32| *v > 0.25 && *v < 0.75;
    let expected: Vec<f32> = x.iter().copied().filter(closure).collect();
    let cpu = Cpu::new();
    assert!(expected.len() > 10);
    assert_eq!(cpu.compact(near, &x).unwrap(), expected);
    assert_eq!(cpu.reduce(count(near), &x).unwrap(), expected.len() as u64);
    assert_eq!(cpu.reduce(Any.of(near), &x), Ok(true));
    let (parted, held) = cpu.partition(near, &x).unwrap();
    assert_eq!((&parted[..held], held), (&expected[..], expected.len()));
}

/// Integers divided by 0 are 0, and remain what they are.
#[test]
fn division_of_integers_has_a_result_for_every_divisor() {
    let with = |by: i32| {
        let f = formula!(|v: i32; by: i32| v / by * by + v % by - v);
        samples::<i32>(Special, 8, 300).into_iter().all(|x| f.of(x) == 0)
    };
    assert!([0, 1, -1, 7, -3, i32::MIN, i32::MAX].into_iter().all(with));
    let (zero, least, minus_one) = (0u64, i64::MIN, -1);
    let remainder = formula!(|v: i64; minus_one: i64| v % minus_one);
    assert_eq!((formula!(|v: i64| v / -1).of(least), remainder.of(least)), (least, 0));
    assert_eq!(formula!(|v: u64; zero: u64| v / zero).of(5), 0);
    assert_eq!(formula!(|v: u64; zero: u64| v % zero).of(5), 5);
    assert_eq!((formula!(|v: i32| v / 3).of(-7), formula!(|v: i32| v % 3).of(-7)), (-2, -1));
    // A number as divisor needs no test of it.
    let text = format!("{:?}", formula!(|v: i32| v / 3).program());
    assert!(!text.contains("Compare") && !text.contains("Select"), "{text}");
}
