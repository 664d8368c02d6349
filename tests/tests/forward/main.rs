//! Exponentials, softmax and norms of rows on the CPU against the obvious loops along the reference's tree: with any number of threads, in
//! any batch.
#![cfg(first_half)]
#![allow(missing_docs)]

mod gradients;

use std::sync::LazyLock;

use warpfold::{
    Auto, Cpu, Elements, Error, Op, Sum, SumOfSquares, View, along, bf16, chunks, columns, f16, reference,
    rows, segments,
};
use warpfold_elementary::{exp, log, rsqrt};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Bits, samples};

/// Backends with several numbers of threads, started once.
fn cpus() -> &'static [Cpu] {
    static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| with_threads(&[1, 2, 5]));
    &CPUS
}

/// Lengths of rows: around the lanes, a tile, and several tiles.
const LENGTHS: [usize; 11] = [0, 1, 2, 3, 31, 64, 100, 1000, 1025, 4097, 20_011];

/// Compares bits.
#[track_caller]
fn same<T: Bits>(found: &[T], expected: &[T], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.bits(), expected.bits(), "{i} of {what}");
    }
}

/// The tree's sum of powers, or of squares, of elements less a centre.
#[derive(Clone, Copy)]
struct Terms<A> {
    centre: A,
    powers: bool,
}

/// Maps rows in all ways, and compares with the expected rows. The view has the same rows, with an element between them.
macro_rules! agrees {
    ($x:expr, $len:expr, $view:expr, $expected:expr, $verb:ident, $into:ident $(, $argument:expr)*) => {
        let (x, len, expected) = (&$x, $len, $expected);
        for cpu in cpus() {
            let what = &format!("{}, rows of {len}, {cpu:?}", stringify!($verb));
            same(&cpu.$verb(rows(x, [5, len]) $(, $argument)*).unwrap(), &expected, what);
            let mut out = x.clone();
            cpu.$into(rows(x, [5, len]), &mut out $(, $argument)*).unwrap();
            same(&out, &expected, what);
            out.copy_from_slice(x);
            cpu.$verb(rows(&mut out, [5, len]) $(, $argument)*).unwrap();
            same(&out, &expected, what);
            if len > 0 {
                same(&cpu.$verb(along($view(), &[1]) $(, $argument)*).unwrap(), &expected, what);
                cpu.$into(along($view(), &[1]), &mut out[..] $(, $argument)*).unwrap();
                same(&out, &expected, what);
            }
        }
    };
}

macro_rules! tests_of {
    ($name:ident, $float:ty, $wide:ty, $to:expr, $from:expr) => {
        impl Op<$float> for Terms<$wide> {
            type Acc = $wide;
            type Out = $wide;
            const IDENTITY: $wide = 0.0;
            const COMMUTATIVE: bool = true;
            fn lift(self, x: $float, _: u64) -> $wide {
                let x = $to(x) - self.centre;
                if self.powers { exp(x) } else { x * x }
            }
            fn combine(left: $wide, right: $wide) -> $wide {
                left + right
            }
            fn finish(acc: $wide, _: u64) -> $wide {
                acc
            }
        }

        mod $name {
            use super::*;

            /// The centre of a row and the sum of its powers.
            fn powers(x: &[$float]) -> ($wide, $wide) {
                let greatest = x.iter().map(|&x| $to(x)).fold(<$wide>::NEG_INFINITY, <$wide>::max);
                let centre = if greatest.is_finite() { greatest } else { 0.0 };
                (centre, reference::fold(Terms { centre, powers: true }, x))
            }

            /// The sum of exponentials, its logarithm, the logarithm of the mean.
            fn sums(x: &[$float]) -> [$wide; 3] {
                let (centre, sum) = powers(x);
                [exp(centre) * sum, centre + log(sum), centre + log(sum / x.len() as $wide)]
                    .map(|sum| if sum.is_nan() { <$wide>::NAN } else { sum })
            }

            fn each(x: &[$float], of: impl Fn(usize, $wide) -> $wide) -> Vec<$float> {
                let rounded = |x: $wide| $from(if x.is_nan() { <$wide>::NAN } else { x });
                x.iter().enumerate().map(|(i, &x)| rounded(of(i, $to(x)))).collect()
            }

            fn softmax(x: &[$float], logarithm: bool) -> Vec<$float> {
                let (centre, sum) = powers(x);
                let sum = if sum.is_finite() { sum } else { <$wide>::NAN };
                each(x, |_, x| if logarithm { (x - centre) - log(sum) } else { exp(x - centre) / sum })
            }

            fn rms_norm(x: &[$float], weight: Option<&[$float]>, epsilon: f64) -> Vec<$float> {
                let mean = reference::fold(SumOfSquares, x) / x.len() as $wide;
                let scale = rsqrt(mean + epsilon as $wide);
                each(x, |i, x| weight.map_or(x * scale, |weight| x * scale * $to(weight[i])))
            }

            fn layer_norm(x: &[$float], [weight, bias]: [Option<&[$float]>; 2], epsilon: f64) -> Vec<$float> {
                let centre = reference::fold(Sum, x) / x.len() as $wide;
                let variance = reference::fold(Terms { centre, powers: false }, x) / x.len() as $wide;
                let scale = rsqrt(variance + epsilon as $wide);
                each(x, |i, x| {
                    let y = (x - centre) * scale;
                    let y = weight.map_or(y, |weight| y * $to(weight[i]));
                    bias.map_or(y, |bias| y + $to(bias[i]))
                })
            }

            /// Rows of ordinary numbers, and rows in which some are special.
            fn data(len: usize) -> Vec<$float> {
                let mut x = samples::<$float>(Ordinary, 61, 3 * len as u64);
                x.extend(samples::<$float>(Special, 62, 2 * len as u64));
                x
            }

            /// Each row by itself.
            fn by_rows(x: &[$float], len: usize, row: impl Fn(&[$float]) -> Vec<$float>) -> Vec<$float> {
                if len == 0 { Vec::new() } else { x.chunks(len).flat_map(row).collect() }
            }

            #[test]
            fn sums_of_exponentials_are_two_folds_of_each_part() {
                for len in LENGTHS {
                    let x = data(len);
                    let shape = [5, len];
                    let expected: Vec<_> = (0..5).map(|row| sums(&x[row * len..][..len])).collect();
                    let of = |which: usize| expected.iter().map(|sums| sums[which]).collect::<Vec<_>>();
                    let offsets: Vec<usize> = (0..6).map(|row| row * len).collect();
                    let transposed: Vec<_> = (0..5 * len).map(|i| x[i % 5 * len + i / 5]).collect();
                    for cpu in cpus() {
                        let what = &format!("rows of {len}, {cpu:?}");
                        same(&cpu.sum_exp(rows(&x, shape)).unwrap(), &of(0), what);
                        same(&cpu.log_sum_exp(rows(&x, shape)).unwrap(), &of(1), what);
                        same(&cpu.log_mean_exp(rows(&x, shape)).unwrap(), &of(2), what);
                        same(&cpu.log_sum_exp(segments(&x, &offsets)).unwrap(), &of(1), what);
                        same(&cpu.log_sum_exp(columns(&transposed, [len, 5])).unwrap(), &of(1), what);
                        let view = View::new(&transposed, &[len, 5]).unwrap().transposed();
                        same(&cpu.log_sum_exp(along(view, &[1])).unwrap(), &of(1), what);
                        same(&[cpu.log_sum_exp(&x[..len]).unwrap()], &of(1)[..1], what);
                        if len > 0 {
                            same(&cpu.log_sum_exp(chunks(&x, len)).unwrap(), &of(1), what);
                            let short = cpu.log_sum_exp(chunks(&x[..5 * len - 1], len)).unwrap();
                            let last = &x[4 * len..5 * len - 1];
                            same(&short[..4], &of(1)[..4], what);
                            same(&short[4..], &[sums(last)[1]][..usize::from(len > 1)], what);
                        }
                    }
                }
            }

            #[test]
            fn rows_are_mapped_each_by_itself() {
                for len in LENGTHS {
                    let x = data(len);
                    let shape = [5, len];
                    let parameters = samples::<$float>(Ordinary, 63, 2 * len as u64);
                    let (weight, bias) = (&parameters[..len], &parameters[len..]);
                    // Rows with another element between them.
                    let apart: Vec<_> = by_rows(&x, len, |row| [row, &row[..1]].concat());
                    let view = || View::strided(&apart, 0, &shape, &[len.cast_signed() + 1, 1]).unwrap();
                    agrees!(x, len, view, by_rows(&x, len, |x| softmax(x, false)), softmax, softmax_into);
                    agrees!(
                        x,
                        len,
                        view,
                        by_rows(&x, len, |x| softmax(x, true)),
                        log_softmax,
                        log_softmax_into
                    );
                    agrees!(
                        x,
                        len,
                        view,
                        by_rows(&x, len, |x| rms_norm(x, None, 1e-5)),
                        rms_norm,
                        rms_norm_into,
                        None,
                        1e-5
                    );
                    agrees!(
                        x,
                        len,
                        view,
                        by_rows(&x, len, |x| rms_norm(x, Some(weight), 0.0)),
                        rms_norm,
                        rms_norm_into,
                        Some(weight),
                        0.0
                    );
                    for [w, b] in
                        [[None, None], [Some(weight), None], [None, Some(bias)], [Some(weight), Some(bias)]]
                    {
                        agrees!(
                            x,
                            len,
                            view,
                            by_rows(&x, len, |x| layer_norm(x, [w, b], 1e-5)),
                            layer_norm,
                            layer_norm_into,
                            w,
                            b,
                            1e-5
                        );
                    }
                }
            }
        }
    };
}
tests_of!(of_f32, f32, f32, std::convert::identity, std::convert::identity);
tests_of!(of_f64, f64, f64, std::convert::identity, std::convert::identity);
tests_of!(of_f16, f16, f32, f32::from, |x: f32| if x.is_nan() { f16::NAN } else { f16::from_f32(x) });
tests_of!(of_bf16, bf16, f32, f32::from, |x: f32| if x.is_nan() { bf16::NAN } else { bf16::from_f32(x) });

/// Rows of many tasks: several threads do one row together.
#[test]
fn rows_that_all_threads_share_have_the_bits_of_one() {
    let len = 700_001;
    let x = samples::<f32>(Ordinary, 64, 2 * len as u64);
    let weight = samples::<f32>(Ordinary, 65, len as u64);
    let (one, others) = (&cpus()[0], &cpus()[1..]);
    for cpu in others {
        let sums = |cpu: &Cpu| cpu.log_sum_exp(rows(&x, [2, len])).unwrap();
        same(&sums(cpu), &sums(one), "sums");
        let softmax = |cpu: &Cpu| cpu.softmax(rows(&x, [2, len])).unwrap();
        same(&softmax(cpu), &softmax(one), "softmax");
        let in_place = |cpu: &Cpu| {
            let mut y = x.clone();
            cpu.rms_norm(rows(&mut y, [2, len]), Some(&weight), 1e-6).unwrap();
            y
        };
        same(&in_place(cpu), &in_place(one), "norms in place");
        let turned = |cpu: &Cpu| {
            let view = View::new(&x, &[len, 2]).unwrap();
            cpu.layer_norm(along(view, &[0]), Some(&weight), None, 1e-6).unwrap()
        };
        same(&turned(cpu), &turned(one), "strided rows");
    }
}

#[test]
fn a_batch_may_be_cut_anywhere() {
    let (count, len) = (400, 257);
    let x = samples::<f32>(Ordinary, 66, (count * len) as u64);
    let whole = Auto::new().softmax(rows(&x, [count, len])).unwrap();
    let logs = Auto::new().log_sum_exp(rows(&x, [count, len])).unwrap();
    for cut in 0..20_usize {
        let cpu = &cpus()[cut % cpus().len()];
        let (mut first, mut step) = (0, cut + 1);
        while first < count {
            let rows_there = step.min(count - first);
            let part = &x[first * len..(first + rows_there) * len];
            same(
                &cpu.softmax(rows(part, [rows_there, len])).unwrap(),
                &whole[first * len..(first + rows_there) * len],
                "a part of the batch",
            );
            let part = cpu.log_sum_exp(rows(part, [rows_there, len])).unwrap();
            same(&part, &logs[first..first + rows_there], "a part of the batch");
            first += rows_there;
            step = step * 7 % 97 + 1;
        }
    }
}

#[test]
fn special_values_are_those_that_the_pages_tell() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let cpu = Cpu::new();
    for (x, expected) in [
        (&[][..], -inf),
        (&[-inf], -inf),
        (&[-inf, -inf], -inf),
        (&[-inf, 3.0], 3.0),
        (&[inf, 3.0], inf),
        (&[inf, inf], inf),
        (&[inf, -inf], inf),
        (&[inf, nan], nan),
        (&[nan, 1.0], nan),
        (&[f32::MAX, -f32::MAX], f32::MAX),
        (&[-f32::MAX, -f32::MAX], -f32::MAX),
    ] {
        same(&[cpu.log_sum_exp(x).unwrap()], &[expected], &format!("{x:?}"));
    }
    same(&[cpu.sum_exp::<&[f32]>(&[]).unwrap()], &[0.0], "nothing");
    same(&[cpu.log_mean_exp::<&[f32]>(&[]).unwrap()], &[nan], "nothing");
    same(&cpu.softmax(rows(&[-inf, -inf], [1, 2])).unwrap(), &[nan, nan], "all masked");
    same(&cpu.softmax(rows(&[2.0, -inf], [1, 2])).unwrap(), &[1.0, 0.0], "one masked");
    same(&cpu.log_softmax(rows(&[2.0, -inf], [1, 2])).unwrap(), &[0.0, -inf], "one masked");
    same(&cpu.softmax(rows(&[nan, 1.0], [1, 2])).unwrap(), &[nan, nan], "a NaN");
    same(&cpu.softmax(rows(&[inf, 1.0], [1, 2])).unwrap(), &[nan, nan], "an infinity");
    same(&cpu.softmax(rows(&[inf, 100.0], [1, 2])).unwrap(), &[nan, nan], "an infinity and much");
    same(&cpu.log_softmax(rows(&[inf, 1.0], [1, 2])).unwrap(), &[nan, nan], "an infinity");
    let none = View::new(&[] as &[f32], &[0, 5]).unwrap();
    same(&cpu.rms_norm(along(none, &[1]), Some(&[1.0; 5]), 0.0).unwrap(), &[], "no rows");
    same(&cpu.rms_norm(rows(&[] as &[f32], [0, 5]), Some(&[1.0; 5]), 0.0).unwrap(), &[], "no rows");
    same(&cpu.rms_norm(rows(&[0.0f32, -0.0], [1, 2]), None, 1e-6).unwrap(), &[0.0, -0.0], "zeros");
}

/// Enough short rows for several threads, and short ones beside one that all threads share.
#[test]
fn threads_share_rows_and_keep_their_order() {
    let shape @ [count, len] = [3000, 301];
    let x = samples::<f32>(Ordinary, 64, (count * len) as u64);
    let offsets = [0, 301, 301, 400_000, 400_300, 400_301, 899_000, x.len()];
    let one = Cpu::with_threads(1).unwrap();
    let alone = |len: usize, row: usize| one.softmax(rows(&x[row * len..][..len], [1, len])).unwrap();
    let expected: Vec<f32> = (0..count).flat_map(|row| alone(len, row)).collect();
    let sums: Vec<f32> =
        offsets.windows(2).map(|ends| one.log_sum_exp(&x[ends[0]..ends[1]]).unwrap()).collect();
    for cpu in cpus() {
        let what = &format!("{cpu:?}");
        same(&cpu.softmax(rows(&x, shape)).unwrap(), &expected, what);
        let mut in_place = x.clone();
        cpu.softmax(rows(&mut in_place, shape)).unwrap();
        same(&in_place, &expected, what);
        same(&cpu.log_sum_exp(segments(&x, &offsets)).unwrap(), &sums, what);
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let (cpu, x) = (Cpu::new(), [1.0f32; 6]);
    assert!(matches!(cpu.softmax(rows(&x, [2, 4])), Err(Error::Shape { .. })));
    assert!(matches!(cpu.softmax(rows(&mut [1.0f32; 6], [2, 2])), Err(Error::Shape { .. })));
    assert!(matches!(cpu.log_sum_exp(rows(&x, [7, 1])), Err(Error::Shape { .. })));
    assert!(matches!(cpu.log_sum_exp(chunks(&x, 0)), Err(Error::ChunkLength)));
    assert!(matches!(cpu.log_sum_exp(segments(&x, &[0, 7])), Err(Error::Offset { .. })));
    let mut out = [0.0; 5];
    assert!(matches!(
        cpu.softmax_into(rows(&x, [2, 3]), &mut out),
        Err(Error::Results { results: 6, room: 5 })
    ));
    assert!(matches!(
        cpu.rms_norm(rows(&x, [2, 3]), Some(&[1.0; 2]), 0.0),
        Err(Error::Shape { given: 2, .. })
    ));
    let layer = cpu.layer_norm(rows(&x, [2, 3]), Some(&[1.0; 3]), Some(&[1.0; 4]), 0.0);
    assert!(matches!(layer, Err(Error::Shape { given: 4, .. })));
    let gaps: Elements<'_, f32> = [Some(1.0), None, Some(3.0), Some(2.0)].into_iter().collect();
    assert!(matches!(cpu.softmax(rows(&gaps, [2, 2])), Err(Error::Missing { missing: 1, .. })));
    assert_eq!(
        cpu.log_sum_exp(rows(&gaps, [2, 2])).unwrap(),
        cpu.log_sum_exp(segments(&[1.0f32, 3.0, 2.0], &[0, 1, 3])).unwrap()
    );
}
