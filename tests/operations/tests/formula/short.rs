//! Floats of 16 bits, which formulas convert.

use warpfold::formula::objection;
use warpfold::{Cpu, Max, Mean, Sum, Variance, bf16, count, f16, formula, reference, zip};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::formulas::text;
use warpfold_tests::{Bits, samples, sizes};

use crate::{bits, text_of};

#[test]
fn formulas_of_short_floats_are_those_of_the_f32_that_they_are() {
    let cpu = Cpu::new();
    let (scale, most) = (3.0f32, 0.5);
    let of_f16 = formula!(|v: f16; scale: f32| -> f32 { v.to::<f32>() * scale - 0.5 });
    let of_bf16 = formula!(|v: bf16; scale: f32| -> f32 { v.to::<f32>() * scale - 0.5 });
    let low =
        formula!(|v: f16; most: f32| -> Option<f64> { v.to::<f32>().lt(most).then_some(v.to::<f64>()) });
    for n in sizes::up_to::<f16>(70_000) {
        let (x, y): (Vec<f16>, Vec<bf16>) = (samples(Special, n, n), samples(Special, n, n));
        macro_rules! is_reference {
            ($($op:expr, $x:ident);*) => { $(
                let (found, expected) = (cpu.reduce($op, &$x).unwrap(), reference::reduce_by($op, &$x));
                assert!(found.is_same(&expected), "{n}: {found:?} and not {expected:?}");
            )* };
        }
        is_reference!(Sum.of(of_f16), x; Sum.of(of_bf16), y; Variance.of(of_f16), x; Mean.of(low), x);
        let greatest = x.iter().map(|x| x.to_f32() * scale - 0.5).reduce(f32::max);
        assert_eq!(cpu.reduce(Max.of(of_f16), &x).unwrap().map(bits), greatest.map(bits), "{n}");
        let positive = formula!(|v: bf16| -> bool { v.to::<f64>().gt(0.0) });
        let expected = y.iter().filter(|y| y.to_f64() > 0.0).count() as u64;
        assert_eq!(cpu.reduce(count(positive), &y), Ok(expected), "{n}");
    }
}

#[test]
fn short_floats_come_in_pairs_and_with_their_index() {
    let x: Vec<f16> = samples(Ordinary, 1, 5000);
    let y: Vec<f16> = samples(Ordinary, 2, 5000);
    let product = formula!(|x: f16, y: f16| -> f32 { x.to::<f32>() * y.to::<f32>() });
    let pairs: Vec<[f16; 2]> = x.iter().zip(&y).map(|(&x, &y)| [x, y]).collect();
    let expected = reference::reduce_by(Sum.of(product), &pairs);
    assert_eq!(Cpu::new().reduce(Sum.of(product), zip(&x, &y)), Ok(expected));
    let even = formula!(|v: f16, index: Index| -> Option<f32> { (index & 1).eq(0).then_some(v.to::<f32>()) });
    let expected = x.iter().step_by(2).map(|x| x.to_f32()).reduce(f32::max);
    assert_eq!(Cpu::new().reduce(Max.of(even), &x), Ok(expected));
}

/// Every short float is converted by the recorded steps, and by the text, as on the CPU.
#[test]
fn short_floats_are_converted_by_their_steps() {
    let (of_f16, of_bf16) = (formula!(|v: f16| -> f32 { v.to() }), formula!(|v: bf16| -> f32 { v.to() }));
    let texts = [text_of(&of_f16.program()), text_of(&of_bf16.program())];
    for text in &texts {
        assert_eq!(objection(text), None, "{text}");
    }
    let line = ".reg .b16 %wf_b16_0; cvt.u16.u32 %wf_b16_0, %wf_b32_0; cvt.f32.f16 %wf_b32_1, %wf_b16_0;";
    assert!(texts[0].lines().any(|written| written.trim() == line), "{}", texts[0]);
    for word in 0..=u16::MAX {
        let (x, y) = (f16::from_bits(word), bf16::from_bits(word));
        assert_eq!(bits(of_f16.of(x)), bits(x.to_f32()));
        assert_eq!(bits(of_f16.interpret(x)), bits(x.to_f32()));
        assert_eq!(bits(of_bf16.of(y)), bits(y.to_f32()));
        assert_eq!(bits(of_bf16.interpret(y)), bits(y.to_f32()));
        let found = text::run(&texts[1], &[("r1", word.into())], &[])["r2"];
        assert_eq!(bits(f32::from_bits(found as u32)), bits(y.to_f32()));
    }
}
