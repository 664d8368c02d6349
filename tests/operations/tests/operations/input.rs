//! Every kind of input as a caller writes it, without naming types: on the CPU and on the faster backend, with
//! equal results.

use std::fmt::Debug;

use bytemuck::NoUninit;
use ndarray::{Array2, array};
use warpfold::verb::{Backend, Reduce};
use warpfold::{
    ArgMax, AsElements, At, Auto, Cpu, Dot, Elements, Error, Max, Mean, Op, Scan, Sum, View, after_element,
    after_fold, along, chunks, columns, count, groups, reduce, reference, rows, runs, segments, zip,
};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, samples};

/// Returns the results of both, which must be equal.
fn on_both<O: Copy, I: Copy, R: PartialEq + Debug>(op: O, input: I) -> R
where
    Cpu: Backend<Reduce<O, I>, Results = R>,
{
    let found = Cpu::new().reduce(op, input).unwrap();
    assert_eq!(Auto::new().reduce(op, input).unwrap(), found);
    found
}

/// Each element is a separate bit, so a sum shows which elements it has.
fn elements() -> [u16; 12] {
    std::array::from_fn(|i| 1 << i)
}

#[test]
fn all_elements() {
    let x = elements();
    assert_eq!(on_both(Sum, &x), 0xfff);
    assert_eq!(on_both(Sum, &x[4..8]), 0xf0);
    assert_eq!(on_both((Max, Sum), &x[..2]), (Some(2), 3));
    assert_eq!(on_both(ArgMax, &x), Some(At { index: 11, value: 0x800 }));
    let least = 0x100;
    assert_eq!(on_both(count(move |x: u16| x >= least), &x), 4);
}

#[test]
fn two_arrays() {
    let (x, y) = (elements(), vec![3; 12]);
    assert_eq!(on_both(Dot, zip(&x, &y)), 3 * 0xfff);
}

#[test]
fn an_initial_value() {
    let x = elements();
    assert_eq!(on_both(Sum, after_element(0x8000, &x)), 0x8fff);
    assert_eq!(on_both(Max, after_element(7, &x[..0])), Some(7));
    let before = Cpu::new().fold(Mean, &x[..3]).unwrap();
    assert_eq!(on_both(Mean, after_fold(before, 3, &x[3..])), on_both(Mean, &x));
}

#[test]
fn rows_and_columns() {
    let x = elements();
    assert_eq!(on_both(Sum, rows(&x, [3, 4])), [0x00f, 0x0f0, 0xf00]);
    assert_eq!(on_both(Sum, columns(&x, [3, 4])), [0x111, 0x222, 0x444, 0x888]);
    let greatest = on_both(ArgMax, rows(&x, [3, 4]));
    assert!(greatest.iter().all(|at| at.is_some_and(|at| at.index == 3)), "{greatest:?}");
}

#[test]
fn pieces() {
    let x = elements();
    assert_eq!(on_both(Sum, chunks(&x, 5)), [0x01f, 0x3e0, 0xc00]);
    assert_eq!(on_both(Sum, segments(&x, &[1, 1, 4, 11])), [0, 0x00e, 0x7f0]);
    let ids: Vec<u32> = (0..12).map(|i| i % 3).collect();
    assert_eq!(on_both(Sum, groups(&ids, &x, 4)), [0x249, 0x492, 0x924, 0]);
    let keys = ["a", "a", "b", "b", "b", "b", "a", "c", "c", "c", "c", "c"];
    assert_eq!(on_both(Sum, runs(&keys, &x)), (vec!["a", "b", "a", "c"], vec![0x003, 0x03c, 0x040, 0xf80]));
}

#[test]
fn axes() {
    let x = elements();
    let view = View::new(&x, &[2, 3, 2]).unwrap();
    assert_eq!(on_both(Sum, along(view, &[0, 2])), [0x0c3, 0x30c, 0xc30]);
    assert_eq!(on_both(Sum, along(view.transposed(), &[2])), [0x041, 0x104, 0x410, 0x082, 0x208, 0x820]);
    let matrix = Array2::from_shape_vec((3, 4), x.to_vec()).unwrap();
    assert_eq!(on_both(Sum, along(&matrix, &[1])), array![0x00f, 0x0f0, 0xf00].into_dyn());
    assert_eq!(on_both(Sum, along(&matrix, &[1]).keep_dims()), array![[0x00f], [0x0f0], [0xf00]].into_dyn());
    assert_eq!(on_both(Sum, &matrix), 0xfff);
}

/// Enough elements for several threads, or for a device.
#[test]
fn many_elements() {
    let x = samples::<f32>(Ordinary, 1, (1 << 22) + 3);
    let (cpu, auto) = (Cpu::new(), Auto::new());
    let same =
        |found: &[f32], expected: &[f32]| found.iter().map(Bits::bits).eq(expected.iter().map(Bits::bits));
    assert!(same(&[auto.reduce(Sum, &x).unwrap()], &[cpu.reduce(Sum, &x).unwrap()]));
    let halves = segments(&x, &[0, 1 << 21, 1 << 22]);
    assert!(same(&auto.reduce(Sum, halves).unwrap(), &cpu.reduce(Sum, halves).unwrap()));
    let (matrix, shape) = (&x[..1 << 22], [1 << 11, 1 << 11]);
    assert!(same(
        &auto.reduce(Sum, rows(matrix, shape)).unwrap(),
        &cpu.reduce(Sum, rows(matrix, shape)).unwrap()
    ));
}

/// A user's array.
struct Column {
    name: &'static str,
    values: Vec<f32>,
}

impl AsElements for Column {
    type Element = f32;

    fn elements(&self) -> Elements<'_, f32> {
        self.values.elements()
    }

    fn elements_in_place(&self) -> Result<&[f32], Error> {
        self.values.elements_in_place()
    }
}

/// Every call takes a reference to any container of elements.
#[test]
fn whatever_holds_the_elements() {
    let (cpu, auto) = (Cpu::new(), Auto::new());
    let array = [1.0_f32, 2.0, 4.0];
    let slice = &array[..];
    let (to_slice, vector, boxed) = (&slice, array.to_vec(), Box::from(array) as Box<[_]>);
    let kept: Elements<_> = [None, Some(1.0), Some(2.0), None, Some(4.0)].into_iter().collect();
    let whole = Elements::from(slice);
    let column = Column { name: "weights", values: array.to_vec() };
    macro_rules! check {
        ($($x:expr),*) => { $(
            assert_eq!(cpu.reduce(Sum, $x).unwrap(), 7.0);
            assert_eq!(auto.reduce(Sum, $x).unwrap(), 7.0);
            assert_eq!(cpu.fold(Sum, $x).unwrap(), 7.0);
            assert_eq!(on_both(Dot, zip($x, &array)), 21.0);
            assert_eq!(on_both(Dot, zip(&array, $x)), 21.0);
            assert_eq!(on_both(Sum, after_element(8.0, $x)), 15.0);
            assert_eq!(on_both(Sum, after_fold(8.0, 1, $x)), 15.0);
            assert_eq!(on_both(Sum, rows($x, [1, 3])), [7.0]);
            assert_eq!(on_both(Sum, columns($x, [3, 1])), [7.0]);
            assert_eq!(on_both(Sum, chunks($x, 2)), [3.0, 4.0]);
            assert_eq!(on_both(Sum, segments($x, &[0, 1, 3])), [1.0, 6.0]);
            assert_eq!(on_both(Sum, groups(&[1, 0, 1], $x, 2)), [2.0, 5.0]);
            assert_eq!(on_both(Sum, runs(&[8, 8, 9], $x)), (vec![8, 9], vec![3.0, 4.0]));
            assert_eq!(cpu.scan(Sum, $x, Scan::inclusive()).unwrap(), [1.0, 3.0, 7.0]);
            assert_eq!(auto.scan(Sum, $x, Scan::exclusive()).unwrap(), [0.0, 1.0, 3.0]);
            assert_eq!(cpu.scan(Sum, segments($x, &[0, 1, 3]), Scan::inclusive()).unwrap(), [1.0, 2.0, 6.0]);
        )* };
    }
    check!(&array, slice, to_slice, &to_slice, &array[..3], &vector, &vector[..], &boxed, &whole, &column);
    assert_eq!(reduce::<_, Sum>(&kept).unwrap(), 7.0);
    assert_eq!(column.name, "weights");
}

/// The same for containers of offsets, ids and keys.
#[test]
fn whatever_holds_what_parts_the_elements() {
    let x = elements();
    let offsets = [0_u32, 5, 12];
    macro_rules! check_offsets {
        ($($offsets:expr),*) => { $( assert_eq!(on_both(Sum, segments(&x, $offsets)), [0x01f, 0xfe0]); )* };
    }
    let boxed: Box<[_]> = Box::from([0_i64, 5, 12]);
    check_offsets!(
        &offsets,
        &offsets[..],
        &offsets.to_vec(),
        &Elements::from(&offsets[..]),
        &boxed,
        &[0_usize, 5, 12]
    );
    let ids = x.map(|x| u32::from(x > 0x010));
    macro_rules! check_ids {
        ($($ids:expr),*) => { $( assert_eq!(on_both(Sum, groups($ids, &x, 2)), [0x01f, 0xfe0]); )* };
    }
    check_ids!(
        &ids,
        &ids[..],
        &ids.to_vec(),
        &Elements::from(&ids[..]),
        &ids.map(u64::from),
        &ids.map(|id| id as i32)
    );
    let keys = ids.map(|id| if id == 0 { "low" } else { "high" });
    macro_rules! check_keys {
        ($($keys:expr),*) => { $(
            assert_eq!(on_both(Sum, runs($keys, &x)), (vec!["low", "high"], vec![0x01f, 0xfe0]));
        )* };
    }
    check_keys!(&keys, &keys[..], &keys.to_vec());
}

#[test]
fn scans_in_place() {
    let (cpu, auto) = (Cpu::new(), Auto::new());
    let (mut array, mut vector) = ([1.0_f64, 2.0, 4.0], vec![1.0_f64, 2.0, 4.0]);
    cpu.scan(Sum, &mut array, Scan::inclusive()).unwrap();
    auto.scan(Sum, &mut vector, Scan::inclusive()).unwrap();
    assert_eq!((&array[..], &vector[..]), (&[1.0, 3.0, 7.0][..], &[1.0, 3.0, 7.0][..]));
    auto.scan(Sum, &mut array[1..], Scan::exclusive()).unwrap();
    cpu.scan(Sum, segments(&mut vector, &[0, 1, 3]), Scan::inclusive()).unwrap();
    assert_eq!((&array[..], &vector[..]), (&[1.0, 0.0, 3.0][..], &[1.0, 3.0, 10.0][..]));
    cpu.scan(Sum, segments(&mut array, &[0, 3]), Scan::inclusive()).unwrap();
    auto.scan(Sum, segments(&mut vector[1..], &[0, 2]), Scan::inclusive()).unwrap();
    assert_eq!((&array[..], &vector[..]), (&[1.0, 1.0, 4.0][..], &[1.0, 3.0, 13.0][..]));
    let mut sums = [0.0; 3];
    cpu.scan_into(Sum, &array, &mut sums, Scan::exclusive()).unwrap();
    assert_eq!(sums, [0.0, 1.0, 2.0]);
}

/// A user's element type.
#[derive(Clone, Copy, Debug, PartialEq, NoUninit)]
#[repr(C)]
struct Trade {
    price: f32,
    size: u32,
}

/// A user's operator, without kernels.
#[derive(Clone, Copy, Default)]
struct Turnover;

impl Op<Trade> for Turnover {
    type Acc = f64;
    type Out = f64;
    const IDENTITY: f64 = -0.0;
    fn lift(self, trade: Trade, _index: u64) -> f64 {
        f64::from(trade.price) * f64::from(trade.size)
    }
    fn combine(left: f64, right: f64) -> f64 {
        left + right
    }
    fn finish(acc: f64, _len: u64) -> f64 {
        acc
    }
}

/// A user's operator with a parameter.
#[derive(Clone, Copy)]
struct Dearer {
    than: f32,
}

impl Op<Trade> for Dearer {
    type Acc = u64;
    type Out = u64;
    const IDENTITY: u64 = 0;
    const COMMUTATIVE: bool = true;
    fn lift(self, trade: Trade, _index: u64) -> u64 {
        u64::from(trade.price > self.than)
    }
    fn combine(left: u64, right: u64) -> u64 {
        left + right
    }
    fn finish(acc: u64, _len: u64) -> u64 {
        acc
    }
}

#[test]
fn an_operator_and_an_element_of_a_users_own() {
    // Several tiles, and enough for `Auto` to consider a device.
    let trades: Vec<_> =
        (0..1_500_000_u32).map(|i| Trade { price: (i % 1000) as f32 * 0.1, size: i % 7 }).collect();
    let turnover = |trades: &[Trade]| reference::reduce_by(Turnover, trades);
    let (dearer, all) = (Dearer { than: 50.0 }, turnover(&trades));
    assert_eq!(on_both(Turnover, &trades), all);
    assert_eq!(reduce::<Trade, Turnover>(&trades).unwrap(), all);
    assert_eq!(reduce::<_, Turnover>(&trades[..10]).unwrap(), turnover(&trades[..10]));
    let count = trades.iter().filter(|trade| trade.price > 50.0).count() as u64;
    assert_eq!(on_both(dearer, &trades), count);
    assert_eq!(on_both((Turnover, dearer), &trades), (all, count));
    let days: Vec<_> = trades.chunks(500_000).map(turnover).collect();
    assert_eq!(on_both(Turnover, rows(&trades, [3, 500_000])), days);
    assert_eq!(on_both(Turnover, chunks(&trades, 500_000)), days);
    assert_eq!(on_both(Turnover, segments(&trades, &[0, 500_000, 1_000_000, 1_500_000])), days);
    assert_eq!(
        on_both(Turnover, groups(&trades.iter().map(|trade| trade.size).collect::<Vec<_>>(), &trades, 7))[0],
        0.0
    );
    let one = Trade { price: 99.0, size: 1 };
    assert_eq!(on_both(dearer, after_element(one, &trades)), count + 1);
}

/// Types distinguish inputs for a device from those for the CPU.
#[cfg(feature = "cuda")]
#[test]
fn a_device_takes_the_same() {
    let (cpu, cuda) = (Cpu::new(), warpfold_tests::cuda());
    let (x, y) = (samples::<f32>(Ordinary, 2, 12_000), samples::<f32>(Ordinary, 3, 12_000));
    let (on_device, other) = (cuda.upload(&x).unwrap(), cuda.upload(&y).unwrap());
    let sum = cpu.reduce(Sum, &x).unwrap();
    assert_eq!(cuda.reduce(Sum, &x).unwrap(), sum);
    assert_eq!(cuda.reduce(Sum, &x[..]).unwrap(), sum);
    assert_eq!(cuda.reduce(Sum, &on_device).unwrap(), sum);
    assert_eq!(cuda.reduce(Sum, on_device.as_slice()).unwrap(), sum);
    assert_eq!(cuda.reduce(Dot, zip(&on_device, &other)).unwrap(), cpu.reduce(Dot, zip(&x, &y)).unwrap());
    let stream = cuda.stream().unwrap();
    assert_eq!(stream.reduce(Sum, &on_device).unwrap(), sum);
    macro_rules! check_parts {
        ($(|$x:ident| $parts:expr),*) => { $({
            let expected = { let $x = &x; cpu.reduce(Sum, $parts).unwrap() };
            let $x = &on_device;
            assert_eq!(cuda.reduce(Sum, $parts).unwrap().to_vec().unwrap(), expected);
            assert_eq!(stream.reduce(Sum, $parts).unwrap().to_vec().unwrap(), expected);
        })* };
    }
    check_parts!(|x| rows(x, [30, 400]), |x| columns(x, [30, 400]), |x| chunks(x, 5000));
    let offsets = [0_u32, 1000, 1000, 12_000];
    let to_offsets = cuda.upload(&offsets).unwrap();
    let expected = cpu.reduce(Sum, segments(&x, &offsets)).unwrap();
    assert_eq!(cuda.reduce(Sum, segments(&on_device, &to_offsets)).unwrap().to_vec().unwrap(), expected);
    let ids: Vec<u32> = (0..12_000).map(|i| i % 5).collect();
    let to_ids = cuda.upload(&ids).unwrap();
    let expected = cpu.reduce(Sum, groups(&ids, &x, 5)).unwrap();
    assert_eq!(cuda.reduce(Sum, groups(&to_ids, &on_device, 5)).unwrap().to_vec().unwrap(), expected);
    let (keys, expected) = cpu.reduce(Sum, runs(&ids, &x)).unwrap();
    let (found, sums) = cuda.reduce(Sum, runs(&to_ids, &on_device)).unwrap();
    assert_eq!((found.to_vec().unwrap(), sums.to_vec().unwrap()), (keys, expected));
    let expected = cpu.scan(Sum, &x, Scan::inclusive()).unwrap();
    assert_eq!(cuda.scan(Sum, &x, Scan::inclusive()).unwrap(), expected);
    assert_eq!(cuda.scan(Sum, &on_device, Scan::inclusive()).unwrap().to_vec().unwrap(), expected);
}
