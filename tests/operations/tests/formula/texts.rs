//! The PTX of a formula, run without a GPU.

use std::fmt::Debug;

use warpfold::formula;
use warpfold::formula::objection;
use warpfold_tests::data::Family::{Ordinary, SpecialOnly};
use warpfold_tests::formulas::{Dice, Grammar, random, random_of_pairs, text, with_dice};
use warpfold_tests::{Sample, samples};

use crate::{KERNEL, bits, run, text_of, text_of_pairs};

#[test]
fn a_formula_takes_the_place_of_the_mark() {
    let (half, limit) = (0.5f32, 3.0);
    let f = formula!(|v: f32; half: f32, limit: f32| (v - half).abs().min(limit) * 2.0);
    let (text, name) = f.program().put_into(KERNEL, "k");
    assert!(text.contains(&format!(".entry {name}(")) && name.starts_with("k_"), "{text}");
    for line in [
        "mov.b32 %wf_b32_0, r1;",
        "ld.param.b32 %wf_b32_1, [$arg1+0];",
        "ld.param.b32 %wf_b32_2, [$arg1+8];",
        "sub.rn.f32 %wf_b32_3, %wf_b32_0, %wf_b32_1;",
        "abs.f32 %wf_b32_4, %wf_b32_3;",
        "min.f32 %wf_b32_5, %wf_b32_4, %wf_b32_2;",
        "mov.b32 %wf_b32_6, 0x40000000;",
        "mul.rn.f32 %wf_b32_7, %wf_b32_5, %wf_b32_6;",
        "mov.b32 r2, %wf_b32_7;",
        "add.rn.f32 r3,r2,r2;",
    ] {
        assert!(text.lines().any(|written| written.trim() == line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("formula") && !text.contains("mov.b32 r2,r1;"), "{text}");
    let others = [formula!(|v: f32| v + 1.0).program(), formula!(|v: f32| v + 2.0).program()];
    let names = others.map(|program| program.put_into(KERNEL, "k").1);
    assert!(names[0] != names[1] && names[0] != name);
}

fn texts_of<T: Grammar + Sample + Debug>() {
    let elements: Vec<T> = samples(Ordinary, 3, 30).into_iter().chain(samples(SpecialOnly, 4, 30)).collect();
    for seed in 1..=500 {
        with_dice(Dice::of(seed), || {
            let captured = [0, 1, 2].map(|i| elements[(seed as usize + 7 * i) % elements.len()]);
            let formula = random::<T, 0>(captured);
            let text = text_of(&formula.program());
            assert_eq!(objection(&text), None, "seed {seed}: {text}");
            for &x in &elements {
                let (found, expected) = (run(&text, x, captured), formula.of(x));
                assert!(
                    bits(found) == bits(expected),
                    "seed {seed}, {x:?}: {found:?} and not {expected:?}: {text}"
                );
            }
        });
    }
}

/// Run without a GPU, the text of a formula computes what the formula does. The lint has no objection to it.
#[test]
fn random_formulas_have_the_bits_of_their_texts() {
    texts_of::<f32>();
    texts_of::<f64>();
    texts_of::<i32>();
    texts_of::<i64>();
    texts_of::<u32>();
    texts_of::<u64>();
}

fn pairs_of<T: Grammar + Sample + Debug>() {
    let elements: Vec<T> = samples(Ordinary, 3, 20).into_iter().chain(samples(SpecialOnly, 4, 20)).collect();
    for seed in 1..=300 {
        with_dice(Dice::of(seed), || {
            let captured = [0, 1, 2].map(|i| elements[(seed as usize + 7 * i) % elements.len()]);
            let formula = random_of_pairs::<T>(captured);
            let text = &text_of_pairs(&formula.program());
            for (i, &x) in elements.iter().enumerate() {
                let pair = [x, elements[(i * 7 + seed as usize) % elements.len()]];
                let expected = formula.of(pair).map(bits);
                assert_eq!(formula.interpret(pair).map(bits), expected, "seed {seed}, {pair:?}");
                let given = [("r1", pair[0].to_word()), ("r2", pair[1].to_word())];
                let found = text::run(text, &given, &captured.map(T::to_word));
                let found = (found["r4"] != 0).then(|| bits(T::from_word(found["r3"])));
                assert_eq!(found, expected, "seed {seed}, {pair:?}: {text}");
            }
        });
    }
}

#[test]
fn random_formulas_of_pairs_have_the_bits_of_their_steps_and_texts() {
    pairs_of::<f32>();
    pairs_of::<f64>();
    pairs_of::<i32>();
    pairs_of::<i64>();
    pairs_of::<u32>();
    pairs_of::<u64>();
}

/// Faults planted into a text are found: by its results, and those that the lint knows by the lint too.
#[test]
fn planted_faults_in_a_text_are_found() {
    let captured = [0.1f32, 3.0, 0.7];
    let [a, b, c] = captured;
    let f = formula!(|v: f32; a: f32, b: f32, c: f32| ((v - a) * b + c).copysign(v - c) + v.floor());
    let text = text_of(&f.program());
    let elements: Vec<f32> = samples(Ordinary, 5, 1000);
    let differs = |text: &str| elements.iter().any(|&x| bits(run(text, x, captured)) != bits(f.of(x)));
    assert!(!differs(&text) && objection(&text).is_none(), "{text}");

    let planted = |line: &str, fault: &str| {
        assert_eq!(text.matches(line).count(), 1, "{line} is not in\n{text}");
        text.replace(line, fault)
    };
    // A product and a sum become one instruction that rounds once.
    let product =
        "mul.rn.f32 %wf_b32_5, %wf_b32_4, %wf_b32_2;\n\tadd.rn.f32 %wf_b32_6, %wf_b32_5, %wf_b32_3;";
    let contracted = planted(product, "fma.rn.f32 %wf_b32_6, %wf_b32_4, %wf_b32_2, %wf_b32_3;");
    assert!(differs(&contracted));
    assert!(objection(&contracted).is_some_and(|found| found.contains("fma.rn.f32 %wf_b32_6,")));
    // Another rounding: of an operation, and to an integer.
    assert!(objection(&planted("mul.rn", "mul.rz")).is_some());
    assert!(differs(&planted("cvt.rmi", "cvt.rni")));
    // Operands that changed their places.
    assert!(differs(&planted(
        "sub.rn.f32 %wf_b32_4, %wf_b32_0, %wf_b32_1",
        "sub.rn.f32 %wf_b32_4, %wf_b32_1, %wf_b32_0"
    )));
}
