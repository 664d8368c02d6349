//! The error bounds of each sum. The CPU represents every backend, since their bits are equal.

use test_kernels::mix;
use warpfold::{AccurateDot, AccurateSum, Cpu, Dot, Element, ExactDot, ExactSum, Op, Sum, tree, zip};
use warpfold_tests::Bits;
use warpfold_tests::oracle::{Dyadic, Exact, ExactProducts};
use warpfold_tests::turn::is_in_quarter;

/// The quantities of a bound.
struct Facts {
    /// Unit roundoff.
    u: f64,
    /// The most additions that one element passes through.
    depth: f64,
    /// The exact sum's magnitude.
    sum: f64,
    /// The sum of magnitudes.
    magnitudes: f64,
}

/// Every operator with its bound.
macro_rules! operators {
    ($check:ident) => {
        // Higham's gamma, with all orders in u.
        $check!(Sum, |f: &Facts| f.depth * f.u / (1.0 - f.depth * f.u) * f.magnitudes);
        // To leading order, with twice the second term to cover the others.
        $check!(AccurateSum, |f: &Facts| f.u * f.sum + 4.0 * f.depth * f.depth * f.u * f.u * f.magnitudes);
        $check!(ExactSum, |f: &Facts| f.u * f.sum);
    };
}

/// The kind of data.
#[derive(Clone, Copy, Debug)]
enum Family {
    Constant,
    Uniform,
    Normal,
    LogUniform,
    Cancelling,
}
use Family::{Cancelling, Constant, LogUniform, Normal, Uniform};

const FAMILIES: [Family; 5] = [Constant, Uniform, Normal, LogUniform, Cancelling];

impl Family {
    /// Element `index` of `n`. The exponents of `wide` data are from -`wide` to `wide`.
    fn element(self, index: u64, n: u64, wide: u64) -> f64 {
        let random = |seed: u64| (mix(index ^ seed << 48) >> 11) as f64 / (1u64 << 53) as f64;
        match self {
            // Its sum rounds at nearly every addition.
            Constant => 0.1,
            Uniform => random(1),
            // The Box-Muller transform.
            Normal => (-2.0 * (1.0 - random(2)).ln()).sqrt() * (std::f64::consts::TAU * random(3)).cos(),
            LogUniform => {
                let exponent = mix(index ^ 5) % (2 * wide + 1);
                let magnitude = (1.0 + random(4)) * 2f64.powi(exponent as i32 - wide as i32);
                if mix(index ^ 6) & 1 == 0 { magnitude } else { -magnitude }
            }
            // The second half negates the first in reverse order, except for one or two elements.
            Cancelling if index < n / 2 => LogUniform.element(index, n, 20),
            Cancelling if index < n - 1 => -LogUniform.element(n - 2 - index, n, 20),
            Cancelling => 2f64.powi(-30),
        }
    }
}

/// Every family at lengths up to 2^`log2`.
macro_rules! check_all {
    ($float:ty, wide $wide:literal, up to $log2:literal) => {
        for family in FAMILIES {
            for n in [1, 1000, (1 << 16) + 1, (1 << 20) - 3, 1 << 24, 1 << 28] {
                if n > 1 << $log2 || ($log2 > 24) != (n > 1 << 24) {
                    continue;
                }
                // The longest of a run take most of its time: four turns take all families.
                if n == 1 << 24 && !is_in_quarter(family as u64) {
                    continue;
                }
                let x: Vec<$float> = (0..n).map(|i| family.element(i, n, $wide) as $float).collect();
                let exact = Exact::of(x.iter().copied());
                let facts = Facts {
                    u: <$float>::EPSILON as f64 / 2.0,
                    depth: tree::depth::<$float>(n) as f64,
                    sum: exact.rounded::<f64>().abs(),
                    magnitudes: Exact::of(x.iter().map(|x| x.abs())).rounded(),
                };
                macro_rules! check {
                    ($op:ident, $bound:expr) => {
                        let found = Cpu::new().reduce($op, &x).unwrap();
                        let (error, bound) = (exact.clone().error_of(found), ($bound)(&facts));
                        let what = concat!(stringify!($op), " of ", stringify!($float));
                        println!("{what}, {family:?}, {n}: error {error:e}, bound {bound:e}");
                        assert!(error <= bound, "{what}, {family:?}, {n}: {error:e} > {bound:e}");
                    };
                }
                operators!(check);
                correctly_rounded(&x, &exact);
            }
        }
    };
}

/// The exact sum is correctly rounded, in any order and in parts.
fn correctly_rounded<T: Element + Dyadic + Bits>(x: &[T], exact: &Exact)
where
    ExactSum: Op<T, Out = T>,
{
    let cpu = Cpu::new();
    let expected = exact.rounded::<T>().bits();
    assert_eq!(cpu.reduce(ExactSum, x).unwrap().bits(), expected, "{} elements", x.len());
    let mut turned: Vec<T> = x.to_vec();
    turned.reverse();
    turned.rotate_left(x.len() / 3);
    assert_eq!(cpu.reduce(ExactSum, &turned).unwrap().bits(), expected, "{} elements, turned", x.len());
    let (left, right) = x.split_at(x.len() / 3 + 1);
    let [left, right] = [right, left].map(|part| cpu.fold(ExactSum, part).unwrap());
    let both = <ExactSum as Op<T>>::combine(left, right);
    assert_eq!(
        <ExactSum as Op<T>>::finish(both, x.len() as u64).bits(),
        expected,
        "{} elements, in parts",
        x.len()
    );
}

/// Every pair of families of factors, one of them in reverse.
macro_rules! check_dots {
    ($float:ty, wide $wide:literal) => {
        for (family, other) in FAMILIES.into_iter().flat_map(|family| FAMILIES.map(|other| (family, other))) {
            for n in [1, 1000, (1 << 15) + 1] {
                let pair =
                    |i| [family.element(i, n, $wide) as $float, other.element(n - 1 - i, n, $wide) as $float];
                let pairs: Vec<_> = (0..n).map(pair).collect();
                let (x, y): (Vec<_>, Vec<_>) = pairs.iter().map(|&[x, y]| (x, y)).unzip();
                let exact = ExactProducts::of(pairs.iter().copied());
                let magnitudes =
                    ExactProducts::of(pairs.iter().map(|[x, y]| [x.abs(), y.abs()])).rounded::<f64>();
                let (u, h) = (<$float>::EPSILON as f64 / 2.0, tree::depth::<[$float; 2]>(n) as f64 + 1.0);
                let sum = exact.rounded::<f64>().abs();
                let what = format!("{} by {family:?} and {other:?}, {n}", stringify!($float));
                let keeps = |name: &str, found: $float, bound: f64| {
                    let error = exact.clone().error_of(found);
                    println!("{name} of {what}: error {error:e}, bound {bound:e}");
                    assert!(error <= bound, "{name} of {what}: {error:e} > {bound:e}");
                };
                let cpu = Cpu::new();
                keeps("Dot", cpu.reduce(Dot, zip(&x, &y)).unwrap(), h * u / (1.0 - h * u) * magnitudes);
                let accurate = cpu.reduce(AccurateDot, zip(&x, &y)).unwrap();
                keeps("AccurateDot", accurate, u * sum + 4.0 * h * h * u * u * magnitudes);
                let found = cpu.reduce(ExactDot, zip(&x, &y)).unwrap();
                assert_eq!(found.bits(), exact.rounded::<$float>().bits(), "ExactDot of {what}");
            }
        }
    };
}

#[test]
fn f32_dots_keep_their_bounds() {
    check_dots!(f32, wide 40);
}

#[test]
fn f64_dots_keep_their_bounds() {
    check_dots!(f64, wide 400);
}

#[test]
fn f32_sums_keep_their_bounds() {
    check_all!(f32, wide 100, up to 24);
}

#[test]
fn f64_sums_keep_their_bounds() {
    check_all!(f64, wide 900, up to 24);
}

#[test]
#[ignore = "4 GiB of memory and minutes: cargo test --release -p warpfold-tests --test operators accuracy:: -- --ignored"]
fn long_f32_sums_keep_their_bounds() {
    check_all!(f32, wide 100, up to 28);
}

#[test]
#[ignore = "8 GiB of memory and minutes: cargo test --release -p warpfold-tests --test operators accuracy:: -- --ignored"]
fn long_f64_sums_keep_their_bounds() {
    check_all!(f64, wide 900, up to 28);
}
