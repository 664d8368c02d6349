//! Many rows at once: each has the bits of a reduction of that row alone, by every kernel that supports it.

use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::kernels::RowsKernel;
use warpfold::plans::RowsPlan;
use warpfold::{ArgMin, Cpu, DeviceArray, DeviceSlice, Element, Error, Min, Op, Sum, bf16, reference, tree};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, each_pair, is_emulated, on_gpu_or_emulated, samples};

use crate::matrices::{each_matrix, every_way};

/// Lengths at which something changes in a kernel for rows, for vectors of 1 to 16 elements.
const LENGTHS: [usize; 30] = [
    1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 64, 100, 128, 129, 255, 256, 257, 512, 1000, 1023, 1024, 1025,
    2048, 4095, 4096, 4097, 16_384, 40_003,
];

/// Plans of every kind: of blocks and threads as on a GPU, or of few, since the emulated device takes microseconds for each thread.
fn every_plan() -> [RowsPlan; 9] {
    let of_a_gpu = [
        RowsPlan::Lanes { threads: 32, blocks: 3 },
        RowsPlan::Lanes { threads: 1024, blocks: 100 },
        RowsPlan::Warp { threads: 64, blocks: 2, parts: 1 },
        RowsPlan::Warp { threads: 512, blocks: 100, parts: 1 },
        RowsPlan::Warp { threads: 96, blocks: 30, parts: 4 },
        RowsPlan::Block { threads: 256, blocks: 1, parts: 1 },
        RowsPlan::Block { threads: 512, blocks: 7, parts: 1 },
        RowsPlan::Block { threads: 1024, blocks: 300, parts: 2 },
        RowsPlan::Block { threads: 256, blocks: 11, parts: 4 },
    ];
    let of_few_threads = [
        RowsPlan::Lanes { threads: 32, blocks: 3 },
        RowsPlan::Lanes { threads: 96, blocks: 2 },
        RowsPlan::Warp { threads: 64, blocks: 2, parts: 1 },
        RowsPlan::Warp { threads: 32, blocks: 5, parts: 1 },
        RowsPlan::Warp { threads: 96, blocks: 2, parts: 4 },
        RowsPlan::Block { threads: 256, blocks: 1, parts: 1 },
        RowsPlan::Block { threads: 512, blocks: 2, parts: 1 },
        RowsPlan::Block { threads: 1024, blocks: 1, parts: 2 },
        RowsPlan::Block { threads: 256, blocks: 3, parts: 4 },
    ];
    on_gpu_or_emulated(of_a_gpu, of_few_threads)
}

fn bits(sums: &[f32]) -> Vec<u32> {
    sums.iter().map(|sum| sum.to_bits()).collect()
}

/// Compares every way to fold `x` as rows of `len` with the reference's bits of each row alone.
fn check<T, O>(x: &[T], device: &DeviceSlice<'_, T>, len: usize) -> usize
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits>,
{
    let shape = [x.len() / len, len];
    let expected: Vec<String> = x.chunks(len).map(|row| reference::reduce::<T, O>(row).bits()).collect();
    let found = cuda().reduce(O::default(), warpfold::rows(device, shape)).unwrap();
    every_way((shape, &expected), &found, (&every_plan(), len), |stream, plan, out| {
        stream.reduce_into(O::default(), warpfold::rows(device, shape).with_plan(plan), out)
    })
}

/// Rows of all lengths, from the first sample on and from the second.
fn every_length<T, O>()
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits>,
{
    let matrices = LENGTHS.into_iter().enumerate().flat_map(|(i, len)| {
        let least = if len < 10_000 { 2 } else { 1 };
        let rows = on_gpu_or_emulated((30_000 / len).clamp(2, 300), (1500 / len).clamp(least, 67));
        // On the emulated device rows of one length begin at one place.
        let places = [Some(i % 2), (!is_emulated()).then_some(0)];
        places.into_iter().flatten().map(move |first| (first, rows, len))
    });
    let least = on_gpu_or_emulated(3, 1) * LENGTHS.len();
    each_matrix::<T>((31, 100_001), matrices, least, check::<T, O>);
}

each_pair! {
    every_length of gpu_kernels::for_each_rows_kernel, or takes_of_many_kernels of warpfold_tests::for_each_sampled_rows_kernel
}

/// Compares rows of this length of the tree itself.
fn fingerprints(all: &[u32], device: &DeviceArray<u32>, len: usize) {
    let rows = on_gpu_or_emulated(3, (300 / len).clamp(3, 40)).min(all.len() / len);
    let (x, slice) = (&all[..rows * len], device.slice(..rows * len).unwrap());
    if len < 300 || len.is_multiple_of(7) || len > 4000 {
        check::<u32, Strided>(x, &slice, len);
        check::<u32, Ordered>(x, &slice, len);
    } else {
        check::<u32, MatrixProduct>(x, &slice, len);
    }
}

/// The tree itself, at every length up to 5000, at tile edges, and around powers of two up to 2^22; on the emulated device at
/// lengths of every kind.
#[test]
fn fingerprints_of_every_length() {
    let edges = (13..23).flat_map(|log2| [(1 << log2) - 1, 1 << log2, (1 << log2) + 1]);
    let of_a_gpu = (1..5000).chain([12_288, 12_289, 65_537]).chain(edges);
    let of_a_warp = (1..=70).chain(120..=136).chain(250..=264).chain([511, 512, 513, 516]);
    let of_tiles = [767, 1023, 1024, 1028, 2047, 3073, 4092, 4095, 4096, 4097, 8199, 12_289, 16_385];
    let lens: Vec<usize> =
        if is_emulated() { of_a_warp.chain(of_tiles).collect() } else { of_a_gpu.collect() };
    let all = samples::<u32>(Ordinary, 32, on_gpu_or_emulated((1 << 23) + 8, 50_000));
    let device = cuda().upload(&all).unwrap();
    for len in lens {
        fingerprints(&all, &device, len);
    }
}

/// Rows that a warp folds tile by tile, as operators with free lanes have them, which those that show the tree are not.
#[test]
fn rows_of_tiles_by_a_warp_each() {
    const { assert!(gpu_kernels::shapes::do_warps_fold_rows::<f32, Sum>()) };
    let all = samples::<f32>(Special, 34, 27_010);
    let device = cuda().upload(&all).unwrap();
    for len in [512, 513, 1025, 1536, 2047, 3073, 3584, 3585, 4092, 4093, 4095, 4096, 4097, 8195, 9000] {
        let range = len % 4..len % 4 + 3 * len;
        check::<f32, Sum>(&all[range.clone()], &device.slice(range).unwrap(), len);
    }
}

/// The bits of a row do not depend on its neighbours, its place, or the number of rows.
#[test]
fn a_row_has_the_same_bits_in_every_batch() {
    for len in [7, 48, 1000, 5000] {
        let row = samples::<f32>(Ordinary, 35, len as u64);
        let expected = Cpu::new().reduce(Sum, &row).unwrap().to_bits();
        for rows in on_gpu_or_emulated([1, 2, 33, 1000, 5000], [1, 2, 33, 34, 100]) {
            let x = cuda().upload(&row.repeat(rows)).unwrap();
            let sums = cuda().reduce(Sum, warpfold::rows(&x, [rows, len])).unwrap().to_vec().unwrap();
            assert!(sums.len() == rows && sums.iter().all(|sum| sum.to_bits() == expected), "{rows} x {len}");
        }
    }
}

#[test]
fn rows_of_one_element_and_many_rows() {
    let count = on_gpu_or_emulated(1 << 24, 1 << 14);
    let x = samples::<f32>(Ordinary, 36, count as u64);
    let device = cuda().upload(&x).unwrap();
    let least = cuda().reduce(ArgMin, warpfold::rows(&device, [count, 1])).unwrap().to_vec().unwrap();
    for (x, found) in x.iter().zip(least) {
        let found = found.unwrap();
        assert_eq!((found.value.to_bits(), found.index), (x.to_bits(), 0));
    }
    let sums = cuda().reduce(Sum, warpfold::rows(&device, [count / 8, 8])).unwrap().to_vec().unwrap();
    let expected: Vec<f32> = x.chunks(8).map(|row| Cpu::new().reduce(Sum, row).unwrap()).collect();
    assert!(bits(&sums) == bits(&expected));
}

#[test]
fn shapes_without_elements_and_wrong_ones() {
    let x = cuda().upload::<f32>(&[]).unwrap();
    assert_eq!(cuda().reduce(Min, warpfold::rows(&x, [3, 0])).unwrap().to_vec().unwrap(), [None; 3]);
    assert_eq!(cuda().reduce(Sum, warpfold::rows(&x, [0, 5])).unwrap().to_vec().unwrap(), []);
    let y = cuda().upload(&[1.0f32; 12]).unwrap();
    for shape in [[5, 2], [0, 12], [13, 1], [usize::MAX, 2]] {
        let wrong = cuda().reduce(Sum, warpfold::rows(&y, shape));
        assert!(matches!(wrong, Err(Error::Shape { given: 12, .. })), "{shape:?}: {wrong:?}");
    }
    let mut out = cuda().results::<f32, Sum>(4).unwrap();
    assert_eq!((out.len(), out.to_vec().unwrap()), (4, vec![-0.0; 4]));
    let stream = cuda().stream().unwrap();
    let wrong = stream.reduce_into(Sum, warpfold::rows(&y, [3, 4]), &mut out);
    assert!(matches!(wrong, Err(Error::Results { results: 3, room: 4 })), "{wrong:?}");
    assert_eq!(out.to_vec().unwrap(), [-0.0; 4]);
    stream.reduce_into(Sum, warpfold::rows(&y, [4, 3]), &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [3.0; 4]);
}

/// A stream's results are pending when the call returns; readers wait for them.
#[test]
fn streams_give_results_that_are_under_way() {
    let shape = [on_gpu_or_emulated(3000, 60), 1000];
    let x = samples::<f32>(Ordinary, 38, (shape[0] * shape[1]) as u64);
    let (device, stream) = (cuda().upload(&x).unwrap(), cuda().stream().unwrap());
    let sums = stream.reduce(Sum, warpfold::rows(&device, shape)).unwrap();
    drop(device);
    let expected = Cpu::new().reduce(Sum, warpfold::rows(&x, shape)).unwrap();
    assert_eq!(bits(&sums.to_vec().unwrap()), bits(&expected));
}

/// A recorded graph reduces rows, in one launch and in two.
#[test]
fn graphs_replay_rows() {
    let stream = cuda().stream().unwrap();
    for shape in [[1000, 8], [3, on_gpu_or_emulated(100_000, 20_000)]] {
        let x = samples::<f32>(Ordinary, 37, (shape[0] * shape[1]) as u64);
        let device = cuda().upload(&x).unwrap();
        let mut out = cuda().results::<f32, Sum>(shape[0]).unwrap();
        cuda().prepare(Sum, warpfold::rows(&device, shape)).unwrap();
        let mut graph = stream
            .capture(|stream| stream.reduce_into(Sum, warpfold::rows(&device, shape), &mut out))
            .unwrap();
        drop(device);
        for _ in 0..3 {
            graph.launch(&stream).unwrap();
        }
        let expected: Vec<f32> = x.chunks(shape[1]).map(|row| Cpu::new().reduce(Sum, row).unwrap()).collect();
        assert_eq!(bits(&out.to_vec().unwrap()), bits(&expected));
    }
}

/// Every kernel over rows, with operators of every kind: see `sanitize_reduce`.
#[test]
fn sanitize_rows() {
    fn check_each<T: Element + Sample, O: RowsKernel<T> + Default + Op<T, Out: Bits>>() {
        let tile = tree::tile_len::<T>(0) as usize;
        let several = [(0, 3, 2 * tile), (1, 3, 2 * tile - 3)];
        let matrices = [(0, 40, 16), (1, 9, 33), (0, 3, 1040), (1, 3, 1500)].into_iter().chain(several);
        each_matrix::<T>((32, 6 * tile + 1), matrices, 0, check::<T, O>);
    }
    check_each::<f32, Sum>();
    check_each::<i32, Sum>();
    check_each::<bf16, ArgMin>();
    check_each::<u32, Ordered>();
    check_each::<u32, MatrixProduct>();
}
