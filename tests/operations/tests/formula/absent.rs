//! Elements for which a formula has no result.

use warpfold::{
    ArgMax, ArgMin, Cpu, Max, Maximum, Mean, Min, MinMax, Minimum, Norm1, Norm2, NormInf, Product, StdDev,
    Sum, SumOfSquares, Variance, columns, count, formula, reference, rows,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, samples, sizes};

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
