//! Scans along axes of a view: the bits of a scan of each line alone, in the order of the view, with any number of threads.

use warpfold::{ArgMax, Cpu, Element, Error, Max, Mean, Op, Scan, Sum, View, along, operator};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Bits, Sample, samples, turn};

/// Returns the indices of a shape in row-major order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |all, &length| {
        all.iter().flat_map(|index| (0..length).map(|i| [&index[..], &[i]].concat())).collect()
    })
}

fn check<T: Element, O: Op<T, Out: Bits>>(op: O, view: &View<&[T]>, axes: &[usize], scan: Scan<O::Acc>) {
    let indices = indices(view.shape());
    let kept = |index: &[usize]| -> Vec<usize> {
        let kept = index.iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
        kept.map(|(_, &i)| i).collect()
    };
    // The elements of each line, in row-major order, with their places in the outputs.
    let mut expected = vec![String::new(); indices.len()];
    let mut lines = std::collections::BTreeMap::<_, Vec<usize>>::new();
    for (place, index) in indices.iter().enumerate() {
        lines.entry(kept(index)).or_default().push(place);
    }
    for places in lines.values() {
        let x: Vec<T> = places.iter().map(|&place| *view.get(&indices[place]).unwrap()).collect();
        for (&place, out) in places.iter().zip(Cpu::new().scan(op, &x, scan).unwrap()) {
            expected[place] = out.bits();
        }
    }
    for cpu in with_threads(&[1, 3]) {
        let found = cpu.scan(op, along(*view, axes), scan).unwrap();
        let found: Vec<String> = found.iter().map(Bits::bits).collect();
        let differs = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        assert_eq!(
            (found.len(), differs),
            (expected.len(), None),
            "axes {axes:?} of {:?}, {cpu:?}",
            view.shape()
        );
    }
}

/// Every choice of axes of some views, of which each turn takes a quarter.
fn every_axis<T: Element + Sample, O: Op<T, Out: Bits>>(op: O) {
    let x = samples::<T>(Ordinary, 51, 40_000);
    let mut views = 0;
    for shape in [[1, 1, 1], [2, 3, 5], [17, 5, 33], [3, 4099, 2], [1, 2, 7001], [70, 40, 1]] {
        let view = View::new(&x[..shape.iter().product()], &shape).unwrap();
        for view in [view, view.transposed(), view.reversed(&[0, 2]).unwrap()] {
            views += 1;
            if !turn::is_in_quarter(views) {
                continue;
            }
            for axes in [&[][..], &[0], &[1], &[2], &[0, 1], &[2, 0], &[0, 1, 2]] {
                check(op, &view, axes, Scan::inclusive());
            }
        }
    }
}

#[test]
fn each_line_has_the_bits_of_a_scan_of_it_alone() {
    every_axis::<f32, _>(Sum);
}

#[test]
fn other_operators_and_kinds() {
    every_axis::<i64, _>(operator!(i64::MIN, |a: i64, b| if b == i64::MIN { a } else { b }));
    let x = samples::<f64>(Ordinary, 52, 6000);
    let view = View::strided(&x, 5999, &[40, 50], &[-149, -2]).unwrap();
    check(Mean, &view, &[0], Scan::inclusive());
    check(ArgMax, &view, &[1], Scan::inclusive());
    check(Sum, &view, &[0], Scan::exclusive());
    check(Max, &view, &[0], Scan::exclusive().from(Max.lift(0.5, 0), 1));
    // Lines that are as far apart as the last of a block would be if they were neighbours.
    check(Sum, &View::strided(&x, 0, &[60, 2], &[70, 31]).unwrap(), &[0], Scan::inclusive());
    check(Sum, &View::strided(&x, 0, &[9, 3, 40], &[70, 31, 15]).unwrap(), &[0], Scan::exclusive());
    // A broadcast axis.
    check(Sum, &View::strided(&x, 7, &[30, 20], &[0, 1]).unwrap(), &[0], Scan::inclusive());
}

#[test]
fn many_short_rows() {
    let x = samples::<f32>(Ordinary, 54, 30_000);
    for len in [1, 3, 16, 17, 100, 255] {
        let rows = View::new(&x[..len * 100], &[100, len]).unwrap();
        check(Sum, &rows, &[1], Scan::inclusive());
        let expected = Cpu::new().scan(Sum, along(rows, &[1]), Scan::inclusive()).unwrap();
        let found =
            Cpu::new().scan(Sum, warpfold::rows(&x[..len * 100], [100, len]), Scan::inclusive()).unwrap();
        assert!(found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()), "{len}");
    }
}

/// Counts, and returns a result that would not fit the stack as often as there are lines.
#[derive(Clone, Copy)]
struct Wide;

impl Op<u32> for Wide {
    type Acc = u32;
    type Out = [u64; 4096];
    const IDENTITY: u32 = 0;
    const COMMUTATIVE: bool = true;
    fn lift(self, x: u32, _: u64) -> u32 {
        x
    }
    fn combine(left: u32, right: u32) -> u32 {
        left.wrapping_add(right)
    }
    fn finish(acc: u32, len: u64) -> [u64; 4096] {
        let mut out = [len; 4096];
        out[0] = acc.into();
        out
    }
}

#[test]
fn long_results_are_made_one_by_one() {
    let x: Vec<u32> = (0..300).collect();
    let outs =
        Cpu::new().scan(Wide, along(View::new(&x, &[3, 100]).unwrap(), &[0]), Scan::inclusive()).unwrap();
    assert_eq!((outs.len(), outs[299][0], outs[299][4095]), (300, 99 + 199 + 299, 3));
    let outs = Cpu::new().scan(Wide, warpfold::rows(&x, [100, 3]), Scan::inclusive()).unwrap();
    assert_eq!((outs[299][0], outs[299][4095]), (297 + 298 + 299, 3));
}

#[test]
fn threads_share_lines() {
    let x = samples::<f32>(Ordinary, 53, 600_000);
    check(Sum, &View::new(&x, &[1500, 400]).unwrap(), &[0], Scan::inclusive());
}

#[test]
fn wrong_axes_and_scans_are_refused() {
    let (cpu, x) = (Cpu::new(), [1.0f32; 6]);
    let view = View::new(&x, &[2, 3]).unwrap();
    for axes in [&[2][..], &[0, 0]] {
        assert!(matches!(cpu.scan(Sum, along(view, axes), Scan::inclusive()), Err(Error::Axes { .. })));
        assert!(matches!(view.reversed(axes), Err(Error::Axes { .. })));
    }
    let refused = cpu.scan(Max, along(view, &[0]), Scan::exclusive());
    assert!(matches!(refused, Err(Error::NoInitialValue)), "{refused:?}");
    let vast = View::strided(&x, 0, &[0, 1 << 40, 1 << 40], &[1, 1, 1]).unwrap();
    assert_eq!(cpu.scan(Sum, along(vast, &[0]), Scan::inclusive()).unwrap(), []);
    assert!(matches!(cpu.scan(Sum, along(vast, &[3]), Scan::inclusive()), Err(Error::Axes { .. })));
    let empty = View::new(&x[..0], &[2, 0]).unwrap();
    assert_eq!(cpu.scan(Sum, along(empty.reversed(&[0, 1]).unwrap(), &[1]), Scan::inclusive()).unwrap(), []);
}
