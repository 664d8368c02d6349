//! The canary of float arithmetic: the results of its kernels under the emulator, and each kind of wrong
//! arithmetic, which must show in its rows.
#![allow(missing_docs)]

use std::ops::{Add, Div, Mul};

use cuda_std::emulator::{Launch, Order};
use cuda_std::float::GpuFloat;
use gpu_kernels::arguments::Canary;
use gpu_kernels::canary::{ARITHMETIC, Case, ROOTS, Row, arithmetic, roots};
use gpu_kernels::entry;
use warpfold::{Cpu, Element, Op, Product, Sum};

/// The output of a kernel for the operands of `cases`, run by more threads than there are rows.
fn emulated(cases: &[Case], kernel: unsafe fn(Canary)) -> Vec<Row> {
    let operands: Vec<Row> = cases.iter().map(|case| case.operands).collect();
    let mut results = vec![bytemuck::Zeroable::zeroed(); operands.len()];
    let (input, len) = (operands[..].into(), operands.len() as u64);
    let arguments = Canary { input, len, out: (&mut results[..]).into() };
    Launch::new(2, 256)
        .order(Order::Shuffled(1))
        .register(&operands[..])
        .register(&raw const results[..])
        // SAFETY: both have as many rows and live as long as the launch.
        .run(|| unsafe { kernel(arguments) })
        .unwrap_or_else(|misuse| panic!("{misuse}"));
    results
}

fn bits(rows: &[Row]) -> &[u8] {
    bytemuck::cast_slice(rows)
}

#[test]
fn the_kernels_compute_what_the_host_does() {
    let host = |cases: &[Case], compute: fn(Row) -> Row| {
        cases.iter().map(|case| compute(case.operands)).collect::<Vec<_>>()
    };
    assert_eq!(bits(&emulated(ARITHMETIC, entry::float_canary)), bits(&host(ARITHMETIC, Row::arithmetic)));
    assert_eq!(bits(&emulated(ROOTS, entry::float_canary_roots)), bits(&host(ROOTS, Row::roots)));
}

/// NaN bits may differ between correct processors.
#[test]
fn no_result_is_a_nan() {
    for row in ARITHMETIC
        .iter()
        .map(|case| case.operands.arithmetic())
        .chain(ROOTS.iter().map(|case| case.operands.roots()))
    {
        assert!(
            !row.doubles.iter().any(|x| x.is_nan()) && !row.singles.iter().any(|x| x.is_nan()),
            "{row:?}"
        );
    }
}

/// This machine's results against constants: an arithmetic that is wrong on both sides would pass all other
/// tests.
#[test]
fn results_are_those_of_ieee_754() {
    let row = |operands: [f64; 4]| Row { doubles: operands, singles: operands.map(|x| x as f32) };
    let bits = |row: Row| (row.doubles.map(f64::to_bits), row.singles.map(f32::to_bits));
    let (doubles, singles) = bits(row([0.1, 0.2, 0.3, 0.7]).arithmetic());
    assert_eq!(
        doubles,
        [0x3fd3_3333_3333_3334, 0x3f94_7ae1_47ae_147c, 0x3fd3_d70a_3d70_a3d7, 0x3fc5_c28f_5c28_f5c2]
    );
    assert_eq!(singles, [0x3e99_999a, 0x3ca3_d70b, 0x3e9e_b852, 0x3e2e_147b]);
    let (doubles, singles) = bits(row([1.0, 3.0, 2.0, 7.0]).roots());
    assert_eq!(
        doubles,
        [0x3fd5_5555_5555_5555, 0x3fd2_4924_9249_2492, 0x3ff0_0000_0000_0000, 0x3ff6_a09e_667f_3bcd]
    );
    assert_eq!(singles, [0x3eaa_aaab, 0x3e92_4925, 0x3f80_0000, 0x3fb5_04f3]);
}

/// The kernels of sums and products on the same operands.
#[test]
fn reductions_of_the_operands_round_as_the_canary_does() {
    fn both<T: Element, O: Op<T> + Default>([x, y]: [T; 2]) -> O::Out {
        Cpu::new().reduce(O::default(), &[x, y]).unwrap()
    }
    for case in ARITHMETIC {
        let (Row { doubles: [x, y, ..], singles: [p, q, ..] }, results) =
            (case.operands, case.operands.arithmetic());
        let (doubles, singles) = (results.doubles.map(f64::to_bits), results.singles.map(f32::to_bits));
        assert_eq!(
            [both::<f64, Sum>([x, y]).to_bits(), both::<f64, Product>([x, y]).to_bits()],
            doubles[..2]
        );
        assert_eq!(
            [both::<f32, Sum>([p, q]).to_bits(), both::<f32, Product>([p, q]).to_bits()],
            singles[..2]
        );
    }
}

/// An operation that differs from IEEE 754.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Deviation {
    Nothing,
    /// Products are not rounded before the addition.
    FusedLeft,
    FusedRight,
    /// Rounds to the next number beyond the exact result, if that is not the nearest.
    Up,
    Down,
    TowardsZero,
    TiesAway,
    /// The last bit of an inexact result is cut off.
    Approximate,
    FlushedResults,
    FlushedOperands,
    ZerosWithoutSign,
    /// The greatest finite number in place of infinity.
    Saturated,
}
use Deviation::*;

/// The operation that deviates.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Sum,
    Product,
    Quotient,
    Root,
}

/// A float with deviating arithmetic, and the product that it came from.
#[derive(Clone, Copy)]
struct Deviant<F> {
    value: F,
    factors: Option<(F, F)>,
    how: (Operation, Deviation),
}

macro_rules! deviants {
    ($($float:ident),*) => { $(
        impl Deviant<$float> {
            /// The rounded result of an operation, made wrong. `error` has the sign of the rounding error
            /// (exact minus rounded) and, except for quotients and roots, its size.
            fn of(self, operation: Operation, rounded: $float, error: $float) -> Self {
                let deviation = if self.how.0 == operation { Some(self.how.1) } else { None };
                let to = |neighbour: $float, is_beyond: bool| if is_beyond { neighbour } else { rounded };
                let (up, down) = (rounded.next_up(), rounded.next_down());
                let value = match deviation {
                    _ if !rounded.is_finite() => match deviation {
                        Some(Saturated | TowardsZero) => <$float>::MAX.copysign(rounded),
                        _ => rounded,
                    },
                    Some(Up) => to(up, error > 0.0),
                    Some(Down) if rounded == 0.0 && error == 0.0 && operation == Operation::Sum => -0.0,
                    Some(Down) => to(down, error < 0.0),
                    Some(TowardsZero) if rounded > 0.0 => to(down, error < 0.0),
                    Some(TowardsZero) => to(up, error > 0.0),
                    // A tie is equally far from both neighbours.
                    Some(TiesAway) if rounded > 0.0 => to(up, error > 0.0 && up - rounded == 2.0 * error),
                    Some(TiesAway) => to(down, error < 0.0 && down - rounded == 2.0 * error),
                    Some(Approximate) => to(<$float>::from_bits(rounded.to_bits() & !1), error != 0.0),
                    Some(FlushedResults) if rounded.is_subnormal() => (0.0 as $float).copysign(rounded),
                    Some(ZerosWithoutSign) if rounded == 0.0 => 0.0,
                    _ => rounded,
                };
                Self { value, factors: None, ..self }
            }

            /// The operand as the operation reads it.
            fn read(self, operation: Operation) -> $float {
                let is_flushed = self.how == (operation, FlushedOperands) && self.value.is_subnormal();
                if is_flushed { (0.0 as $float).copysign(self.value) } else { self.value }
            }
        }

        impl Add for Deviant<$float> {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                let (x, y) = (self.read(Operation::Sum), other.read(Operation::Sum));
                match (self.how.1, self.factors, other.factors) {
                    (FusedLeft, Some((p, q)), _) => return Self { value: p.mul_add(q, y), factors: None, ..self },
                    (FusedRight, _, Some((p, q))) => return Self { value: p.mul_add(q, x), factors: None, ..self },
                    _ => {}
                }
                // Knuth's two-sum: exact.
                let sum = x + y;
                let part = sum - x;
                self.of(Operation::Sum, sum, (x - (sum - part)) + (y - part))
            }
        }

        impl Mul for Deviant<$float> {
            type Output = Self;
            fn mul(self, other: Self) -> Self {
                let (x, y) = (self.read(Operation::Product), other.read(Operation::Product));
                let product = x * y;
                // Exact, except for products so small that it does not matter.
                let made = self.of(Operation::Product, product, x.mul_add(y, -product));
                Self { factors: Some((x, y)), ..made }
            }
        }

        impl Div for Deviant<$float> {
            type Output = Self;
            fn div(self, other: Self) -> Self {
                let (x, y) = (self.read(Operation::Quotient), other.read(Operation::Quotient));
                let quotient = x / y;
                // x = quotient y + rest.
                let rest = (-quotient).mul_add(y, x);
                self.of(Operation::Quotient, quotient, if y < 0.0 { -rest } else { rest })
            }
        }

        impl GpuFloat for Deviant<$float> {
            fn sqrt(self) -> Self {
                let x = self.read(Operation::Root);
                let root = <$float>::sqrt(x);
                self.of(Operation::Root, root, (-root).mul_add(root, x))
            }
            fn fused(self, _by: Self, _plus: Self) -> Self {
                unreachable!("the canary fuses nothing")
            }
        }

        impl Deviant<$float> {
            /// The results of operands by arithmetic that deviates.
            fn compute(how: (Operation, Deviation), operands: [$float; 4]) -> [u64; 4] {
                let operands = operands.map(|value| Self { value, factors: None, how });
                let results = match how.0 {
                    Operation::Sum | Operation::Product => arithmetic(operands),
                    Operation::Quotient | Operation::Root => roots(operands),
                };
                results.map(|result| u64::from(result.value.to_bits()))
            }
        }
    )* };
}
deviants!(f32, f64);

/// The names of the first rows whose results differ from IEEE 754's, one per precision.
fn revealed(how: (Operation, Deviation)) -> [Option<&'static str>; 2] {
    let is_arithmetic = matches!(how.0, Operation::Sum | Operation::Product);
    let cases = if is_arithmetic { ARITHMETIC } else { ROOTS };
    let right = |case: &Case| if is_arithmetic { case.operands.arithmetic() } else { case.operands.roots() };
    let double = |case: &&Case| {
        Deviant::<f64>::compute(how, case.operands.doubles) != right(case).doubles.map(f64::to_bits)
    };
    let single = |case: &&Case| {
        Deviant::<f32>::compute(how, case.operands.singles)
            != right(case).singles.map(|x| u64::from(x.to_bits()))
    };
    [cases.iter().find(double), cases.iter().find(single)].map(|case| case.map(|case| case.reveals))
}

/// The canary can fail: every wrong operation shows, in each way and precision.
#[test]
fn every_deviation_is_revealed_by_its_name() {
    let rounding = |operation| match operation {
        Operation::Sum => "sums not rounded to nearest, ties to even",
        Operation::Product => "products not rounded to nearest, ties to even",
        Operation::Quotient => "quotients not rounded to nearest, ties to even",
        Operation::Root => "roots not rounded to nearest",
    };
    for operation in [Operation::Sum, Operation::Product, Operation::Quotient, Operation::Root] {
        let rounds_wrongly =
            [Up, Down, TowardsZero, Approximate].map(|deviation| (deviation, rounding(operation)));
        let others = [
            (FlushedOperands, "subnormal operands read as zero"),
            (FlushedResults, "subnormal results flushed to zero"),
            (ZerosWithoutSign, "zeros that lose their sign"),
            (Saturated, "overflow to something else than infinity"),
        ];
        for (deviation, name) in rounds_wrongly.into_iter().chain(others) {
            // Roots are never subnormal and never overflow.
            if operation == Operation::Root && matches!(deviation, FlushedResults | Saturated) {
                continue;
            }
            assert_eq!(revealed((operation, deviation)), [Some(name); 2], "{operation:?} {deviation:?}");
        }
    }
    for operation in [Operation::Sum, Operation::Product, Operation::Quotient, Operation::Root] {
        assert_eq!(revealed((operation, Nothing)), [None; 2], "{operation:?}");
    }
    // No normal quotient, and no root, is a tie.
    for operation in [Operation::Sum, Operation::Product] {
        assert_eq!(revealed((operation, TiesAway)), [Some(rounding(operation)); 2], "{operation:?}");
    }
    for fused in [FusedLeft, FusedRight] {
        assert_eq!(revealed((Operation::Sum, fused)), [Some("products fused with sums"); 2], "{fused:?}");
    }
}

/// The name of the first row that differs when this machine computes with its control register set to `mxcsr`.
#[cfg(target_arch = "x86_64")]
fn revealed_under(mxcsr: u32, cases: &[Case], compute: fn(Row) -> Row) -> Option<&'static str> {
    #[inline(never)]
    fn all(cases: &[Case], compute: fn(Row) -> Row) -> Vec<Row> {
        cases.iter().map(|case| std::hint::black_box(compute)(std::hint::black_box(case.operands))).collect()
    }
    let right = all(cases, compute);
    let mut before = 0u32;
    // SAFETY: reads and writes this thread's MXCSR through 4-byte locals; the value sets no reserved bit.
    unsafe {
        std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut before, options(nostack));
        std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack));
    }
    let found = all(cases, compute);
    // SAFETY: restores the earlier value.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw const before, options(nostack)) }
    let differs =
        |(_, (right, found)): &(_, (&Row, &Row))| bytemuck::bytes_of(*right) != bytemuck::bytes_of(*found);
    cases.iter().zip(right.iter().zip(&found)).find(differs).map(|(case, _)| case.reveals)
}

/// The same with real hardware: a processor that is set to round, flush and read differently.
#[cfg(target_arch = "x86_64")]
#[test]
fn what_a_processor_can_be_told_to_do_is_revealed() {
    const MASKED: u32 = 0x1f80;
    let both = |mxcsr| {
        let mxcsr = MASKED | mxcsr;
        [revealed_under(mxcsr, ARITHMETIC, Row::arithmetic), revealed_under(mxcsr, ROOTS, Row::roots)]
    };
    assert_eq!(both(0), [None; 2]);
    for rounding in [0x2000, 0x4000, 0x6000] {
        let names =
            ["sums not rounded to nearest, ties to even", "quotients not rounded to nearest, ties to even"];
        assert_eq!(both(rounding), names.map(Some), "{rounding:#x}");
    }
    assert_eq!(both(0x8000), [Some("subnormal results flushed to zero"); 2]);
    assert_eq!(both(0x0040), [Some("subnormal operands read as zero"); 2]);
}
