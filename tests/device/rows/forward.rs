//! Exponentials, softmax, norms and gradients of rows on a device against the CPU, bit for bit.

use gpu_kernels::FloatElement;
use warpfold::{Cpu, DeviceArray, DeviceValues, Error, bf16, chunks, f16, rows};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, on_gpu_or_emulated, samples};

/// Compares bits.
#[track_caller]
fn same<T: Bits>(found: Vec<T>, expected: &[T], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.bits(), expected.bits(), "{i} of {what}");
    }
}

/// Rows of ordinary numbers, and rows in which some are special: NaN, infinities, a mask, nothing but masks.
fn data<T: FloatElement + Sample>(len: usize, rows: usize) -> Vec<T> {
    let mut x = samples::<T>(Ordinary, 71, (len * rows) as u64);
    for (row, x) in x.chunks_mut(len.max(1)).enumerate() {
        match row % 8 {
            1 => x.copy_from_slice(&samples::<T>(Special, 72 + row as u64, len as u64)),
            3 => x
                .iter_mut()
                .skip(row % 3)
                .step_by(3)
                .for_each(|x| *x = T::nearest(T::carrier(f64::NEG_INFINITY))),
            4 => x.fill(T::nearest(T::carrier(f64::NEG_INFINITY))),
            5 => x[len / 2] = T::nearest(T::carrier(f64::INFINITY)),
            6 => x.fill(T::nearest(T::carrier(-0.0))),
            _ => {}
        }
    }
    x
}

/// Checks a map in both ways: to new memory, and on a stream.
macro_rules! maps {
    ($what:expr, $x:expr, $device:expr, $shape:expr, $verb:ident, $into:ident, ($($on_cpu:expr),*), ($($on_device:expr),*)) => {{
        let (x, device, shape) = ($x, $device, $shape);
        let what = &format!("{} of {}", stringify!($verb), $what);
        let expected = Cpu::new().$verb(rows(x, shape) $(, $on_cpu)*).unwrap();
        let stream = cuda().stream().unwrap();
        same(cuda().$verb(rows(device, shape) $(, $on_device)*).unwrap().to_vec().unwrap(), &expected, what);
        let mut out = cuda().values(x.len()).unwrap();
        stream.$into(rows(device, shape), &mut out $(, $on_device)*).unwrap();
        same(out.to_vec().unwrap(), &expected, what);
    }};
}

/// Checks all verbs over rows of a length that begin at element `first` of an array.
fn check<T: FloatElement + Sample + Bits>(len: usize, count: usize, first: usize)
where
    T::Carrier: Bits + bytemuck::CheckedBitPattern<Bits: bytemuck::NoUninit>,
    Checked: Verbs<T>,
{
    Checked::verbs(len, count, first);
}

/// The verbs of one element, which have no common trait on a device.
trait Verbs<T> {
    fn verbs(len: usize, count: usize, first: usize);
}
struct Checked;

macro_rules! verbs {
    ($($float:ty),*) => { $(
        impl Verbs<$float> for Checked {
            fn verbs(len: usize, count: usize, first: usize) {
                type T = $float;
                let all = data::<T>(len * count + first, 1);
                let mut all = all;
                all[first..].copy_from_slice(&data::<T>(len, count));
                let uploaded = cuda().upload(&all).unwrap();
                let (x, device) = (&all[first..], uploaded.slice(first..).unwrap());
                let (shape, device) = ([count, len], &device);
                let what = &format!("{count} rows of {len} {}, from {first} on", stringify!($float));

                maps!(what, x, device, shape, softmax, softmax_into, (), ());
                maps!(what, x, device, shape, log_softmax, log_softmax_into, (), ());
                let (weight, bias) = (samples::<T>(Ordinary, 73, len as u64), samples::<T>(Ordinary, 74, len as u64));
                let on_device: [DeviceArray<T>; 2] = [cuda().upload(&weight).unwrap(), cuda().upload(&bias).unwrap()];
                maps!(what, x, device, shape, rms_norm, rms_norm_into, (None, 1e-5), (None, 1e-5));
                let weighted = (Some(&weight[..]), Some(&on_device[0]));
                maps!(what, x, device, shape, rms_norm, rms_norm_into, (weighted.0, 1e-5), (weighted.1, 1e-5));
                let biased = (Some(&bias[..]), Some(&on_device[1]));
                maps!(what, x, device, shape, layer_norm, layer_norm_into, (None, biased.0, 0.5), (None, biased.1, 0.5));
                maps!(what, x, device, shape, layer_norm, layer_norm_into,
                    (weighted.0, biased.0, 0.5), (weighted.1, biased.1, 0.5));

                let mut dy = samples::<T>(Ordinary, 75, x.len() as u64);
                dy.iter_mut().take(len / 3 * 4).for_each(|dy| *dy = T::nearest(T::carrier(-0.0)));
                let gradient: DeviceArray<T> = cuda().upload(&dy).unwrap();
                maps!(what, x, device, shape, softmax_gradient, softmax_gradient_into, (&dy), (&gradient));
                maps!(what, x, device, shape, log_softmax_gradient, log_softmax_gradient_into, (&dy), (&gradient));
                let logs = Cpu::new().log_softmax(rows(x, shape)).unwrap();
                let logs_there = cuda().upload(&logs).unwrap();
                maps!(what, &logs, &logs_there, shape, log_softmax_gradient, log_softmax_gradient_into, (&dy), (&gradient));
                maps!(what, x, device, shape, rms_norm_gradient, rms_norm_gradient_into,
                    (&dy, None, 1e-5), (&gradient, None, 1e-5));
                maps!(what, x, device, shape, layer_norm_gradient, layer_norm_gradient_into,
                    (&dy, weighted.0, 0.5), (&gradient, weighted.1, 0.5));

                let labels: Vec<u32> = (0..count).map(|row| (row * 7919 % len) as u32).collect();
                let wide: Vec<i64> = labels.iter().map(|&label| label.into()).collect();
                let (labels_there, wide_there) = (cuda().upload(&labels).unwrap(), cuda().upload(&wide).unwrap());
                let of_rows = samples::<<T as FloatElement>::Carrier>(Ordinary, 76, count as u64);
                let of_rows_there = cuda().upload(&of_rows).unwrap();
                maps!(what, x, device, shape, cross_entropy_gradient, cross_entropy_gradient_into,
                    (&labels, &of_rows), (&labels_there, &of_rows_there));

                let cpu = Cpu::new();
                let stream = cuda().stream().unwrap();
                let mut out: DeviceValues<<T as FloatElement>::Carrier> = cuda().values(count).unwrap();
                let expected = cpu.cross_entropy(rows(x, shape), &labels).unwrap();
                let found = cuda().cross_entropy(rows(device, shape), &wide_there).unwrap();
                same(found.to_vec().unwrap(), &expected, what);
                stream.cross_entropy_into(rows(device, shape), &labels_there, &mut out).unwrap();
                same(out.to_vec().unwrap(), &expected, what);
                let expected = cpu.log_sum_exp(rows(x, shape)).unwrap();
                same(cuda().log_sum_exp(rows(device, shape)).unwrap().to_vec().unwrap(), &expected, what);
                stream.log_sum_exp_into(rows(device, shape), &mut out).unwrap();
                same(out.to_vec().unwrap(), &expected, what);
                let expected = cpu.sum_exp(rows(x, shape)).unwrap();
                same(cuda().sum_exp(rows(device, shape)).unwrap().to_vec().unwrap(), &expected, what);
                let expected = cpu.log_mean_exp(rows(x, shape)).unwrap();
                same(cuda().log_mean_exp(rows(device, shape)).unwrap().to_vec().unwrap(), &expected, what);
            }
        }
    )* };
}
verbs!(f32, f64, f16, bf16);

/// Lengths around the vectors, the lanes of a warp, a tile, and the tiles of several groups and spans.
const LENGTHS: [usize; 22] =
    [1, 2, 3, 4, 7, 8, 9, 31, 64, 100, 128, 200, 256, 257, 511, 512, 513, 1000, 4096, 4100, 12_289, 40_000];

fn every_length<T: FloatElement + Sample + Bits>(turn: usize)
where
    T::Carrier: Bits + bytemuck::CheckedBitPattern<Bits: bytemuck::NoUninit>,
    Checked: Verbs<T>,
{
    for (i, len) in LENGTHS.into_iter().enumerate() {
        // The emulated device takes a part of the lengths of each element.
        if on_gpu_or_emulated(false, !(i + turn).is_multiple_of(3) && len != 513) {
            continue;
        }
        let count = on_gpu_or_emulated(9 + 20_000 / len, if len > 512 { 8 } else { 9 + 200 / len });
        check::<T>(len, if len > 20_000 { on_gpu_or_emulated(9, 2) } else { count }, 0);
        if len <= 1000 {
            check::<T>(len, count, 1);
        }
    }
}

#[test]
fn rows_of_f32() {
    every_length::<f32>(0);
}

#[test]
fn rows_of_f64() {
    every_length::<f64>(1);
}

#[test]
fn rows_of_f16() {
    every_length::<f16>(2);
}

#[test]
fn rows_of_bf16() {
    every_length::<bf16>(0);
}

#[test]
fn a_row_is_the_same_in_any_batch_and_graph() {
    let (count, len) = (37, 130);
    let x = data::<f32>(len, count);
    let device = cuda().upload(&x).unwrap();
    let whole = cuda().softmax(rows(&device, [count, len])).unwrap().to_vec().unwrap();
    for (first, rows_of) in [(0, 1), (1, 5), (6, 31)] {
        let range = first * len..(first + rows_of) * len;
        let part = cuda().softmax(rows(device.slice(range.clone()).unwrap(), [rows_of, len])).unwrap();
        same(part.to_vec().unwrap(), &whole[range], "a part");
    }
    let stream = cuda().stream().unwrap();
    let mut values = cuda().values::<f32>(x.len()).unwrap();
    let mut sums = cuda().values::<f32>(count).unwrap();
    // Loads the kernels that are recorded.
    stream.log_sum_exp_into(rows(&device, [count, len]), &mut sums).unwrap();
    let mut graph = stream
        .capture(|stream| {
            stream.softmax_into(rows(&device, [count, len]), &mut values)?;
            stream.log_sum_exp_into(rows(&device, [count, len]), &mut sums)
        })
        .unwrap();
    for _ in 0..2 {
        graph.launch(&stream).unwrap();
        same(values.to_vec().unwrap(), &whole, "a graph");
        same(sums.to_vec().unwrap(), &Cpu::new().log_sum_exp(rows(&x, [count, len])).unwrap(), "a graph");
    }
}

#[test]
fn arrays_chunks_and_empty_rows() {
    let x = data::<f32>(1000, 3);
    let (device, cpu) = (cuda().upload(&x).unwrap(), Cpu::new());
    assert_eq!(cuda().log_sum_exp(&device).unwrap().bits(), cpu.log_sum_exp(&x).unwrap().bits());
    for len in [1, 7, 999, 1000, 2999, 3000, 4000] {
        let expected = cpu.log_sum_exp(chunks(&x, len)).unwrap();
        same(cuda().log_sum_exp(chunks(&device, len)).unwrap().to_vec().unwrap(), &expected, "chunks");
    }
    let none = cuda().upload::<f32>(&[]).unwrap();
    assert_eq!(cuda().sum_exp(&none).unwrap().to_bits(), 0);
    assert_eq!(cuda().log_sum_exp(rows(&none, [2, 0])).unwrap().to_vec().unwrap(), [f32::NEG_INFINITY; 2]);
    assert!(cuda().log_mean_exp(&none).unwrap().is_nan());
    assert!(cuda().softmax(rows(&none, [0, 5])).unwrap().is_empty());
    assert!(cuda().softmax(rows(&none, [5, 0])).unwrap().is_empty());
}

#[test]
fn wrong_lengths_are_errors() {
    let device = cuda().upload(&[1.0f32; 6]).unwrap();
    let (short, stream) = (cuda().upload(&[1.0f32; 2]).unwrap(), cuda().stream().unwrap());
    assert!(matches!(cuda().softmax(rows(&device, [2, 4])), Err(Error::Shape { .. })));
    let of = rows(&device, [2, 3]);
    assert!(matches!(cuda().rms_norm(of, Some(&short), 0.0), Err(Error::Shape { given: 2, .. })));
    let of = rows(&device, [2, 3]);
    assert!(matches!(cuda().layer_norm(of, None, Some(&short), 0.0), Err(Error::Shape { given: 2, .. })));
    let mut out = cuda().values::<f32>(5).unwrap();
    assert!(matches!(stream.softmax_into(rows(&device, [2, 3]), &mut out), Err(Error::Results { .. })));
    assert!(matches!(stream.sum_exp_into(rows(&device, [2, 3]), &mut out), Err(Error::Results { .. })));
    assert!(matches!(cuda().sum_exp(chunks(&device, 0)), Err(Error::ChunkLength)));
    let refused = cuda().softmax_gradient(rows(&device, [2, 3]), &short);
    assert!(matches!(refused, Err(Error::Shape { given: 2, .. })));
    let refused = cuda().layer_norm_gradient(rows(&device, [2, 3]), &device, Some(&short), 0.0);
    assert!(matches!(refused, Err(Error::Shape { given: 2, .. })));
}

#[test]
fn labels_that_are_no_columns_are_errors_or_make_nan() {
    let (device, stream) = (cuda().upload(&[1.0f32; 6]).unwrap(), cuda().stream().unwrap());
    let ones = cuda().upload(&[1.0f32; 3]).unwrap();
    for label in [2, -1, 1 << 32, i64::MIN, i64::MAX] {
        let labels = cuda().upload(&[0, label, 1]).unwrap();
        let expected = Error::Label { row: 1, label: label.into(), columns: 2 };
        assert_eq!(cuda().cross_entropy(rows(&device, [3, 2]), &labels).err(), Some(expected.clone()));
        let refused = cuda().cross_entropy_gradient(rows(&device, [3, 2]), &labels, &ones);
        assert_eq!(refused.err(), Some(expected));
        let mut losses = cuda().values::<f32>(3).unwrap();
        stream.cross_entropy_into(rows(&device, [3, 2]), &labels, &mut losses).unwrap();
        let ln2 = std::f32::consts::LN_2;
        same(losses.to_vec().unwrap(), &[ln2, f32::NAN, ln2], "losses");
        let mut gradients = cuda().values::<f32>(6).unwrap();
        stream.cross_entropy_gradient_into(rows(&device, [3, 2]), &mut gradients, &labels, &ones).unwrap();
        let nan = f32::NAN;
        same(gradients.to_vec().unwrap(), &[-0.5, 0.5, nan, nan, 0.5, -0.5], "gradients");
    }
    let labels = cuda().upload(&[0i32, -1, 1]).unwrap();
    let refused = cuda().cross_entropy(rows(&device, [3, 2]), &labels);
    assert_eq!(refused.err(), Some(Error::Label { row: 1, label: -1, columns: 2 }));
    let refused = cuda().cross_entropy(rows(&device, [2, 3]), &labels);
    assert!(matches!(refused.err(), Some(Error::Shape { given: 3, .. })));
    let none = cuda().upload::<f32>(&[]).unwrap();
    let no_labels = cuda().upload::<u64>(&[]).unwrap();
    assert!(cuda().cross_entropy(rows(&none, [0, 3]), &no_labels).unwrap().is_empty());
}
