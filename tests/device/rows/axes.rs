//! Axes of views of every layout: the bits are the CPU's, whether a kernel reads the rows in place or they are
//! packed.

use test_kernels::{MatrixProduct, Ordered, Strided, mix};
use warpfold::kernels::RowsKernel;
use warpfold::{ArgMin, Cpu, DeviceSlice, Element, Error, Op, Sum, View, along};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, is_emulated, on_gpu_or_emulated, samples, turn};

/// All sets of axes, some of them in descending order.
fn every_set(dimensions: usize) -> Vec<Vec<usize>> {
    let set = |bits: usize| (0..dimensions).filter(move |axis| bits >> axis & 1 == 1);
    let turned = |bits: usize| if bits % 3 == 2 { set(bits).rev().collect() } else { set(bits).collect() };
    (0..1 << dimensions).map(turned).collect()
}

fn agrees<T, O>(host: &View<&[T]>, device: &View<DeviceSlice<'_, T>>, axes: &[usize])
where
    T: Element,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Send>,
{
    let bits = |outs: Vec<O::Out>| outs.into_iter().map(|out| out.bits()).collect::<Vec<_>>();
    let expected = bits(Cpu::new().reduce(O::default(), along(*host, axes)).unwrap());
    let found = bits(cuda().reduce(O::default(), along(*device, axes)).unwrap().to_vec().unwrap());
    assert_eq!(found.len(), expected.len(), "{device:?} over {axes:?}");
    let at = found.iter().zip(&expected).position(|(found, expected)| found != expected);
    assert_eq!(at.map(|at| (at, &found[at], &expected[at])), None, "{device:?} over {axes:?}");
}

/// Every set of axes of views of one shape, in place, transposed and permuted.
pub(crate) fn every_axis<T, O>(shapes: &[[usize; 4]])
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Send>,
{
    for shape in shapes {
        let x = samples::<T>(Special, 61, shape.iter().product::<usize>() as u64);
        let array = cuda().upload(&x).unwrap();
        let host = View::new(&x, shape).unwrap();
        let device = View::new(&array, shape).unwrap();
        let order = [2, 0, 3, 1];
        for axes in every_set(4) {
            agrees::<T, O>(&host, &device, &axes);
            agrees::<T, O>(&host.transposed(), &device.transposed(), &axes);
            agrees::<T, O>(&host.permuted(&order).unwrap(), &device.permuted(&order).unwrap(), &axes);
        }
    }
}

const EMPTY: [[usize; 4]; 7] =
    [[0, 3, 4, 5], [3, 0, 4, 5], [3, 4, 0, 5], [3, 4, 5, 0], [0, 3, 0, 3], [3, 3, 3, 3], [1, 3, 1, 3]];

#[test]
fn every_set_of_axes() {
    every_axis::<f32, Sum>(&EMPTY);
    every_axis::<u32, Strided>(&EMPTY);
    every_axis::<u32, Strided>(&[[2, 3, 4, 50], [70, 3, 2, 5], [2, 40, 3, 2]]);
    every_axis::<u32, Strided>(&[on_gpu_or_emulated([33, 2, 65, 31], [33, 2, 5, 31])]);
    every_axis::<u32, Ordered>(&[[3, 0, 4, 5], [2, 3, 4, 50]]);
    every_axis::<u32, MatrixProduct>(&[[2, 3, 4, 50]]);
}

/// Elements of every size of moves.
#[test]
fn elements_of_every_size() {
    let shapes = [on_gpu_or_emulated([3, 3, 3, 40], [3, 3, 1, 40]), [5, 33, 2, on_gpu_or_emulated(17, 3)]];
    every_axis::<u8, Sum>(&shapes);
    every_axis::<warpfold::bf16, ArgMin>(&shapes);
    every_axis::<f32, ArgMin>(&shapes);
    every_axis::<f64, Sum>(&shapes);
    every_axis::<warpfold::Complex<f32>, Sum>(&shapes);
    every_axis::<warpfold::Complex<f64>, Sum>(&shapes);
    every_axis::<warpfold::Matrix2<u64>, warpfold::MatrixProduct>(&shapes);
}

/// Around the edges of the boxes of 32 by 32 elements by which matrices are transposed, and of merged boxes.
#[test]
fn edges_of_boxes() {
    let lens = [1, 2, 31, 32, 33, 63, 64, 65, 100];
    let x = samples::<u32>(Ordinary, 67, 100 * 100 * 3);
    let array = cuda().upload(&x).unwrap();
    for (i, &rows) in (0..).zip(&lens) {
        for (j, &columns) in (0..).zip(&lens) {
            if is_emulated() && !turn::is_in_quarter(i + j) {
                continue;
            }
            // Three columns beside each other are what is reduced: of them one box is packed.
            let shape = [rows, columns, 3];
            let len = shape.iter().product::<usize>();
            let host = View::new(&x[..len], &shape).unwrap().permuted(&[2, 1, 0]).unwrap();
            let device = View::new(array.slice(..len).unwrap(), &shape).unwrap();
            agrees::<u32, Strided>(&host, &device.permuted(&[2, 1, 0]).unwrap(), &[1, 2]);
        }
    }
}

/// Rows of several tiles.
#[test]
fn large_axes() {
    let most = on_gpu_or_emulated([100, 70, 90, 4], [20, 70, 9, 4]);
    for (i, shape) in (0..).zip([[3, 5000, 2, 3], [8, 5, 1100, 3], [2, 4, 8, 1500], most]) {
        let x = samples::<u32>(Ordinary, 62, shape.iter().product::<usize>() as u64);
        let array = cuda().upload(&x).unwrap();
        let host = View::new(&x, &shape).unwrap();
        let device = View::new(&array, &shape).unwrap();
        for (j, axes) in (0..).zip([&[0][..], &[1], &[0, 2], &[1, 3], &[0, 1, 2, 3]]) {
            if is_emulated() && !turn::is_in_quarter(i + j) {
                continue;
            }
            agrees::<u32, Strided>(&host, &device, axes);
            agrees::<u32, Ordered>(&host.transposed(), &device.transposed(), axes);
        }
    }
}

/// Views of any strides: reversed, broadcast, with gaps, overlapping; of a slice that begins at any element.
#[test]
fn any_strides() {
    let x = samples::<u32>(Ordinary, 63, 40_001);
    let array = cuda().upload(&x).unwrap();
    let (x, slice) = (&x[1..], array.slice(1..).unwrap());
    for case in (0..150_u64).filter(|&case| !is_emulated() || turn::is_in_quarter(case)) {
        let random = |what: u64, below: u64| (mix(case << 8 | what) % below) as usize;
        let axes = 0..random(0, 5) as u64;
        let shape: Vec<usize> = axes.clone().map(|axis| [1, 2, 3, 4, 7, 40][random(1 + axis, 6)]).collect();
        let strides: Vec<isize> =
            axes.map(|axis| [0, 1, -1, 2, -3, 40, -41, 160][random(11 + axis, 8)]).collect();
        let host = View::strided(x, 20_000, &shape, &strides).unwrap();
        let device = View::strided(slice, 20_000, &shape, &strides).unwrap();
        for axes in every_set(shape.len()) {
            if host.len() < 30_000 {
                agrees::<u32, Strided>(&host, &device, &axes);
            }
        }
    }
}

/// Rows that are slices, with different distances along each axis: few of them, and many.
#[test]
fn rows_of_a_part_of_an_array() {
    let scale = on_gpu_or_emulated(10, 1);
    let x = samples::<u32>(Ordinary, 66, 943_718 * scale as u64);
    let array = cuda().upload(&x).unwrap();
    for (shape, strides) in [
        ([2, 30, 50], [9000, 100, 1]),
        ([70, 30, 50], [9000, 100, 1]),
        ([4, 100 * scale, 110 * scale], [200_000 * scale as isize, 1200, 1]),
        ([7, 100 * scale, 110 * scale], [-120_000 * scale as isize, 1200, 1]),
    ] {
        let offset = 800_000 - 620_000 * usize::from(strides[0] > 0);
        let host = View::strided(&x, offset * scale, &shape, &strides).unwrap();
        let device = View::strided(&array, host.offset(), &shape, &strides).unwrap();
        for axes in every_set(3).iter().skip(1) {
            agrees::<u32, Strided>(&host, &device, axes);
        }
    }
}

/// Long rows with elements between them, which warps and blocks fold: also tile by tile, as sums of floats are.
#[test]
fn long_rows_that_lie_apart() {
    fn check<T, O>()
    where
        T: Element + Sample,
        O: RowsKernel<T> + Default + Op<T, Out: Bits + Send>,
    {
        let x = samples::<T>(Special, 68, 70_000);
        let array = cuda().upload(&x).unwrap();
        for (offset, shape, pitch) in [
            (0, [6, 5000], 6001),
            (1, [6, 5000], 6004),
            (0, [40, 1500], 1604),
            (3, [40, 1500], 1601),
            (0, [16, 4096], 4100),
            (0, [2, 20_000], 40_003),
        ] {
            let host = View::strided(&x, offset, &shape, &[pitch, 1]).unwrap();
            let device = View::strided(&array, offset, &shape, &[pitch, 1]).unwrap();
            agrees::<T, O>(&host, &device, &[1]);
            agrees::<T, O>(&host, &device, &[0]);
        }
    }
    check::<u32, Strided>();
    check::<u32, Ordered>();
    check::<f32, Sum>();
}

/// A view larger than one portion of packing: the results of both portions are right.
#[test]
fn views_of_more_than_is_packed_at_a_time() {
    // An emulated device would take hours for 1.3 GB.
    if is_emulated() {
        return;
    }
    let x = samples::<u8>(Ordinary, 64, 1 << 16);
    let array = cuda().upload(&x).unwrap();
    // Each row is the same 2^16 elements backwards, 20 000 times: 1.3 GB.
    let device = View::strided(&array, (1 << 16) - 1, &[20_000, 1 << 16], &[0, -1]).unwrap();
    let backwards: Vec<u8> = x.iter().rev().copied().collect();
    let expected = Cpu::new().reduce(Sum, &backwards).unwrap();
    let sums = cuda().reduce(Sum, along(device, &[1])).unwrap().to_vec().unwrap();
    assert!(sums.len() == 20_000 && sums.iter().all(|&sum| sum == expected));
}

#[test]
fn streams_and_graphs_reduce_axes() {
    let shape = on_gpu_or_emulated([300, 7, 200], [60, 7, 40]);
    let x = samples::<f32>(Ordinary, 65, shape.iter().product::<usize>() as u64);
    let host = View::new(&x, &shape).unwrap();
    let stream = cuda().stream().unwrap();
    for axes in [&[0][..], &[2], &[0, 2], &[1]] {
        let array = cuda().upload(&x).unwrap();
        let device = View::new(&array, &shape).unwrap();
        cuda().prepare(Sum, along(device, axes)).unwrap();
        let expected = Cpu::new().reduce(Sum, along(host, axes)).unwrap();
        let mut out = cuda().results::<f32, Sum>(expected.len()).unwrap();
        let bits = |sums: &[f32]| sums.iter().map(|sum| sum.to_bits()).collect::<Vec<_>>();
        stream.reduce_into(Sum, along(device, axes), &mut out).unwrap();
        assert!(bits(&out.to_vec().unwrap()) == bits(&expected), "{axes:?}");
        let mut replayed = cuda().results::<f32, Sum>(expected.len()).unwrap();
        let mut graph =
            stream.capture(|stream| stream.reduce_into(Sum, along(device, axes), &mut replayed)).unwrap();
        drop(array);
        for _ in 0..3 {
            graph.launch(&stream).unwrap();
        }
        assert!(bits(&replayed.to_vec().unwrap()) == bits(&expected), "{axes:?}, a graph");
    }
}

#[test]
fn wrong_axes_and_views_are_refused() {
    let array = cuda().upload(&[1.0f32; 24]).unwrap();
    let view = View::new(&array, &[2, 3, 4]).unwrap();
    for axes in [&[3][..], &[1, 0, 1]] {
        let wrong = cuda().reduce(Sum, along(view, axes));
        assert!(matches!(wrong, Err(Error::Axes { dimensions: 3, .. })), "{wrong:?}");
    }
    let wrong = View::strided(&array, 8, &[3], &[-5]);
    assert!(matches!(wrong, Err(Error::ViewBounds { first: -2, last: 8, len: 24 })), "{wrong:?}");
    let part = array.slice(14..).unwrap();
    for (offset, shape, strides) in [(0, [2, 6], [6, 1]), (4, [1, 6], [9, -1]), (10, [1, 1], [0, 0])] {
        let wrong = View::strided(part, offset, &shape, &strides);
        assert!(matches!(wrong, Err(Error::ViewBounds { len: 10, .. })), "{wrong:?}");
    }
    assert!(matches!(View::new(part, &[3, 4]), Err(Error::Shape { given: 10, .. })));
    assert_eq!((view.len(), view.dimensions(), view.is_empty(), view.offset()), (24, 3, false, 0));
    assert_eq!(view.reduced_shape(&[1], true).unwrap(), [2, 1, 4]);
    let mut out = cuda().results::<f32, Sum>(5).unwrap();
    let wrong = cuda().stream().unwrap().reduce_into(Sum, along(view, &[1]), &mut out);
    assert!(matches!(wrong, Err(Error::Results { results: 8, room: 5 })), "{wrong:?}");
    assert_eq!(out.to_vec().unwrap(), [-0.0; 5]);
}

/// Every kernel that packs, by word size: see `sanitize_reduce`.
#[test]
fn sanitize_axes() {
    let shapes = [[3, 5, 3, 40]];
    every_axis::<u8, Sum>(&shapes);
    every_axis::<warpfold::bf16, ArgMin>(&shapes);
    every_axis::<f32, Sum>(&shapes);
    every_axis::<f64, Sum>(&shapes);
    every_axis::<warpfold::Complex<f32>, Sum>(&shapes);
}
