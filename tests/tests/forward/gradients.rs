//! Cross-entropy of rows, and gradients of rows, on the CPU against the obvious loops along the reference's tree.

use warpfold::{Auto, Cpu, Error, Op, Sum, SumOfSquares, View, along, bf16, f16, reference, rows};
use warpfold_elementary::{exp, log, rsqrt};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::samples;

use crate::{LENGTHS, cpus, same};

/// A sum of terms that do not depend on the elements, along the tree of the elements.
#[derive(Clone, Copy)]
struct Terms<A: 'static>(&'static [A]);

/// Maps rows in all ways, and compares with the expected rows. The view has the same rows, with an element between them.
macro_rules! agrees {
    ($x:expr, $len:expr, $expected:expr, $verb:ident, $into:ident $(, $argument:expr)*) => {
        let (x, len, expected) = (&$x, $len, $expected);
        let apart: Vec<_> = x.chunks(len.max(1)).flat_map(|row| [row, &row[..1]].concat()).collect();
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
                let view = View::strided(&apart, 0, &[5, len], &[len.cast_signed() + 1, 1]).unwrap();
                same(&cpu.$verb(along(view, &[1]) $(, $argument)*).unwrap(), &expected, what);
            }
        }
    };
}

macro_rules! tests_of {
    ($name:ident, $float:ty, $wide:ty, $to:expr, $from:expr) => {
        impl Op<$float> for Terms<$wide> {
            type Acc = $wide;
            type Out = $wide;
            const IDENTITY: $wide = -0.0;
            const COMMUTATIVE: bool = true;
            fn lift(self, _: $float, index: u64) -> $wide {
                self.0[index as usize]
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

            /// The sum of terms along the tree of `x`.
            fn sum(x: &[$float], term: impl Fn(usize) -> $wide) -> $wide {
                let terms: Vec<$wide> = (0..x.len()).map(term).collect();
                reference::fold(Terms(Box::leak(terms.into_boxed_slice())), x)
            }

            fn each(x: &[$float], of: impl Fn(usize) -> $wide) -> Vec<$float> {
                (0..x.len()).map(of).map(|x| $from(if x.is_nan() { <$wide>::NAN } else { x })).collect()
            }

            fn softmax(y: &[$float], dy: &[$float], logarithm: bool) -> Vec<$float> {
                if logarithm {
                    let sum = sum(y, |i| $to(dy[i]));
                    return each(y, |i| $to(dy[i]) - exp($to(y[i])) * sum);
                }
                let sum = sum(y, |i| $to(y[i]) * $to(dy[i]));
                each(y, |i| $to(y[i]) * ($to(dy[i]) - sum))
            }

            fn norm(
                x: &[$float],
                dy: &[$float],
                weight: Option<&[$float]>,
                epsilon: f64,
                centred: bool,
            ) -> Vec<$float> {
                let n = x.len() as $wide;
                let centre = if centred { reference::fold(Sum, x) / n } else { 0.0 };
                let squares = if centred {
                    sum(x, |i| ($to(x[i]) - centre) * ($to(x[i]) - centre))
                } else {
                    reference::fold(SumOfSquares, x)
                };
                let scale = rsqrt(squares / n + epsilon as $wide);
                let g = |i| weight.map_or($to(dy[i]), |weight| $to(dy[i]) * $to(weight[i]));
                let normed = |i| ($to(x[i]) - centre) * scale;
                let mean = if centred { sum(x, g) / n } else { 0.0 };
                let share = sum(x, |i| g(i) * normed(i)) / n;
                each(x, |i| ((g(i) - mean) - normed(i) * share) * scale)
            }

            /// The cross-entropy of a row with its label, and the gradient of it times `gradient`.
            fn cross_entropy(x: &[$float], label: usize, gradient: $wide) -> ($wide, Vec<$float>) {
                let greatest = x.iter().map(|&x| $to(x)).fold(<$wide>::NEG_INFINITY, <$wide>::max);
                let centre = if greatest.is_finite() { greatest } else { 0.0 };
                let sum = sum(x, |i| exp($to(x[i]) - centre));
                let sum = if sum.is_finite() { sum } else { <$wide>::NAN };
                let loss = -(($to(x[label]) - centre) - log(sum));
                let share = |i| exp($to(x[i]) - centre) / sum;
                let gradient = each(x, |i| (if i == label { share(i) - 1.0 } else { share(i) }) * gradient);
                (if loss.is_nan() { <$wide>::NAN } else { loss }, gradient)
            }

            #[test]
            fn cross_entropies_are_those_of_each_row_by_itself() {
                for len in LENGTHS.into_iter().filter(|&len| len > 0) {
                    let x = data(len, 91);
                    let gradient = samples::<$wide>(Ordinary, 92, 5);
                    let labels: [i64; 5] = std::array::from_fn(|row| (row * 7919 % len) as i64);
                    let each = || {
                        x.chunks(len)
                            .enumerate()
                            .map(|(row, x)| cross_entropy(x, labels[row] as usize, gradient[row]))
                    };
                    let losses: Vec<_> = each().map(|(loss, _)| loss).collect();
                    for cpu in cpus() {
                        let what = &format!("rows of {len}, {cpu:?}");
                        same(&cpu.cross_entropy(rows(&x, [5, len]), &labels).unwrap(), &losses, what);
                        let small = labels.map(|label| label as u32);
                        same(&cpu.cross_entropy(rows(&x, [5, len]), &small).unwrap(), &losses, what);
                        let view = View::new(&x, &[5, len]).unwrap();
                        same(&cpu.cross_entropy(along(view, &[1]), &labels).unwrap(), &losses, what);
                        // The logarithm of softmax, negated.
                        let logs = cpu.log_softmax(rows(&x, [5, len])).unwrap();
                        let of_labels: Vec<_> =
                            (0..5).map(|row| logs[row * len + labels[row] as usize]).collect();
                        let negated: Vec<_> = losses
                            .iter()
                            .map(|&loss| $from(-loss))
                            .map(|x| if x.is_nan() { <$float>::NAN } else { x })
                            .collect();
                        same(&of_labels, &negated, what);
                    }
                    let expected: Vec<_> = each().flat_map(|(_, gradient)| gradient).collect();
                    agrees!(
                        x,
                        len,
                        expected,
                        cross_entropy_gradient,
                        cross_entropy_gradient_into,
                        &labels,
                        &gradient
                    );
                }
            }

            /// Rows of ordinary numbers, and rows in which some are special.
            fn data(len: usize, seed: u64) -> Vec<$float> {
                let mut x = samples::<$float>(Ordinary, seed, 3 * len as u64);
                x.extend(samples::<$float>(Special, seed + 1, 2 * len as u64));
                x
            }

            /// Each row by itself.
            fn by_rows(
                [x, dy]: [&[$float]; 2],
                len: usize,
                row: impl Fn(&[$float], &[$float]) -> Vec<$float>,
            ) -> Vec<$float> {
                x.chunks(len.max(1)).zip(dy.chunks(len.max(1))).flat_map(|(x, dy)| row(x, dy)).collect()
            }

            #[test]
            fn gradients_are_those_of_each_row_by_itself() {
                for len in LENGTHS {
                    let x = data(len, 81);
                    let mut dy = data(len, 83);
                    // A row without a gradient: zeros with signs.
                    dy[len..2 * len].fill($from(-0.0));
                    // Results of softmax are at most 1, their logarithms at most 0.
                    let weight = samples::<$float>(Ordinary, 85, len as u64);
                    let both = [&x[..], &dy[..]];
                    let y = Cpu::new().softmax(rows(&x, [5, len])).unwrap();
                    let expected = by_rows([&y, &dy], len, |y, dy| softmax(y, dy, false));
                    agrees!(y, len, expected, softmax_gradient, softmax_gradient_into, &dy);
                    let y = Cpu::new().log_softmax(rows(&x, [5, len])).unwrap();
                    let expected = by_rows([&y, &dy], len, |y, dy| softmax(y, dy, true));
                    agrees!(y, len, expected, log_softmax_gradient, log_softmax_gradient_into, &dy);
                    // Any numbers.
                    let expected = by_rows(both, len, |y, dy| softmax(y, dy, true));
                    agrees!(x, len, expected, log_softmax_gradient, log_softmax_gradient_into, &dy);
                    for weight in [None, Some(&weight[..])] {
                        let expected = by_rows(both, len, |x, dy| norm(x, dy, weight, 1e-5, false));
                        agrees!(
                            x,
                            len,
                            expected,
                            rms_norm_gradient,
                            rms_norm_gradient_into,
                            &dy,
                            weight,
                            1e-5
                        );
                        let expected = by_rows(both, len, |x, dy| norm(x, dy, weight, 1e-5, true));
                        agrees!(
                            x,
                            len,
                            expected,
                            layer_norm_gradient,
                            layer_norm_gradient_into,
                            &dy,
                            weight,
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
    let (x, dy) =
        (samples::<f32>(Ordinary, 86, 2 * len as u64), samples::<f32>(Ordinary, 87, 2 * len as u64));
    let (one, others) = (&cpus()[0], &cpus()[1..]);
    for cpu in others {
        let softmax = |cpu: &Cpu| cpu.softmax_gradient(rows(&x, [2, len]), &dy).unwrap();
        same(&softmax(cpu), &softmax(one), "softmax");
        let in_place = |cpu: &Cpu| {
            let mut x = x.clone();
            cpu.layer_norm_gradient(rows(&mut x, [2, len]), &dy, Some(&dy[..len]), 1e-6).unwrap();
            x
        };
        same(&in_place(cpu), &in_place(one), "norms in place");
    }
}

/// What calculus says, in f64: a step along a gradient changes a sum of results by the product of both.
#[test]
fn gradients_are_the_slopes_of_their_verbs() {
    let shape @ [count, len] = [3, 50];
    let cpu = Cpu::new();
    let unit =
        |seed| samples::<f64>(Ordinary, seed, (count * len) as u64).into_iter().map(f64::sin).collect();
    let (x, dy, step): (Vec<f64>, Vec<f64>, Vec<f64>) = (unit(1), unit(2), unit(3));
    let weight: Vec<f64> = dy[..len].iter().map(|w| w + 2.0).collect();
    let bias = &x[len..2 * len];
    let dot = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(x, y)| x * y).sum() };
    let slope = |verb: &dyn Fn(&[f64]) -> Vec<f64>| {
        let at = |h: f64| dot(&verb(&x.iter().zip(&step).map(|(x, s)| x + h * s).collect::<Vec<_>>()), &dy);
        (at(1e-6) - at(-1e-6)) / 2e-6
    };
    let close = |found: Vec<f64>, slope: f64, what: &str| {
        let found = dot(&found, &step);
        assert!((found - slope).abs() < 1e-7 * slope.abs().max(1.0), "{what}: {found}, {slope}");
    };
    let y = cpu.softmax(rows(&x, shape)).unwrap();
    let expected = slope(&|x| cpu.softmax(rows(x, shape)).unwrap());
    close(cpu.softmax_gradient(rows(&y, shape), &dy).unwrap(), expected, "softmax");
    let y = cpu.log_softmax(rows(&x, shape)).unwrap();
    let expected = slope(&|x| cpu.log_softmax(rows(x, shape)).unwrap());
    close(cpu.log_softmax_gradient(rows(&y, shape), &dy).unwrap(), expected, "log-softmax");
    let expected = slope(&|x| cpu.rms_norm(rows(x, shape), Some(&weight), 0.1).unwrap());
    close(cpu.rms_norm_gradient(rows(&x, shape), &dy, Some(&weight), 0.1).unwrap(), expected, "RMS norm");
    let expected = slope(&|x| cpu.layer_norm(rows(x, shape), Some(&weight), Some(bias), 0.1).unwrap());
    close(cpu.layer_norm_gradient(rows(&x, shape), &dy, Some(&weight), 0.1).unwrap(), expected, "layer norm");
    let labels = [7usize, 0, 49];
    let losses = |x: &[f64]| cpu.cross_entropy(rows(x, shape), &labels).unwrap();
    let expected = slope(&|x| losses(x).into_iter().zip(&dy).map(|(loss, dy)| loss * dy).collect());
    // `slope` multiplies by `dy` once more.
    let squares: Vec<f64> = dy[..count].iter().map(|dy| dy * dy).collect();
    close(cpu.cross_entropy_gradient(rows(&x, shape), &labels, &squares).unwrap(), expected, "cross-entropy");
}

#[test]
fn gradients_of_another_shape_are_errors() {
    let (x, dy, auto) = ([1.0f32; 6], [1.0; 5], Auto::new());
    let refused = auto.softmax_gradient(rows(&x, [2, 3]), &dy);
    assert!(matches!(refused, Err(Error::Shape { given: 5, .. })), "{refused:?}");
    let refused = auto.rms_norm_gradient(rows(&x, [2, 3]), &x, Some(&dy), 0.0);
    assert!(matches!(refused, Err(Error::Shape { given: 5, .. })), "{refused:?}");
    let mut y = x;
    let refused = auto.cross_entropy(rows(&x, [2, 3]), &[1u32, 3]);
    assert_eq!(refused, Err(Error::Label { row: 1, label: 3, columns: 3 }));
    let refused = auto.cross_entropy_gradient(rows(&x, [2, 3]), &[-1i32, 0], &[1.0, 1.0]);
    assert_eq!(refused, Err(Error::Label { row: 0, label: -1, columns: 3 }));
    assert!(matches!(auto.cross_entropy(rows(&x, [2, 3]), &[1u32]), Err(Error::Shape { given: 1, .. })));
    let refused = auto.cross_entropy_gradient(rows(&x, [2, 3]), &[1u32, 2], &[1.0]);
    assert!(matches!(refused, Err(Error::Shape { given: 1, .. })), "{refused:?}");
    assert_eq!(auto.cross_entropy(rows(&[] as &[f32], [0, 3]), &[] as &[u32]), Ok(vec![]));
    assert!(auto.layer_norm_gradient(rows(&mut y, [2, 3]), &dy, None, 0.0).is_err());
    assert_eq!(y, x);
}
