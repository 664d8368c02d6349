//! Operators that combine by a formula, on the CPU: against the reference, against closures, and by their texts.
#![allow(missing_docs)]

use std::fmt::Debug;

use bytemuck::cast;
use warpfold::formula::{Combined, Numeric, Operation, Written, objection};
use warpfold::{
    Cpu, Element, Max, Min, Op, Sum, chunks, columns, formula, operator, reference, rows, segments, windows,
};
use warpfold_tests::data::Family::{Ordinary, Special, SpecialOnly};
use warpfold_tests::formulas::{Dice, Grammar, RandomOperation, RandomOperator, text, with_dice};
use warpfold_tests::{Bits, Sample, samples, sizes};

/// The operator has the bits of the slow reference, and of another operator.
fn is_reference<T, O, P>(op: O, other: P, families: &[warpfold_tests::data::Family])
where
    T: Element + Sample,
    O: Op<T, Out: Bits + Debug>,
    P: Op<T, Out = O::Out>,
{
    for n in sizes::up_to::<T>(70_000) {
        for &family in families {
            let x: Vec<T> = samples(family, n, n);
            let found = Cpu::new().reduce(op, &x).unwrap();
            let expected = reference::reduce_by(op, &x);
            assert!(found.is_same(&expected), "{n}: {found:?} and not {expected:?}");
            let expected = Cpu::new().reduce(other, &x).unwrap();
            assert!(found.is_same(&expected), "{n}: {found:?} and not {expected:?} of the other");
        }
    }
}

/// A sum by a formula has the sum's tree, and so its bits.
#[test]
fn a_sum_by_a_formula_is_a_sum() {
    let both = [Ordinary, Special];
    is_reference(operator!(-0.0, formula!(|a: f32, b| a + b)).commutative(), Sum, &both);
    is_reference(operator!(-0.0, formula!(|a: f64, b| a + b)).commutative(), Sum, &both);
    is_reference::<i64, _, _>(operator!(0, formula!(|a: i64, b| a + b)).commutative(), Sum, &both);
    is_reference::<u64, _, _>(operator!(0, formula!(|a: u64, b| a + b)).commutative(), Sum, &both);
    let least = operator!(f32::INFINITY, formula!(|a: f32, b| a.min(b))).commutative();
    let (cpu, x): (_, Vec<f32>) = (Cpu::new(), samples(Ordinary, 1, 5000));
    assert_eq!(Some(cpu.reduce(least, &x).unwrap()), cpu.reduce(Min, &x).unwrap());
}

/// Operators that depend on the order, and on where the brackets are.
#[test]
fn an_operator_by_a_formula_is_that_by_a_closure() {
    let both = [Ordinary, Special];
    is_reference(
        operator!(1, formula!(|a: u32, b| a * 31 + (b ^ (a >> 7)))),
        operator!(1, |a: u32, b| match (a, b) {
            (1, b) => b,
            (a, 1) => a,
            (a, b) => a.wrapping_mul(31).wrapping_add(b ^ (a >> 7)),
        }),
        &both,
    );
    is_reference(
        operator!(0, formula!(|a: i32, b: i32| a - b / 3)),
        operator!(0, |a: i32, b| match (a, b) {
            (0, b) => b,
            (a, 0) => a,
            (a, b) => a.wrapping_sub(b / 3),
        }),
        &both,
    );
    is_reference(
        operator!(0.0, formula!(|a: f64, b| (a * a + b * b).sqrt())),
        operator!(0.0, |a: f64, b| match () {
            () if a.to_bits() == 0 => b,
            () if b.to_bits() == 0 => a,
            () => (a * a + b * b).sqrt(),
        }),
        &[Ordinary],
    );
    let first = operator!(0, formula!(|a: i64, b| a.ne(0).select(a, b)));
    assert_eq!(Cpu::new().reduce(first, &[0, 0, 7, 0, 5]), Ok(7));
}

/// The identity is neutral, whatever the formula says.
#[test]
fn an_identity_is_neutral() {
    let cpu = Cpu::new();
    let sum = operator!(0.0, formula!(|a: f32, b| a + b));
    for n in [1, 2, 100, 5000] {
        let (found, with_zeros) = (cpu.reduce(sum, &vec![-0.0; n]).unwrap(), vec![0.0f32; n]);
        assert!(found.is_same(&-0.0), "{n}: {found}");
        assert!(cpu.reduce(sum, &with_zeros).unwrap().is_same(&0.0));
    }
    assert_eq!(cpu.reduce(sum, &[] as &[f32]), Ok(0.0));
    let product = operator!(5, formula!(|a: u64, b| a * b)).commutative();
    assert_eq!((cpu.reduce(product, &[5, 5]), cpu.reduce(product, &[5, 2, 5, 3])), (Ok(5), Ok(6)));
    assert_eq!(cpu.reduce(product, &[] as &[u64]), Ok(5));
    // A NaN that the formula computes has one pattern.
    let nan = cpu.reduce(operator!(0.0, formula!(|a: f64, b| (a - b).sqrt())), &[1.0, 2.0]).unwrap();
    assert_eq!(nan.to_bits(), 0x7ff8_0000_0000_0000);
}

#[test]
fn operators_by_formulas_go_into_every_input() {
    let cpu = Cpu::new();
    let x: Vec<f32> = samples(Ordinary, 3, 60 * 70);
    let offsets = [0u64, 5, 5, 3000, 4200];
    let op = operator!(0.0, formula!(|a: f32, b| (a - b).abs().max(a)));
    let closure = operator!(0.0, |a: f32, b| match () {
        () if a.to_bits() == 0 => b,
        () if b.to_bits() == 0 => a,
        () => (a - b).abs().max(a),
    });
    macro_rules! same {
        ($($input:expr;)*) => { $(
            assert_eq!(cpu.reduce(op, $input).unwrap(), cpu.reduce(closure, $input).unwrap(), stringify!($input));
        )* };
    }
    same! {
        rows(&x, [60, 70]);
        columns(&x, [60, 70]);
        chunks(&x, 99);
        segments(&x, &offsets);
        windows(&x, 100);
    }
    let scanned = cpu.scan(op, &x, warpfold::Scan::inclusive()).unwrap();
    assert_eq!(scanned, cpu.scan(closure, &x, warpfold::Scan::inclusive()).unwrap());
    // After another formula, of which some results are absent.
    let most = operator!(f64::NEG_INFINITY, formula!(|a: f64, b| a.max(b))).commutative();
    let some = formula!(|v: f32| -> Option<f64> { v.gt(0.5).then_some(v.to::<f64>() * 2.0) });
    assert_eq!(cpu.reduce(most.of(some), &x).ok(), cpu.reduce(Max.of(some), &x).unwrap());
}

/// Bits, but one for every NaN.
fn bits<T: Numeric>(x: T::Bits) -> u64 {
    cast::<_, T>(x).canonical().to_word()
}

/// The place of an operation in a kernel, and the place where a number is carried.
fn kernel(bits: usize) -> String {
    format!(
        ".entry k(\n.param .b8 $arg1[64]\n)\n{{\n//@carry\nmov.b{bits} left,x;\n//@carry\nmov.b{bits} right,y;\n\
         //@formula\nmov.b{bits} both,left;\nmov.b{bits} both,right;\n//end\n}}\n"
    )
}

fn texts_of<T: Grammar + Sample + Debug>() {
    let elements: Vec<T> = samples(Ordinary, 3, 20).into_iter().chain(samples(SpecialOnly, 4, 20)).collect();
    let op: RandomOperator<T, 0> = Combined::new();
    let identity: u64 = T::SOME[1].to_word();
    for seed in 1..=300 {
        with_dice(Dice::of(seed), || {
            let (text, _) = op.program().put_into(&kernel(8 * size_of::<T>()), "k");
            let (_, text) = text.split_once(")\n{\n").unwrap();
            let (text, _) = text.split_once("//end").unwrap();
            assert_eq!(objection(text), None, "seed {seed}: {text}");
            for (i, &x) in elements.iter().enumerate() {
                let y = elements[(i * 7 + seed as usize) % elements.len()];
                let [left, right] = [x, y].map(|x| op.lift(x, 0));
                let found = text::run(text, &[("x", x.to_word()), ("y", y.to_word())], &[]);
                let carried = [left, right].map(|carried| cast::<_, T>(carried).to_word());
                assert_eq!([found["left"], found["right"]], carried, "{text}");
                if x.to_word() == identity || y.to_word() == identity {
                    continue;
                }
                let expected = RandomOperator::<T, 0>::combine(left, right);
                let (found, expected) =
                    (found["both"] ^ identity, cast::<_, T>(expected).to_word() ^ identity);
                let [found, expected] = [found, expected].map(|word| bits::<T>(cast(T::from_word(word))));
                assert_eq!(found, expected, "seed {seed}, {x:?}, {y:?}: {text}");
                let run = op.program().run(carried, &[0; _]).0 ^ identity;
                assert_eq!(bits::<T>(cast(T::from_word(run))), expected, "seed {seed}, {x:?}, {y:?}");
            }
        });
    }
}

#[test]
fn random_operators_have_the_bits_of_their_steps_and_texts() {
    texts_of::<f32>();
    texts_of::<f64>();
    texts_of::<i32>();
    texts_of::<i64>();
    texts_of::<u32>();
    texts_of::<u64>();
}

#[test]
fn an_operator_knows_where_its_formula_is_written() {
    let op = operator!(0.0, formula!(|a: f32, b| a + b));
    assert_eq!(op.program().place(), format!("{}:{}", file!(), line!() - 1));
    assert_eq!(<RandomOperation<f32, 0> as Operation>::PLACE, "a random formula");
    let _: Combined<Written<RandomOperation<f32, 0>>, true> = RandomOperator::new().commutative();
}
