//! Segments of any lengths: each has the bits of a reduction of that segment alone, whatever its neighbours.

use gpu_kernels::Storable;
use gpu_kernels::shapes::lanes_row_len;
use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::elements::IndexType;
use warpfold::kernels::RowsKernel;
use warpfold::{Complex, Cpu, DeviceArray, Element, Error, Mean, Op, Sum, reference, segments, tree};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, each_pair, is_emulated, on_gpu_or_emulated, samples, stored_bits};

/// Offsets of segments with these lengths, repeated, starting at `first`, until there are no more elements.
fn offsets(first: usize, lens: &[usize], count: usize, len: usize) -> Vec<u64> {
    let mut at = first;
    let mut offsets = vec![at as u64];
    for segment in lens.iter().cycle().take(count) {
        at = len.min(at + segment);
        offsets.push(at as u64);
    }
    offsets
}

pub(crate) fn bits<O: Bits>(out: Vec<O>) -> Vec<String> {
    out.into_iter().map(|out| out.bits()).collect()
}

/// Folds the segments by every call, with their results on the host and on the device, and returns the bits of both.
fn found<T, O, I>(x: &DeviceArray<T>, offsets: &[I]) -> [Vec<String>; 2]
where
    T: Element,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Send + Storable<Stored: Bits>>,
    I: IndexType,
{
    let offsets = cuda().upload(offsets).unwrap();
    let now = bits(cuda().reduce(O::default(), segments(x, &offsets)).unwrap().to_vec().unwrap());
    let stream = cuda().stream().unwrap();
    let mut out = cuda().results::<T, O>(offsets.len() - 1).unwrap();
    for _ in 0..2 {
        stream.reduce_into(O::default(), segments(x, &offsets), &mut out).unwrap();
    }
    // The stream keeps them.
    drop(offsets);
    assert_eq!(bits(out.to_vec().unwrap()), now);
    [now, bits(out.finished().unwrap().to_vec().unwrap())]
}

/// Compares every way to fold the segments, whose offsets have one of the four types, with the reference of each alone.
fn check_as<T, O>(x: &[T], offsets: &[u64], types: &[usize])
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Send + Storable<Stored: Bits>>,
{
    let segment = |at: &[u64]| reference::reduce::<T, O>(&x[at[0] as usize..at[1] as usize]);
    let expected = [
        offsets.windows(2).map(segment).map(|out| out.bits()).collect::<Vec<_>>(),
        offsets.windows(2).map(segment).map(stored_bits).collect(),
    ];
    let device = cuda().upload(x).unwrap();
    for which in types {
        let found = match which {
            0 => found::<T, O, u64>(&device, offsets),
            1 => found::<T, O, i32>(&device, &narrowed(offsets)),
            2 => found::<T, O, u32>(&device, &narrowed(offsets)),
            _ => found::<T, O, i64>(&device, &narrowed(offsets)),
        };
        assert!(
            found == expected,
            "{} segments, offsets of type {which}: {found:?} and not {expected:?}",
            offsets.len() - 1
        );
    }
}

fn narrowed<I: TryFrom<u64>>(offsets: &[u64]) -> Vec<I> {
    offsets.iter().map(|&at| I::try_from(at).ok().expect("an offset of this type")).collect()
}

fn check<T, O>(x: &[T], offsets: &[u64])
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Send + Storable<Stored: Bits>>,
{
    check_as::<T, O>(x, offsets, &[0, 1]);
}

fn every_mix<T, O>()
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Send + Storable<Stored: Bits>>,
{
    let tile = tree::tile_len::<T>(0) as usize;
    let short = lanes_row_len::<T, O>(false) as usize;
    let x = samples::<T>(Special, 52, on_gpu_or_emulated(40 * tile + 12_345, 9 * tile + 4000) as u64);
    // The most segments, and the most elements of a segment.
    let (most, longest) = on_gpu_or_emulated((5000, 30 * tile + 1), (70, 3 * tile + 5));
    for (i, (first, lens, count)) in [
        (0, &[3][..], 5000),
        (1, &[0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 100], 3000),
        (3, &[127, 0, 128, 129, 255, 256, 257, 511, 512, 513, 1000, 1, 1023, 1024, 1025], 200),
        (2, &[tile - 1, 0, tile, 3, tile + 1, 2 * tile, 5, 7 * tile + 11, 1], 15),
        // Rows of a tile that are cut short, complete or started.
        (
            1,
            &[
                short - 1,
                short,
                short + 1,
                tile / 4,
                tile / 2 + 7,
                tile - 2,
                tile / 4 + 1,
                short + 3,
                tile / 4 - 1,
            ],
            30,
        ),
        // As many tiles as there can be: each a little too long for lanes.
        (0, &[short + 1], 5000),
        (0, &[longest, 1, 0, 2], 400),
        (5, &[0], 1000),
    ]
    .into_iter()
    .enumerate()
    {
        let offsets = offsets(first, lens, count.min(most), x.len());
        check_as::<T, O>(&x, &offsets, on_gpu_or_emulated(&[0, 1, 2, 3], &[[0], [1], [2], [3]][i % 4]));
    }
    check::<T, O>(&[], &[0, 0, 0]);
}

each_pair! {
    every_mix of gpu_kernels::for_each_rows_kernel, or takes_of_many_kernels of warpfold_tests::for_each_sampled_rows_kernel
}

/// The tree itself, at every length up to 5000 and around powers of two.
#[test]
fn fingerprints_of_every_length() {
    let edges =
        |log2s: std::ops::Range<usize>| log2s.flat_map(|log2| [(1 << log2) - 1, 1 << log2, (1 << log2) + 1]);
    let lens: Vec<usize> = if is_emulated() {
        (0..130)
            .chain((131..2500).step_by(61))
            .chain((2501..5000).step_by(191))
            .chain(edges(13..15))
            .collect()
    } else {
        (0..2500).chain((2501..5000).step_by(7)).chain(edges(13..22)).collect()
    };
    let x = samples::<u32>(Ordinary, 53, lens.iter().sum::<usize>() as u64 + 1);
    let offsets = offsets(1, &lens, lens.len(), x.len());
    check::<u32, Strided>(&x, &offsets);
    check::<u32, Ordered>(&x, &offsets);
    check::<u32, MatrixProduct>(&x, &offsets);
}

/// A lane joins few tiles, and a warp more, at most 256 at a time. A warp takes from one segment to 32, and then the next 32.
#[test]
fn tiles_are_joined_in_pairs_whatever_their_number() {
    let tile = tree::tile_len::<Complex<f64>>(0) as usize;
    let lens = [2, 3, 7, 8, 9, 31, 33, 5, 255, 256, 257, on_gpu_or_emulated(700, 520), 6]
        .map(|tiles| (tiles - 1) * tile + 513);
    let x = samples::<Complex<f64>>(Ordinary, 58, (3 * lens.iter().sum::<usize>()) as u64);
    let count = on_gpu_or_emulated(3 * lens.len(), lens.len());
    check_as::<Complex<f64>, Sum>(&x, &offsets(0, &lens, count, x.len()), &[2]);
}

#[test]
fn wrong_offsets_are_refused_and_nothing_breaks() {
    let x = cuda().upload(&samples::<f32>(Ordinary, 54, 100_000)).unwrap();
    let refused = |wrong: &[i64]| {
        let offsets = cuda().upload(wrong).unwrap();
        let answer = cuda().reduce(Sum, segments(&x, &offsets));
        match answer {
            Err(Error::Offset { at, offset, len: 100_000, .. }) => (at, offset),
            answer => panic!("{wrong:?}: {answer:?}"),
        }
    };
    assert_eq!(refused(&[0, 10, 9, 100]), (2, 9));
    assert_eq!(refused(&[0, 10, 100_001]), (2, 100_001));
    assert_eq!(refused(&[-1, 10]), (0, -1));
    assert_eq!(refused(&[i64::MIN, i64::MAX]), (0, i128::from(i64::MIN)));
    assert_eq!(refused(&[100_001]), (0, 100_001));
    assert_eq!(refused(&[0, 100_000, 0, 100_000, 0, 100_000, 0, 100_000]), (2, 0));
    let mut results = cuda().results::<f32, Sum>(2).unwrap();
    let stream = cuda().stream().unwrap();
    let offsets = cuda().upload(&[0u32, 7, 5]).unwrap();
    stream.reduce_into(Sum, segments(&x, &offsets), &mut results).unwrap();
    assert!(matches!(results.to_vec(), Err(Error::Offset { at: 2, offset: 5, .. })));
    // A stream does not wait to find out, even when it allocates the results.
    let late = stream.reduce(Sum, segments(&x, &offsets)).unwrap();
    assert!(matches!(late.to_vec(), Err(Error::Offset { at: 2, offset: 5, .. })));
    assert!(matches!(results.finished(), Err(Error::Offset { at: 2, offset: 5, .. })));
    // The device still works.
    let offsets = cuda().upload(&[0u32, 7, 9]).unwrap();
    stream.reduce_into(Sum, segments(&x, &offsets), &mut results).unwrap();
    assert_eq!(results.to_vec().unwrap().len(), 2);
    let mut results = cuda().results::<f32, Sum>(3).unwrap();
    let refused = stream.reduce_into(Sum, segments(&x, &offsets), &mut results);
    assert!(matches!(refused, Err(Error::Results { results: 2, room: 3 })), "{refused:?}");
}

/// Offsets that are dropped are kept until the work that reads them has ended: by the stream alone, since the results have been
/// written anew.
#[test]
fn offsets_may_be_dropped_before_their_work_is_done() {
    let x = samples::<f32>(Ordinary, 59, 20_000);
    let (device, stream) = (cuda().upload(&x).unwrap(), cuda().stream().unwrap());
    let mut sums = cuda().results::<f32, Sum>(2).unwrap();
    let offsets = cuda().upload(&[0u32, 7, 20_000]).unwrap();
    stream.reduce_into(Sum, segments(&device, &offsets), &mut sums).unwrap();
    drop(offsets);
    stream.reduce_into(Sum, warpfold::rows(&device, [2, 10_000]), &mut sums).unwrap();
    let expected = Cpu::new().reduce(Sum, warpfold::rows(&x, [2, 10_000])).unwrap();
    assert_eq!(bits(sums.to_vec().unwrap()), bits(expected));
}

/// More results than are copied to the host at once: with their lengths, which a mean needs, and without.
#[test]
fn many_results_arrive_in_order() {
    let x = samples::<f32>(Ordinary, 56, 400_000);
    if is_emulated() {
        // Once each.
        let offsets = offsets(1, &[0, 1, 2, 3, 0, 4], (1 << 16) + 1, x.len());
        let (device, there) = (cuda().upload(&x).unwrap(), cuda().upload(&offsets).unwrap());
        let means = cuda().reduce(Mean, segments(&device, &there)).unwrap().to_vec().unwrap();
        let sums = cuda().reduce(Sum, segments(&device, &there)).unwrap().to_vec().unwrap();
        assert!(bits(means) == bits(Cpu::new().reduce(Mean, segments(&x[..], &offsets[..])).unwrap()));
        assert!(bits(sums) == bits(Cpu::new().reduce(Sum, segments(&x[..], &offsets[..])).unwrap()));
        return;
    }
    for count in [1 << 16, (1 << 16) + 1, 200_001] {
        let offsets = offsets(1, &[0, 1, 2, 3, 0, 4], count, x.len());
        check::<f32, Mean>(&x, &offsets);
        check::<f32, Sum>(&x, &offsets);
    }
}

/// 2^31 segments, one less and one more, if half of the device's memory allows, since other tests run at the same time.
/// At least 2^27 + 1 (4 GiB) are needed. Every second one is empty.
#[test]
fn two_to_the_31_segments() {
    // An emulated device would take hours.
    if is_emulated() {
        return;
    }
    /// The bytes of an offset as given and as checked, half an element, an accumulator and a result.
    const BYTES: u64 = 4 + 8 + 1 + 8 + 8;
    let counts: Vec<usize> = [(1 << 27) + 1, (1 << 31) - 1, 1 << 31, (1 << 31) + 1]
        .into_iter()
        .filter(|count| *count as u64 * BYTES < cuda().properties().memory_bytes / 2)
        .collect();
    let most = *counts.last().expect("the device needs more than 8 GiB of memory");
    let offsets: Vec<u32> = (0..=most).map(|at| (at / 2) as u32).collect();
    let offsets_device = cuda().upload(&offsets).unwrap();
    let x = cuda().upload(&vec![1u8; most / 2 + 1]).unwrap();
    let stream = cuda().stream().unwrap();
    for count in counts {
        let mut out = cuda().results::<u8, Sum>(count).unwrap();
        let offsets = offsets_device.slice(..=count).unwrap();
        stream.reduce_into(Sum, segments(&x, &offsets), &mut out).unwrap();
        let sums = out.finished().unwrap();
        assert_eq!(cuda().reduce(Sum, &sums).unwrap(), count as u64 / 2);
        for first in [0, count / 2 - 2, count - 5] {
            let found = sums.slice(first..first + 5).unwrap().to_vec().unwrap();
            let expected: Vec<u64> = (first..first + 5).map(|at| (at % 2) as u64).collect();
            assert_eq!(found, expected, "from {first} on of {count}");
        }
    }
}

/// Every kernel over segments, with operators of every kind: see `sanitize_reduce`.
#[test]
fn sanitize_segments() {
    fn check_each<T: Element + Sample, O>()
    where
        O: RowsKernel<T> + Default + Op<T, Out: Bits + Send + Storable<Stored: Bits>>,
    {
        let tile = tree::tile_len::<T>(0) as usize;
        let x = samples::<T>(Special, 55, (12 * tile + 345) as u64);
        for (i, (first, lens, count)) in [
            (1, &[0, 1, 3, 16, 33, 100][..], 300),
            (3, &[128, 0, 257, 1025][..], 20),
            (2, &[tile, 3, 3 * tile + 1][..], 6),
        ]
        .into_iter()
        .enumerate()
        {
            let types = on_gpu_or_emulated(&[0, 1][..], &[[0], [1]][i % 2]);
            check_as::<T, O>(&x, &offsets(first, lens, count, x.len()), types);
        }
    }
    check_each::<f32, Sum>();
    check_each::<i32, Sum>();
    check_each::<warpfold::bf16, warpfold::ArgMin>();
    check_each::<u32, Ordered>();
    check_each::<u32, Strided>();
}
