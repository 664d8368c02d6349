//! Formulas on the CPU: against closures, the interpreter of the recorded steps, and operators over mapped elements.
#![allow(missing_docs)]

use std::fmt::Debug;

use warpfold::formula::{Body, Kind, Mode, Numeric, Operand, Program, Value, objection};
use warpfold::{
    Any, ArgMax, ArgMin, Auto, Cpu, Dot, Element, Formula, Max, Maximum, Mean, Min, MinMax, Minimum, Norm1,
    Norm2, NormInf, Op, Product, Scan, StdDev, Sum, SumOfSquares, Variance, chunks, columns, count, formula,
    groups, reference, rows, runs, segments, windows, zip,
};
use warpfold_tests::data::Family::{Ordinary, Special, SpecialOnly};
use warpfold_tests::formulas::{Dice, Grammar, random, random_of_pairs, text, with_dice};
use warpfold_tests::{Bits, Sample, samples, sizes};

/// Bits, but one for every NaN.
fn bits<T: Numeric>(x: T) -> u64 {
    let float = match T::KIND {
        Kind::F32 => f64::from(f32::from_bits(x.to_word() as u32)),
        Kind::F64 => f64::from_bits(x.to_word()),
        _ => 0.0,
    };
    if float.is_nan() { u64::MAX } else { x.to_word() }
}

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

/// A formula's result is `None` for about a third of the elements, for all, and for none of them.
#[test]
fn elements_without_a_result_are_absent() {
    let cpu = Cpu::new();
    for (least, n) in [
        (0.25f32, 0),
        (0.25, 1),
        (0.25, 5000),
        (0.25, 70_001),
        (f32::NEG_INFINITY, 5000),
        (f32::INFINITY, 5000),
    ] {
        let x: Vec<f32> = samples(Ordinary, n, n);
        let f = formula!(|v: f32; least: f32| -> Option<f32> { v.ge(least).then_some(v * v) });
        let kept: Vec<(u64, f32)> =
            x.iter().zip(0u64..).filter(|(v, _)| **v >= least).map(|(&v, i)| (i, v * v)).collect();
        let squares: Vec<f32> = kept.iter().map(|&(_, square)| square).collect();
        macro_rules! is_reference {
            ($($op:ident),*) => { $(
                let (found, expected) = (cpu.reduce($op.of(f), &x).unwrap(), reference::reduce_by($op.of(f), &x));
                assert!(found.is_same(&expected), "{} of {n}: {found:?} and not {expected:?}", stringify!($op));
            )* };
        }
        is_reference!(
            Sum,
            Product,
            Min,
            Max,
            Maximum,
            Minimum,
            MinMax,
            ArgMin,
            ArgMax,
            Mean,
            Variance,
            StdDev,
            SumOfSquares,
            Norm1,
            Norm2,
            NormInf
        );
        // Where the tree does not matter, the results are those of the others alone.
        assert_eq!(cpu.reduce(Max.of(f), &x), cpu.reduce(Max, &squares));
        assert_eq!(cpu.reduce(Minimum.of(f), &x), cpu.reduce(Minimum, &squares));
        let least_of_all =
            cpu.reduce(ArgMin, &squares).unwrap().map(|at| (kept[at.index as usize].0, at.value));
        assert_eq!(cpu.reduce(ArgMin.of(f), &x).unwrap().map(|at| (at.index, at.value)), least_of_all);
        let zeros = formula!(|v: f32; least: f32| v.ge(least).select(v * v, -0.0f32));
        assert!(cpu.reduce(Sum.of(f), &x).unwrap().is_same(&cpu.reduce(Sum.of(zeros), &x).unwrap()));
        let (sum, mean) = (cpu.reduce(Sum.of(f), &x).unwrap(), cpu.reduce(Mean.of(f), &x).unwrap());
        assert_eq!(mean, (!kept.is_empty()).then(|| sum / kept.len() as f32));
        let (found, expected) =
            (cpu.reduce(Variance.of(f), &x).unwrap(), cpu.reduce(Variance, &squares).unwrap());
        assert_eq!(found.is_some(), expected.is_some());
        if let (Some(found), Some(expected)) = (found, expected) {
            assert!((found - expected).abs() <= 1e-4 * expected, "{found} and not {expected}");
        }
        // Of integers the results are those of the others alone, too.
        let x: Vec<i32> = samples(Special, n, n);
        let odd: Vec<i32> = x.iter().copied().filter(|v| v & 1 == 1).collect();
        let f = formula!(|v: i32| -> Option<i32> { (v & 1).eq(1).then_some(v) });
        assert_eq!(cpu.reduce(Sum.of(f), &x), cpu.reduce(Sum, &odd));
        assert_eq!(cpu.reduce(Mean.of(f), &x), cpu.reduce(Mean, &odd));
        assert_eq!(cpu.reduce(Variance.of(f), &x), cpu.reduce(Variance, &odd));
        assert_eq!(cpu.reduce(MinMax.of(f), &x), cpu.reduce(MinMax, &odd));
    }
}

/// A predicate may divide by what it is not asked for.
#[test]
fn a_predicate_does_not_see_absent_elements() {
    let some = formula!(|v: u32| -> Option<u32> { v.ne(0).then_some(v) });
    for n in sizes::up_to::<u32>(10_000) {
        let x: Vec<u32> = (0..n as u32).map(|i| i % 3 * (i % 50)).collect();
        let expected = x.iter().filter(|&&v| v != 0 && 100 / v > 3).count() as u64;
        let hits = count(|v: u32| 100 / v > 3).of(some);
        assert_eq!(Cpu::new().reduce(hits, &x).unwrap(), expected);
        // Rows and columns of a few elements go other ways.
        let few = &x[..x.len() / 24 * 24];
        let expected = few.iter().filter(|&&v| v != 0 && 100 / v > 3).count() as u64;
        let by_row = Cpu::new().reduce(hits, rows(few, [few.len() / 12, 12])).unwrap();
        assert_eq!(by_row.into_iter().sum::<u64>(), expected);
        let by_column = Cpu::new().reduce(hits, columns(few, [few.len() / 24, 24])).unwrap();
        assert_eq!(by_column.into_iter().sum::<u64>(), expected);
    }
}

#[test]
fn formulas_of_two_arrays_go_into_zip() {
    let cpu = Cpu::new();
    for n in [0, 1, 1000, 70_001] {
        let (x, y): (Vec<f32>, Vec<f32>) = (samples(Ordinary, n, n), samples(Ordinary, n + 1, n));
        let (product, scale) = (formula!(|x: f32, y: f32| x * y), 0.5f32);
        assert!(
            cpu.reduce(Sum.of(product), zip(&x, &y)).unwrap().is_same(&cpu.reduce(Dot, zip(&x, &y)).unwrap())
        );
        let pairs: Vec<[f32; 2]> = x.iter().zip(&y).map(|(&x, &y)| [x, y]).collect();
        let near = formula!(|x: f32, y: f32; scale: f32| -> Option<f32> { (x - y).abs().lt(scale).then_some((x - y) * scale) });
        macro_rules! is_reference {
            ($($op:ident),*) => { $(
                let (found, expected) = (cpu.reduce($op.of(near), zip(&x, &y)).unwrap(), reference::reduce_by($op.of(near), &pairs));
                assert!(found.is_same(&expected), "{} of {n}: {found:?} and not {expected:?}", stringify!($op));
            )* };
        }
        is_reference!(Sum, Min, Max, Mean, Variance, ArgMax);
        let less = formula!(|x: f32, y: f32| -> bool { x.lt(y) });
        let expected = pairs.iter().filter(|[x, y]| x < y).count() as u64;
        assert_eq!(cpu.reduce(count(less), zip(&x, &y)), Ok(expected));
    }
}

/// In a part it counts from the part's first element. A long array is folded by several threads.
#[test]
fn an_index_is_that_of_the_element_in_its_part() {
    let (cpu, scale) = (Cpu::new(), 0.5f32);
    let f = formula!(|v: f32, index: Index; scale: f32| v - (index % 7).to::<f32>() * scale);
    assert_eq!(f.of((3.0, 9)), 2.0);
    for n in sizes::up_to::<f32>(70_000).into_iter().chain([3 << 20]) {
        let x: Vec<f32> = samples(Special, n, n);
        let mapped: Vec<f32> = x.iter().zip(0..).map(|(&x, index)| f.of((x, index))).collect();
        assert!(cpu.reduce(Sum.of(f), &x).unwrap().is_same(&cpu.reduce(Sum, &mapped).unwrap()), "{n}");
        assert!(cpu.reduce(Max.of(f), &x).unwrap().is_same(&cpu.reduce(Max, &mapped).unwrap()), "{n}");
    }
    let x: Vec<f32> = samples(Ordinary, 3, 60 * 70);
    let each = |parts: &[Vec<f32>]| -> Vec<f32> {
        parts.iter().map(|part| reference::reduce_by(Sum.of(f), part)).collect()
    };
    let by_row: Vec<Vec<f32>> = x.chunks(70).map(<[f32]>::to_vec).collect();
    assert_eq!(cpu.reduce(Sum.of(f), rows(&x, [60, 70])), Ok(each(&by_row)));
    let by_column: Vec<Vec<f32>> = (0..70).map(|c| x.iter().skip(c).step_by(70).copied().collect()).collect();
    assert_eq!(cpu.reduce(Sum.of(f), columns(&x, [60, 70])), Ok(each(&by_column)));
    let by_segment = [&x[..5], &[], &x[5..3000], &x[3000..]].map(<[f32]>::to_vec);
    assert_eq!(cpu.reduce(Sum.of(f), segments(&x, &[0u64, 5, 5, 3000, 4200])), Ok(each(&by_segment)));
    let by_window: Vec<Vec<f32>> = x.windows(100).map(<[f32]>::to_vec).collect();
    assert_eq!(cpu.reduce(Sum.of(f), windows(&x, 100)), Ok(each(&by_window)));
    // Elements that are absent, and the text.
    let f = formula!(|v: f32, index: Index| -> Option<f32> { (index & 3).ne(1).then_some(v) });
    let kept: Vec<f32> = x.iter().zip(0..).filter(|(_, i)| i % 4 != 1).map(|(&v, _)| v).collect();
    assert_eq!(cpu.reduce(Max.of(f), &x), cpu.reduce(Max, &kept));
    let (text, _) = f.program().put_into(KERNEL_OF_PAIRS, "k");
    let (_, text) = text.split_once(")\n{\n").unwrap();
    let (text, _) = text.split_once("//end").unwrap();
    assert_eq!(objection(text), None, "{text}");
    for (&v, index) in x.iter().zip((0..20).chain([(1 << 40) + 1, u64::MAX])) {
        assert_eq!(f.interpret((v, index)), f.of((v, index)));
        let found = text::run(text, &[("r1", v.to_bits().into()), ("r2", index)], &[]);
        let found = (found["r4"] != 0).then(|| f32::from_bits(found["r3"] as u32));
        assert_eq!(found, f.of((v, index)), "{text}");
    }
}

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

/// In every input a result is that over an array of the formula's results.
#[test]
fn formulas_go_into_every_input() {
    let cpu = Cpu::new();
    let x: Vec<f32> = samples(Ordinary, 3, 60 * 70);
    let f = formula!(|v: f32| (v - 0.5).abs());
    let y: Vec<f32> = x.iter().map(|&x| f.of(x)).collect();
    let (offsets, ids) = ([0u64, 5, 5, 3000, 4200], (0..4200).map(|i| i * i % 7).collect::<Vec<u32>>());
    let keys: Vec<u32> = (0..4200).map(|i| i / 13).collect();
    macro_rules! same {
        ($($x:ident, $y:ident => $input:expr;)*) => { $(
            let found = { let $x = &x; cpu.reduce(Sum.of(f), $input).unwrap() };
            let expected = { let $x = &y; cpu.reduce(Sum, $input).unwrap() };
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), stringify!($input));
        )* };
    }
    same! {
        x, y => rows(x, [60, 70]);
        x, y => columns(x, [60, 70]);
        x, y => chunks(x, 99);
        x, y => segments(x, &offsets);
        x, y => groups(&ids, x, 7);
        x, y => runs(&keys, x);
        x, y => windows(x, 100);
    }
    // An element that is absent there is one of NaN, which Max skips.
    let near = formula!(|v: f32| -> Option<f32> { v.lt(0.5).then_some(v) });
    let y: Vec<f32> = x.iter().map(|&v| near.of(v).unwrap_or(f32::NAN)).collect();
    macro_rules! absent {
        ($($x:ident, $y:ident => $input:expr;)*) => { $(
            let found = { let $x = &x; cpu.reduce(Max.of(near), $input).unwrap() };
            let expected = { let $x = &y; cpu.reduce(Max, $input).unwrap() };
            let expected: Vec<_> = expected.into_iter().map(|max| max.filter(|max| !max.is_nan())).collect();
            assert_eq!(found, expected, stringify!($input));
        )* };
    }
    absent! {
        x, y => rows(x, [60, 70]);
        x, y => columns(x, [60, 70]);
        x, y => chunks(x, 99);
        x, y => segments(x, &offsets);
        x, y => groups(&ids, x, 7);
        x, y => windows(x, 100);
    }
    let y: Vec<f32> = x.iter().map(|&x| f.of(x)).collect();
    let scanned = cpu.scan(Max.of(f), &x, Scan::inclusive()).unwrap();
    assert_eq!(scanned, cpu.scan(Max, &y, Scan::inclusive()).unwrap());
    assert_eq!(Auto::new().reduce(Mean.of(f), &x).unwrap(), cpu.reduce(Mean, &y).unwrap());
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

/// A kernel with a place for a formula.
const KERNEL: &str = ".version 6.3\n.target sm_75\n.visible .entry k(\n.param .u64 $arg0,\n.param .align 8 .b8 $arg1[64]\n)\n{\n\
    //@formula\nmov.b32 r2,r1;\nadd.rn.f32 r3,r2,r2;\nret;\n}\n";

/// Returns a formula's part of a kernel's text, which computes `r2` of `r1`.
fn text_of(program: &Program) -> String {
    let (text, _) = program.put_into(KERNEL, "k");
    let (_, rest) = text.split_once(")\n{\n").unwrap();
    rest.split_once("add.rn.f32 r3,r2,r2").unwrap().0.to_owned()
}

/// Returns what a text computes of an element.
fn run<T: Numeric>(text: &str, x: T, captured: [T; 3]) -> T {
    T::from_word(text::run(text, &[("r1", x.to_word())], &captured.map(T::to_word))["r2"])
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

/// A kernel with a place for a formula of two elements that may have no result.
const KERNEL_OF_PAIRS: &str = ".entry k(\n.param .b8 $arg1[64]\n)\n{\n\
    //@formula\nmov.b32 r3,r1;\nmov.b32 r3,r2;\nmov.b32 r4, 1;\n//end\n}\n";

fn pairs_of<T: Grammar + Sample + Debug>() {
    let elements: Vec<T> = samples(Ordinary, 3, 20).into_iter().chain(samples(SpecialOnly, 4, 20)).collect();
    for seed in 1..=300 {
        with_dice(Dice::of(seed), || {
            let captured = [0, 1, 2].map(|i| elements[(seed as usize + 7 * i) % elements.len()]);
            let formula = random_of_pairs::<T>(captured);
            let (text, _) = formula.program().put_into(KERNEL_OF_PAIRS, "k");
            let (_, text) = text.split_once(")\n{\n").unwrap();
            let (text, _) = text.split_once("//end").unwrap();
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

#[test]
fn a_formula_knows_where_it_is_written() {
    let f = formula!(|v: f32| v);
    let place = format!("{}:{}", file!(), line!() - 1);
    assert_eq!(f.program().place(), place);
    assert!(format!("{f:?}").contains(&place), "{f:?}");
}

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
