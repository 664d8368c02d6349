//! Operators that combine by a formula.

use warpfold::{Cpu, Error, View, along, formula, groups, operator, windows};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{cuda, samples};

use super::{flat, parts};

macro_rules! each {
    ($check:ident, $family:ident: $($(#[$meta:meta])* $name:ident: $op:expr;)*) => { $(
        $(#[$meta])*
        #[test]
        fn $name() {
            let op = $op;
            $check(op, warpfold_tests::data::Family::$family);
            $check(op.commutative(), warpfold_tests::data::Family::$family);
        }
    )* };
}
// Commutative, so that both trees have a fixed result, and not associative.
each! {
    flat, Special:
    one_array_of_f32: operator!(0.0, formula!(|a: f32, b| (a + b) * 0.75));
    one_array_of_f64: operator!(-0.0, formula!(|a: f64, b| (a * a + b * b).sqrt()));
    one_array_of_i32: operator!(0, formula!(|a: i32, b| (a ^ b) + (a & b) / 3));
    one_array_of_u32: operator!(7, formula!(|a: u32, b| a * b + (a | b)));
    one_array_of_i64: operator!(i64::MIN, formula!(|a: i64, b| a.max(b) - (a & b) % 5));
    one_array_of_u64: operator!(1, formula!(|a: u64, b| (a + b) * 3));
}
each! {
    parts, Special:
    parts_of_f32: operator!(0.0, formula!(|a: f32, b| (a + b) * 0.75));
    #[cfg(feature = "catalogue")]
    parts_of_f64: operator!(-0.0, formula!(|a: f64, b| (a * a + b * b).sqrt()));
    #[cfg(feature = "catalogue")]
    parts_of_i32: operator!(0, formula!(|a: i32, b| (a ^ b) + (a & b) / 3));
    #[cfg(feature = "catalogue")]
    parts_of_u32: operator!(7, formula!(|a: u32, b| a * b + (a | b)));
    #[cfg(feature = "catalogue")]
    parts_of_i64: operator!(i64::MIN, formula!(|a: i64, b| a.max(b) - (a & b) % 5));
    #[cfg(feature = "catalogue")]
    parts_of_u64: operator!(1, formula!(|a: u64, b| (a + b) * 3));
}

/// The left operand stood to the left.
#[test]
fn elements_keep_their_order() {
    flat(operator!(1, formula!(|a: u32, b| a * 31 + (b ^ (a >> 7)))), Ordinary);
    flat(operator!(0.0, formula!(|a: f64, b| a * 0.5 - b)), Ordinary);
    parts(operator!(1, formula!(|a: u32, b| a * 31 + (b ^ (a >> 7)))), Ordinary);
}

/// Two operators of one kernel take turns, and formulas between them.
#[test]
fn operators_of_one_kernel_are_kept_apart() -> Result<(), Error> {
    let x: Vec<f32> = samples(Ordinary, 10, 100_000);
    let there = cuda().upload(&x)?;
    let one = operator!(0.0, formula!(|a: f32, b| a + b));
    let two = operator!(1.0, formula!(|a: f32, b| a + b));
    let map = warpfold::Sum.of(formula!(|v: f32| v + 1.0));
    let cpu = Cpu::new();
    for _ in 0..3 {
        assert_eq!(cuda().reduce(one, &there)?.to_bits(), cpu.reduce(one, &x)?.to_bits());
        assert_eq!(cuda().reduce(two, &there)?.to_bits(), cpu.reduce(two, &x)?.to_bits());
        assert_eq!(cuda().reduce(map, &there)?.to_bits(), cpu.reduce(map, &x)?.to_bits());
    }
    Ok(())
}

/// Inputs without kernels of their own.
#[test]
fn operators_go_into_other_inputs() {
    let x: Vec<f32> = samples(Ordinary, 9, 12 * 10 * 8);
    let there = cuda().upload(&x).unwrap();
    let op = operator!(0.0, formula!(|a: f32, b| a * 0.5 - b));
    let cpu = Cpu::new();
    let (view, on_device) = (View::new(&x, &[12, 10, 8]).unwrap(), View::new(&there, &[12, 10, 8]).unwrap());
    for axes in [[0, 1], [0, 2], [1, 2]] {
        let found = cuda().reduce(op, along(on_device, &axes)).unwrap().to_vec().unwrap();
        assert_eq!(found, cpu.reduce(op, along(view, &axes)).unwrap(), "{axes:?}");
    }
    let found = cuda().reduce(op, windows(&there, 100)).unwrap().to_vec().unwrap();
    assert_eq!(found, cpu.reduce(op, windows(&x, 100)).unwrap());
    let ids: Vec<u32> = (0..x.len() as u32).map(|i| i * i % 11).collect();
    let found = cuda().reduce(op, groups(&cuda().upload(&ids).unwrap(), &there, 11)).unwrap();
    assert_eq!(found.to_vec().unwrap(), cpu.reduce(op, groups(&ids, &x, 11)).unwrap());
    let stream = cuda().stream().unwrap();
    assert_eq!(stream.reduce(op, &there).unwrap(), cpu.reduce(op, &x).unwrap());
}
