//! The recorded steps of a formula, and their interpreter.

use std::fmt::Debug;

use warpfold::formula;
use warpfold::formula::{Mode, Operand, Value};
use warpfold_tests::data::Family::{Ordinary, SpecialOnly};
use warpfold_tests::formulas::{Dice, Grammar, random, with_dice};
use warpfold_tests::{Sample, samples};

use crate::bits;

fn random_formulas<T: Grammar + Sample + Debug>() {
    let elements: Vec<T> = samples(Ordinary, 1, 30).into_iter().chain(samples(SpecialOnly, 2, 30)).collect();
    for seed in 1..=500 {
        with_dice(Dice::of(seed), || {
            let formula =
                random::<T, 0>([0, 1, 2].map(|i| elements[(seed as usize + 7 * i) % elements.len()]));
            for &x in &elements {
                let (found, expected) = (formula.interpret(x), formula.of(x));
                assert!(bits(found) == bits(expected), "seed {seed}, {x:?}: {found:?} and not {expected:?}");
            }
        });
    }
}

#[test]
fn random_formulas_have_the_bits_of_their_recorded_steps() {
    random_formulas::<f32>();
    random_formulas::<f64>();
    random_formulas::<i32>();
    random_formulas::<i64>();
    random_formulas::<u32>();
    random_formulas::<u64>();
}

/// What a formula calls has the bits of the crate `warpfold-elementary`, computed and recorded.
#[test]
fn functions_of_formulas_are_those_of_the_crate() {
    macro_rules! same {
        ($type:ident: $($name:ident)*) => {{
            let elements = [Ordinary, SpecialOnly].map(|family| samples::<$type>(family, 3, 300)).concat();
            $(
                let formula = formula!(|v: $type| v.$name());
                for &x in &elements {
                    let expected = bits(warpfold_elementary::$name(x));
                    assert_eq!((bits(formula.of(x)), bits(formula.interpret(x))), (expected, expected), "{} {x}", stringify!($name));
                }
            )*
        }};
    }
    same!(f32: exp exp2 expm1 log log2 log1p tanh sigmoid rsqrt);
    same!(f64: exp exp2 expm1 log log2 log1p tanh sigmoid rsqrt);
}

/// Equal steps are recorded once, and steps of numbers are computed when they are recorded.
#[test]
fn a_formula_is_recorded_once() {
    let f = formula!(|v: f32| (v * v + v * v).max(formulas_constant(v)));
    let text = format!("{:?}", f.program());
    assert_eq!(text.matches("Binary(Mul").count(), 1, "{text}");
    assert_eq!(text.matches("Binary(Add").count(), 1, "{text}");
    assert!(text.contains(&format!("Number({})", 6.0f32.to_bits())), "{text}");
}

fn formulas_constant<M: Mode>(v: Value<M, f32>) -> Value<M, f32> {
    2.0f32.beside(v) * 3.0
}

#[test]
fn a_formula_knows_where_it_is_written() {
    let f = formula!(|v: f32| v);
    let place = format!("{}:{}", file!(), line!() - 1);
    assert_eq!(f.program().place(), place);
    assert!(format!("{f:?}").contains(&place), "{f:?}");
}
