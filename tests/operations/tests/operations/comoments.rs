//! Exact covariance and correlation by every input of pairs: the bits of a state that gets the pairs one by one.

use gpu_kernels::reference;
use warpfold::exact::{self, Comoments};
use warpfold::{
    Cpu, Elements, ExactCorrelation, ExactCovariance, ExactSampleCovariance, Op, View, after_fold, along,
    chunks, columns, groups, rows, runs, segments, windows, zip,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

/// A float of which there are states, and data for tests.
trait Number: exact::Element + warpfold::Element + bytemuck::Pod + Sample + Bits {}
impl<T: exact::Element + warpfold::Element + bytemuck::Pod + Sample + Bits> Number for T {}

/// An operator, and the same of a state.
trait Known<T: Number>: Op<[T; 2], Out = Option<T>> + Default {
    fn of(state: &Comoments<T>) -> Option<T>;
}

macro_rules! known {
    ($($op:ident $result:ident of $($float:ident)*;)*) => { $( $(
        impl Known<$float> for $op {
            fn of(state: &Comoments<$float>) -> Option<$float> {
                state.$result()
            }
        }
    )* )* };
}
known! {
    ExactCovariance covariance of f32 f64;
    ExactSampleCovariance sample_covariance of f32 f64;
    ExactCorrelation correlation of f32 f64;
}

fn state<T: exact::Element>(pairs: &[[T; 2]]) -> Comoments<T> {
    pairs.iter().map(|&[x, y]| (x, y)).collect()
}

fn bits<T: Bits>(results: &[Option<T>]) -> Vec<String> {
    results.iter().map(|result| format!("{:?}", result.as_ref().map(Bits::bits))).collect()
}

fn pairs<T: Sample>(x: &[T], y: &[T]) -> Vec<[T; 2]> {
    x.iter().zip(y).map(|(&x, &y)| [x, y]).collect()
}

fn of_all_pairs<T: Number, O: Known<T>>() {
    let cpus = [1, 3].map(|threads| Cpu::with_threads(threads).unwrap());
    for (seed, family) in [(1, Ordinary), (2, Special)] {
        let (x, y) = (samples::<T>(family, seed, 200_000), samples::<T>(family, seed + 10, 200_000));
        for n in [0, 1, 2, 33, 300, 5000, x.len()] {
            let all = pairs(&x[..n], &y[..n]);
            let expected = bits(&[O::of(&state(&all))]);
            for cpu in &cpus {
                let found = cpu.reduce(O::default(), zip(&x[..n], &y[..n])).unwrap();
                assert_eq!(bits(&[found]), expected, "{n}, {family:?}, {cpu:?}");
                assert_eq!(bits(&[cpu.reduce(O::default(), &all).unwrap()]), expected, "{n}, {family:?}");
            }
            if n <= 300 {
                assert_eq!(bits(&[reference::reduce::<[T; 2], O>(&all)]), expected, "{n}, {family:?}");
            }
        }
    }
}

fn of_parts<T: Number, O: Known<T>>() {
    let (cpu, op) = (Cpu::new(), O::default());
    let x = pairs(&samples::<T>(Ordinary, 3, 60), &samples::<T>(Ordinary, 4, 60));
    let of =
        |places: &mut dyn Iterator<Item = usize>| O::of(&state(&places.map(|i| x[i]).collect::<Vec<_>>()));
    let each = |parts: Vec<Vec<usize>>| {
        bits(&parts.into_iter().map(|part| of(&mut part.into_iter())).collect::<Vec<_>>())
    };
    let stretches = |ends: &[usize]| each(ends.windows(2).map(|ends| (ends[0]..ends[1]).collect()).collect());
    assert_eq!(bits(&cpu.reduce(op, rows(&x, [4, 15])).unwrap()), stretches(&[0, 15, 30, 45, 60]));
    let of_columns = each((0..15).map(|j| (j..60).step_by(15).collect()).collect());
    assert_eq!(bits(&cpu.reduce(op, columns(&x, [4, 15])).unwrap()), of_columns);
    let view = View::new(&x, &[4, 15]).unwrap();
    assert_eq!(bits(&cpu.reduce(op, along(view, &[0])).unwrap()), of_columns);
    assert_eq!(bits(&cpu.reduce(op, chunks(&x, 25)).unwrap()), stretches(&[0, 25, 50, 60]));
    assert_eq!(bits(&cpu.reduce(op, segments(&x, &[1, 1, 4, 59])).unwrap()), stretches(&[1, 1, 4, 59]));
    let ids: Vec<u32> = (0..60).map(|i| i % 3).collect();
    // The fourth is empty.
    let of_groups = each((0..4).map(|id| (0..60).filter(|&i| id < 3 && i % 3 == id).collect()).collect());
    assert_eq!(bits(&cpu.reduce(op, groups(&ids, &x, 4)).unwrap()), of_groups);
    let keys: Vec<u8> = (0..60).map(|i| i / 20).collect();
    assert_eq!(bits(&cpu.reduce(op, runs(&keys, &x)).unwrap().1), stretches(&[0, 20, 40, 60]));
    let of_windows = each((0..60 - 6).map(|i| (i..i + 7).collect()).collect());
    assert_eq!(bits(&cpu.reduce(op, windows(&x, 7)).unwrap()), of_windows);
    let begun = cpu.fold(op, &x[..20]).unwrap();
    assert_eq!(bits(&[cpu.reduce(op, after_fold(begun, 20, &x[20..])).unwrap()]), stretches(&[0, 60]));
    // A pair with a missing element is left out.
    let first: Elements<T> = x.iter().zip(0..).map(|(pair, i)| (i % 5 != 0).then_some(pair[0])).collect();
    let second: Vec<T> = x.iter().map(|pair| pair[1]).collect();
    let kept = each(vec![(0..60).filter(|i| i % 5 != 0).collect()]);
    assert_eq!(bits(&[cpu.reduce(op, zip(&first, &second)).unwrap()]), kept);
}

macro_rules! each {
    ($($test:ident: $op:ident;)*) => { $(
        mod $test {
            use super::*;

            #[test]
            fn is_that_of_the_state() {
                of_all_pairs::<f32, $op>();
                of_all_pairs::<f64, $op>();
            }

            #[test]
            fn is_of_each_part() {
                of_parts::<f32, $op>();
                of_parts::<f64, $op>();
            }
        }
    )* };
}
each! {
    covariance: ExactCovariance;
    sample_covariance: ExactSampleCovariance;
    correlation: ExactCorrelation;
}

/// The covariance of an array and itself is its variance, and means do not matter.
#[test]
fn large_means_leave_their_deviations() {
    let cpu = Cpu::new();
    let x: Vec<f32> = (0..4000).map(|i| 16_000_000.0 + (i % 4) as f32).collect();
    let y: Vec<f32> = x.iter().map(|x| 32_000_006.0 - 2.0 * (x - 16_000_000.0)).collect();
    assert_eq!(cpu.reduce(ExactCovariance, zip(&x, &x)).unwrap(), Some(1.25));
    assert_eq!(cpu.reduce(ExactCovariance, zip(&x, &y)).unwrap(), Some(-2.5));
    assert_eq!(cpu.reduce(ExactCorrelation, zip(&x, &y)).unwrap(), Some(-1.0));
    assert_eq!(cpu.reduce(ExactCorrelation, zip(&x, &[1.0; 4000])).unwrap(), None);
    assert_eq!(cpu.reduce(ExactSampleCovariance, zip(&x[..1], &y[..1])).unwrap(), None);
}
