//! Formulas in every input, in zip, and by index.

use warpfold::formula::objection;
use warpfold::{
    ArgMax, Auto, Cpu, Dot, Max, Mean, Min, Scan, Sum, Variance, chunks, columns, count, formula, groups,
    reference, rows, runs, segments, windows, zip,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::formulas::text;
use warpfold_tests::{Bits, samples, sizes};

use crate::text_of_pairs;

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
    let text = &text_of_pairs(&f.program());
    assert_eq!(objection(text), None, "{text}");
    for (&v, index) in x.iter().zip((0..20).chain([(1 << 40) + 1, u64::MAX])) {
        assert_eq!(f.interpret((v, index)), f.of((v, index)));
        let found = text::run(text, &[("r1", v.to_bits().into()), ("r2", index)], &[]);
        let found = (found["r4"] != 0).then(|| f32::from_bits(found["r3"] as u32));
        assert_eq!(found, f.of((v, index)), "{text}");
    }
}
