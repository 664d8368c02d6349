//! Scans of rows and chunks: each has the CPU's bits over that part alone.

use warpfold::kernels::{ScanKernel, StoredOf};
use warpfold::scan_tree::tree;
use warpfold::{Error, Max, Mean, Scan, Sum, SumIn, chunks, rows};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, on_gpu_or_emulated, samples};

use gpu_kernels::{Element, Op, Storable};

use crate::scan::{assert_same, on_cpu};

/// The CPU's outputs of each part of `len` elements.
fn parts_on_cpu<T, O>(x: &[T], len: usize, scan: Scan<O::Acc>) -> Vec<StoredOf<T, O>>
where
    T: Element,
    O: ScanKernel<T> + Default + Op<T, Out: Storable + Send>,
{
    x.chunks(len).flat_map(|part| on_cpu(O::default(), part, scan)).collect()
}

/// Rows and chunks of this length.
fn check<T, O>(len: usize, count: usize)
where
    T: Element + Sample,
    O: ScanKernel<T> + Default + Op<T, Out: Storable<Stored: Bits> + Send>,
{
    let x = samples::<T>(Special, 65 + len as u64, (len * count + len / 2) as u64);
    let (device, whole) = (cuda().upload(&x).unwrap(), &x[..len * count]);
    let init = O::default().lift(x[0], 0);
    for scan in [Scan::inclusive(), Scan::exclusive().from(init, 1)] {
        let of = rows(device.slice(..whole.len()).unwrap(), [count, len]);
        let found = cuda().scan(O::default(), of, scan).unwrap();
        assert_same(
            &found.to_vec().unwrap(),
            &parts_on_cpu::<T, O>(whole, len, scan),
            &format!("rows of {len}"),
        );
        let found = cuda().scan(O::default(), chunks(&device, len), scan).unwrap();
        assert_same(
            &found.to_vec().unwrap(),
            &parts_on_cpu::<T, O>(&x, len, scan),
            &format!("chunks of {len}"),
        );
    }
}

#[test]
fn rows_and_chunks_of_every_length() {
    let (run, row, tile) = (tree::run_len::<f32>(), tree::row_len::<f32>(), tree::tile_len::<f32>());
    for len in [1, 3, run - 1, run, run + 1, row - 1, row, row + 1, tile - 1, tile, tile + 1, 3 * tile + 7] {
        check::<f32, Sum>(len, on_gpu_or_emulated(300_000, 3 * tile) / len + 1);
    }
    check::<i32, Max>(100, 30);
    check::<f32, Mean>(700, 5);
}

#[test]
fn streams_and_graphs_scan_rows_and_chunks() {
    type Wraps = SumIn<i32>;
    let x = samples::<i32>(Ordinary, 66, 9000);
    let (device, stream) = (cuda().upload(&x).unwrap(), cuda().stream().unwrap());
    let mut values = cuda().values::<i32>(x.len()).unwrap();
    let once = parts_on_cpu::<i32, Wraps>(&x, 30, Scan::exclusive());
    let twice = parts_on_cpu::<i32, Wraps>(&once, 4001, Scan::inclusive());
    stream.scan_into(Wraps::default(), rows(&device, [300, 30]), &mut values, Scan::exclusive()).unwrap();
    assert_same(&values.to_vec().unwrap(), &once, "once");
    stream.scan(Wraps::default(), chunks(&mut values, 4001), Scan::inclusive()).unwrap();
    assert_same(&values.to_vec().unwrap(), &twice, "twice");
    let mut graph = stream
        .capture(|stream| {
            stream.scan_into(Wraps::default(), rows(&device, [300, 30]), &mut values, Scan::exclusive())?;
            stream.scan(Wraps::default(), chunks(&mut values, 4001), Scan::inclusive())
        })
        .unwrap();
    for _ in 0..3 {
        graph.launch(&stream).unwrap();
        assert_same(&values.to_vec().unwrap(), &twice, "replayed");
    }
}

#[test]
fn rows_and_chunks_that_cannot_be_scanned_are_refused() {
    let (x, stream) = (cuda().upload(&[3, 1, 2, 9, 4]).unwrap(), cuda().stream().unwrap());
    let refused = cuda().scan(Sum, rows(&x, [2, 3]), Scan::inclusive()).map(drop);
    assert!(matches!(refused, Err(Error::Shape { .. })), "{refused:?}");
    let refused = cuda().scan(Sum, chunks(&x, 0), Scan::inclusive()).map(drop);
    assert!(matches!(refused, Err(Error::ChunkLength)), "{refused:?}");
    let refused = cuda().scan(Max, chunks(&x, 2), Scan::exclusive()).map(drop);
    assert!(matches!(refused, Err(Error::NoInitialValue)), "{refused:?}");
    let mut few = cuda().values::<i64>(4).unwrap();
    let refused = stream.scan_into(Sum, chunks(&x, 2), &mut few, Scan::inclusive());
    assert!(matches!(refused, Err(Error::Results { results: 5, room: 4 })), "{refused:?}");
    let none = x.slice(5..).unwrap();
    assert!(cuda().scan(Sum, rows(none, [3, 0]), Scan::inclusive()).unwrap().is_empty());
    assert_eq!(
        cuda().scan(Sum, chunks(&x, 9), Scan::inclusive()).unwrap().to_vec().unwrap(),
        [3_i64, 4, 6, 15, 19]
    );
}
