//! Scans by formulas, and by operators that combine by one.

use gpu_kernels::Storable;
use warpfold::kernels::ScanKernel;
use warpfold::{
    Cpu, Element, Error, Max, Min, Op, Scan, Sum, View, along, count, formula, operator, rows, segments,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, on_gpu_or_emulated, samples};

fn same<S: Bits>(found: &[S], expected: &[S], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let at = found.iter().zip(expected).position(|(found, expected)| !found.is_same(expected));
    assert_eq!(at.map(|at| (at, found[at].bits(), expected[at].bits())), None, "{what}");
}

/// Arrays of some lengths, from the first and from the second element on; segments, rows and an axis.
fn scans<T, O>(op: O)
where
    T: Element + Sample,
    O: ScanKernel<T> + Op<T, Out: Storable<Stored: Bits> + Send>,
{
    let cpu = Cpu::new();
    let stored = |outs: Vec<O::Out>| outs.into_iter().map(Storable::store).collect::<Vec<_>>();
    for n in on_gpu_or_emulated([1, 4095, 70_001, 1_200_000], [1, 33, 4095, 9000]) {
        let x: Vec<T> = samples(Special, n, n);
        let there = cuda().upload(&x).unwrap();
        for scan in [Scan::inclusive(), Scan::exclusive().from(op.lift(x[0], 0), 1)] {
            for first in [0, 1] {
                let found = cuda().scan(op, &there.slice(first..).unwrap(), scan).unwrap().to_vec().unwrap();
                same(&found, &stored(cpu.scan(op, &x[first..], scan).unwrap()), &format!("{n} from {first}"));
            }
        }
        let offsets = [0, n / 3, n / 3, n / 2, n];
        let there_offsets = cuda().upload(&offsets).unwrap();
        let found = cuda().scan(op, segments(&there, &there_offsets), Scan::inclusive()).unwrap();
        let expected = stored(cpu.scan(op, segments(&x, &offsets), Scan::inclusive()).unwrap());
        same(&found.to_vec().unwrap(), &expected, &format!("segments of {n}"));
        let shape = [n as usize / 3, 3];
        let len = shape[0] * 3;
        let found = cuda().scan(op, rows(&there.slice(..len).unwrap(), shape), Scan::inclusive()).unwrap();
        let expected = stored(cpu.scan(op, rows(&x[..len], shape), Scan::inclusive()).unwrap());
        same(&found.to_vec().unwrap(), &expected, &format!("rows of {n}"));
    }
}

macro_rules! each {
    ($($(#[$meta:meta])* $name:ident: $($op:expr),*;)*) => { $(
        $(#[$meta])*
        #[test]
        fn $name() {
            $(scans($op);)*
        }
    )* };
}
each! {
    of_f32: Sum.of(formula!(|v: f32| (v - 0.5).abs() * 2.0)), Max.of(formula!(|v: f32| v * v));
    of_some_f32: Sum.of(formula!(|v: f32| -> Option<f32> { v.gt(0.25).then_some(v) }));
    of_u32: Sum.of(formula!(|v: u32| (v >> 3) * 7)), Min.of(formula!(|v: u32| v ^ 7)), count(formula!(|v: u32| -> bool { (v % 3).eq(0) }));
    by_operators: operator!(0.0, formula!(|a: f32, b| a * 0.5 - b)),
        operator!(7, formula!(|a: u64, b| a * b + (a | b))).commutative();
    #[cfg(feature = "catalogue")]
    of_other_types: Sum.of(formula!(|v: f64| (1.0 / v).sqrt())), Min.of(formula!(|v: f64| v * 3.0)),
        Max.of(formula!(|v: i32| v ^ 0x55)), Sum.of(formula!(|v: i64| (v >> 32).abs() - v)),
        Sum.of(formula!(|v: u64| -> Option<u64> { (v & 1).eq(0).then_some(v) })),
        count(formula!(|v: f32| -> bool { v.ne(v) })), operator!(0.0, formula!(|a: f64, b| (a * a + b * b).sqrt())),
        operator!(1, formula!(|a: i32, b| a * 31 + (b ^ (a >> 7))));
}

/// Captured numbers, a stream that scans in place, and an axis.
#[test]
fn on_a_stream_and_along_an_axis() -> Result<(), Error> {
    let x: Vec<f32> = samples(Ordinary, 5, 60 * 70);
    let there = cuda().upload(&x)?;
    let stream = cuda().stream()?;
    for least in [0.25, 0.5] {
        let op = Sum.of(formula!(|v: f32; least: f32| v.max(least)));
        let expected = Cpu::new().scan(op, &x, Scan::inclusive())?;
        let mut out = cuda().values::<f32>(x.len())?;
        stream.scan_into(op, &there, &mut out, Scan::inclusive())?;
        same(&out.to_vec()?, &expected, "on a stream");
        let found = cuda().scan(op, along(View::new(&there, &[60, 70])?, &[0]), Scan::inclusive())?;
        let expected = Cpu::new().scan(op, along(View::new(&x, &[60, 70])?, &[0]), Scan::inclusive())?;
        same(&found.to_vec()?, &expected, "along an axis");
    }
    Ok(())
}
