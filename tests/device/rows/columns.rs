//! The columns of a matrix: each has the bits of a reduction of that column alone, by every plan.

use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::kernels::RowsKernel;
use warpfold::plans::ColumnsPlan;
use warpfold::{ArgMin, Cpu, DeviceSlice, Element, Error, Min, Op, Sum, bf16, reference};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, Sample, cuda, each_pair, is_emulated, on_gpu_or_emulated, samples};

use crate::matrices::{each_matrix, every_way};

/// Numbers of rows at which something changes, for vectors of 1 to 16 elements.
const ROWS: [usize; 24] = [
    1, 2, 3, 7, 8, 9, 16, 33, 64, 100, 129, 255, 256, 513, 1023, 1024, 1025, 2049, 4096, 4097, 8193, 16_384,
    16_385, 40_003,
];

/// The bits of each column, folded alone.
fn expected<T, O>(x: &[T], columns: usize) -> Vec<String>
where
    T: Element + Sample,
    O: Op<T, Out: Bits> + Default,
{
    let column = |c| x.iter().skip(c).step_by(columns).copied().collect::<Vec<T>>();
    (0..columns).map(|c| reference::reduce::<T, O>(&column(c)).bits()).collect()
}

/// Compares every way to fold the columns of `x` with the reference's bits of each column alone.
fn check<T, O>(x: &[T], device: &DeviceSlice<'_, T>, columns: usize) -> usize
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits>,
{
    let shape = [x.len() / columns, columns];
    let expected = expected::<T, O>(x, columns);
    let found = cuda().reduce(O::default(), warpfold::columns(device, shape)).unwrap();
    let plans = [(1, 1), (4, 1), (8, 1), (8, 2), (16, 1), (64, 2), (256, 1), (128, 4)]
        .map(|(threads, parts)| ColumnsPlan::new(threads, parts));
    every_way((shape, &expected), &found, (&plans, shape[0]), |stream, plan, out| {
        stream.reduce_into(O::default(), warpfold::columns(device, shape).with_plan(plan), out)
    })
}

/// Columns of all lengths, from the first sample on and from the second.
fn every_length<T, O>()
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits>,
{
    let matrices = ROWS.into_iter().enumerate().flat_map(|(i, rows)| {
        let wide = if rows < 300 { on_gpu_or_emulated(320, 68) } else { 4 };
        let all = [(0, rows, 16), (i % 2, rows, 1 + i % 7), (0, rows, wide)].into_iter().enumerate();
        // On the emulated device half of the matrices. Long ones are narrow.
        let taken = all.filter(move |(kind, _)| !is_emulated() || (i + kind).is_multiple_of(2));
        let most = on_gpu_or_emulated(usize::MAX, 20_000_usize.div_ceil(rows));
        taken.map(move |(_, (first, rows, columns))| (first, rows, columns.min(most)))
    });
    let least = on_gpu_or_emulated(2 * ROWS.len(), ROWS.len() / 2);
    each_matrix::<T>((41, 200_001), matrices, least, check::<T, O>);
}

each_pair! {
    every_length of gpu_kernels::for_each_rows_kernel, or takes_of_many_kernels of warpfold_tests::for_each_sampled_rows_kernel
}

/// The tree itself, at every length up to 5000, at tile edges, and around powers of two up to 2^20; on the emulated device at
/// lengths of every kind.
#[test]
fn fingerprints_of_every_length() {
    let edges = (13..21).flat_map(|log2| [(1 << log2) - 1, 1 << log2, (1 << log2) + 1]);
    let of_a_gpu = (1..5000).chain([12_288, 12_289, 65_537]).chain(edges);
    let of_lanes = (1..=40).chain([63, 64, 65, 127, 129, 255, 256, 257, 511, 513, 1022]);
    let of_tiles = [4095, 4096, 4097, 8193, 12_289, 20_000];
    let lens: Vec<usize> =
        if is_emulated() { of_lanes.chain(of_tiles).collect() } else { of_a_gpu.collect() };
    let all = samples::<u32>(Ordinary, 42, on_gpu_or_emulated((1 << 22) + 8, 80_000));
    let device = cuda().upload(&all).unwrap();
    for rows in lens {
        let columns = if rows % 2 == 0 { 4 } else { 3 };
        let columns = if rows * columns > all.len() { 1 } else { columns };
        let (x, device) = (&all[..rows * columns], device.slice(..rows * columns).unwrap());
        if rows < 300 || rows % 7 == 0 || rows > 4000 {
            check::<u32, Strided>(x, &device, columns);
            check::<u32, Ordered>(x, &device, columns);
        } else {
            check::<u32, MatrixProduct>(x, &device, columns);
        }
    }
}

/// Large matrices of all proportions, with the device's own plan: many blocks, parts, and neighbouring results.
#[test]
fn matrices_of_all_proportions() {
    let log2_len = on_gpu_or_emulated(23, 14);
    let all = samples::<f32>(Ordinary, 43, 1 << log2_len);
    let device = cuda().upload(&all).unwrap();
    for log2_columns in 0..=log2_len {
        for (rows, columns) in [
            ((1 << log2_len) >> log2_columns, 1 << log2_columns),
            ((1 << (log2_len - 1)) >> log2_columns, (1 << log2_columns) + 1),
        ] {
            if rows == 0 {
                continue;
            }
            let (x, device) = (&all[..rows * columns], device.slice(..rows * columns).unwrap());
            let sums =
                cuda().reduce(Sum, warpfold::columns(&device, [rows, columns])).unwrap().to_vec().unwrap();
            let on_cpu = Cpu::new().reduce(Sum, warpfold::columns(x, [rows, columns])).unwrap();
            let is_same = sums.iter().map(|sum| sum.to_bits()).eq(on_cpu.iter().map(|sum| sum.to_bits()));
            assert!(is_same, "{rows} x {columns}");
        }
    }
}

#[test]
fn columns_of_one_element() {
    let columns = on_gpu_or_emulated(1 << 24, 1 << 14);
    let x = samples::<f32>(Ordinary, 44, columns as u64);
    let device = cuda().upload(&x).unwrap();
    let least = cuda().reduce(ArgMin, warpfold::columns(&device, [1, columns])).unwrap().to_vec().unwrap();
    for (x, found) in x.iter().zip(least) {
        let found = found.unwrap();
        assert_eq!((found.value.to_bits(), found.index), (x.to_bits(), 0));
    }
}

#[test]
fn shapes_without_elements_and_wrong_ones() {
    let x = cuda().upload::<f32>(&[]).unwrap();
    assert_eq!(cuda().reduce(Min, warpfold::columns(&x, [0, 3])).unwrap().to_vec().unwrap(), [None; 3]);
    assert_eq!(cuda().reduce(Sum, warpfold::columns(&x, [5, 0])).unwrap().to_vec().unwrap(), []);
    let y = cuda().upload(&[1.0f32; 12]).unwrap();
    for shape in [[5, 2], [0, 12], [13, 1], [usize::MAX, 2]] {
        let wrong = cuda().reduce(Sum, warpfold::columns(&y, shape));
        assert!(matches!(wrong, Err(Error::Shape { given: 12, .. })), "{shape:?}: {wrong:?}");
    }
    let mut out = cuda().results::<f32, Sum>(4).unwrap();
    let stream = cuda().stream().unwrap();
    let wrong = stream.reduce_into(Sum, warpfold::columns(&y, [4, 3]), &mut out);
    assert!(matches!(wrong, Err(Error::Results { results: 3, room: 4 })), "{wrong:?}");
    stream.reduce_into(Sum, warpfold::columns(&y, [3, 4]), &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [3.0; 4]);
}

/// A recorded graph reduces columns, in one launch and in two.
#[test]
fn graphs_replay_columns() {
    let stream = cuda().stream().unwrap();
    for shape in [[8, 1000], [on_gpu_or_emulated(100_000, 20_000), 3]] {
        let x = samples::<f32>(Ordinary, 45, (shape[0] * shape[1]) as u64);
        let device = cuda().upload(&x).unwrap();
        let mut out = cuda().results::<f32, Sum>(shape[1]).unwrap();
        cuda().prepare(Sum, warpfold::columns(&device, shape)).unwrap();
        let mut graph = stream
            .capture(|stream| stream.reduce_into(Sum, warpfold::columns(&device, shape), &mut out))
            .unwrap();
        drop(device);
        for _ in 0..3 {
            graph.launch(&stream).unwrap();
        }
        let found: Vec<String> = out.to_vec().unwrap().into_iter().map(|sum| sum.bits()).collect();
        assert_eq!(found, expected::<f32, Sum>(&x, shape[1]));
    }
}

/// Every kernel over columns, with operators of every kind: see `sanitize_reduce`.
#[test]
fn sanitize_columns() {
    fn check_each<T: Element + Sample, O: RowsKernel<T> + Default + Op<T, Out: Bits>>() {
        let matrices = [(0, 8, 64), (1, 33, 7), (0, 1025, 4), (1, 2049, 3), (0, 10, 3000)];
        each_matrix::<T>((43, 40_001), matrices, 0, check::<T, O>);
    }
    check_each::<f32, Sum>();
    check_each::<i32, Sum>();
    check_each::<bf16, ArgMin>();
    check_each::<u32, Ordered>();
    check_each::<u32, MatrixProduct>();
}
