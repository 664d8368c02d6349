//! Segments of any lengths: each has the bits of a reduction of that segment alone, whatever its neighbours.

use gpu_kernels::Storable;
use test_kernels::{Ordered, Strided};
use warpfold::{
    Cpu, Element, Error, IndexType, Mean, Min, Op, RowsKernel, Sum, chunks, reference, segments, tree,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, samples, stored_bits};

/// Offsets of segments with these lengths, repeated, starting at `first`, as far as there are elements.
fn offsets(first: usize, lens: &[usize], count: usize, len: usize) -> Vec<u64> {
    let mut at = first;
    let mut offsets = vec![at as u64];
    for segment in lens.iter().cycle().take(count) {
        at = len.min(at + segment);
        offsets.push(at as u64);
    }
    offsets
}

fn bits<O: Bits>(out: Vec<O>) -> Vec<String> {
    out.into_iter().map(|out| out.bits()).collect()
}

/// Compares every way to fold the segments with the reference of each alone.
fn check<T, O>(x: &[T], offsets: &[u64])
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Send>,
{
    let segment = |at: &[u64]| reference::reduce::<T, O>(&x[at[0] as usize..at[1] as usize]).bits();
    let expected: Vec<String> = offsets.windows(2).map(segment).collect();
    let device = cuda().upload(x).unwrap();
    fn found<T, O, I>(device: &warpfold::DeviceArray<T>, offsets: &[I]) -> Vec<String>
    where
        T: Element,
        O: RowsKernel<T> + Default + Op<T, Out: Bits + Send>,
        I: IndexType,
    {
        let offsets = cuda().upload(offsets).unwrap();
        let now = bits(cuda().reduce(O::default(), segments(device, &offsets)).unwrap().to_vec().unwrap());
        let stream = cuda().stream().unwrap();
        let mut out = cuda().results::<T, O>(offsets.len() - 1).unwrap();
        for _ in 0..2 {
            stream.reduce_into(O::default(), segments(device, &offsets), &mut out).unwrap();
        }
        assert_eq!(bits(out.to_vec().unwrap()), now);
        now
    }
    assert_eq!(found::<T, O, u64>(&device, offsets), expected);
    let narrow: Vec<i32> = offsets.iter().map(|&at| i32::try_from(at).unwrap()).collect();
    assert_eq!(found::<T, O, i32>(&device, &narrow), expected);
}

fn every_mix<T, O>()
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Send>,
{
    let tile = tree::tile_len::<T>(0) as usize;
    let x = samples::<T>(Special, 52, (40 * tile + 12_345) as u64);
    for (first, lens, count) in [
        (0, &[3][..], 5000),
        (1, &[0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 100], 3000),
        (3, &[127, 0, 128, 129, 255, 256, 257, 511, 512, 513, 1000, 1, 1023, 1024, 1025], 200),
        (2, &[tile - 1, 0, tile, 3, tile + 1, 2 * tile, 5, 7 * tile + 11, 1], 15),
        (0, &[30 * tile + 1, 1, 0, 2], 400),
        (5, &[0], 1000),
    ] {
        check::<T, O>(&x, &offsets(first, lens, count, x.len()));
    }
    check::<T, O>(&[], &[0, 0, 0]);
}

macro_rules! every_row {
    ($($row:ident: $op:ty, $element:ty;)*) => { $(
        #[test]
        fn $row() {
            every_mix::<$element, $op>();
        }
    )* };
}
gpu_kernels::for_each_rows_kernel!(every_row);

/// The tree itself, at every length up to 5000 and around powers of two.
#[test]
fn fingerprints_of_every_length() {
    let x = samples::<u32>(Ordinary, 53, 14_000_000);
    let edges = (13..22).flat_map(|log2| [(1 << log2) - 1, 1 << log2, (1 << log2) + 1]);
    let lens: Vec<usize> = (0..2500).chain((2501..5000).step_by(7)).chain(edges).collect();
    let offsets = offsets(1, &lens, lens.len(), x.len());
    check::<u32, Strided>(&x, &offsets);
    check::<u32, Ordered>(&x, &offsets);
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
    // The device still works.
    let offsets = cuda().upload(&[0u32, 7, 9]).unwrap();
    stream.reduce_into(Sum, segments(&x, &offsets), &mut results).unwrap();
    assert_eq!(results.to_vec().unwrap().len(), 2);
}

/// More results than are copied to the host at once: with their lengths, which a mean needs, and without.
#[test]
fn many_results_arrive_in_order() {
    let x = samples::<f32>(Ordinary, 56, 400_000);
    for count in [1 << 16, (1 << 16) + 1, 200_001] {
        let offsets = offsets(1, &[0, 1, 2, 3, 0, 4], count, x.len());
        check::<f32, Mean>(&x, &offsets);
        check::<f32, Sum>(&x, &offsets);
    }
}

#[test]
fn chunks_are_rows_and_what_is_left() {
    let x = samples::<f32>(Ordinary, 55, 10_007);
    let device = cuda().upload(&x).unwrap();
    for len in [1, 3, 100, 4096, 10_006, 10_007, 20_000] {
        let found = cuda().reduce(Min, chunks(&device, len)).unwrap().to_vec().unwrap();
        assert_eq!(found, Cpu::new().reduce(Min, chunks(&x, len)).unwrap(), "{len}");
    }
    assert!(matches!(cuda().reduce(Min, chunks(&device, 0)), Err(Error::ChunkLength)));
}

/// Chunks of `len`, with their results on the host and on the device, by every call, with the CPU's bits.
fn check_chunks<T, O>(x: &[T], len: usize)
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Storable<Stored: Bits>>,
{
    let (op, what) = (O::default(), format!("{} elements in chunks of {len}", x.len()));
    let outs = Cpu::new().reduce(op, chunks(x, len)).unwrap();
    let expected: Vec<String> = outs.iter().map(Bits::bits).collect();
    let stored: Vec<String> = outs.into_iter().map(stored_bits).collect();
    let (device, stream) = (cuda().upload(x).unwrap(), cuda().stream().unwrap());
    let mut written = cuda().results::<T, O>(expected.len()).unwrap();
    stream.reduce_into(op, chunks(&device, len), &mut written).unwrap();
    let waited = cuda().reduce(op, chunks(&device, len)).unwrap();
    let under_way = stream.reduce(op, chunks(&device, len)).unwrap();
    for found in [waited, under_way, written] {
        assert_eq!(bits(found.to_vec().unwrap()), expected, "{what}");
        assert_eq!(bits(found.finished().unwrap().to_vec().unwrap()), stored, "{what}, on the device");
    }
}

/// If the length does not divide the number of elements, the last chunk is finished by its own length.
#[test]
fn the_last_chunk_is_finished_by_its_own_length() {
    let x = samples::<f32>(Ordinary, 57, 100_003);
    for (n, len) in [(100_003, 1000), (100_000, 1000), (5, 7), (7, 7), (0, 3), (100_003, 40_000), (11, 1)] {
        check_chunks::<f32, Mean>(&x[..n], len);
        check_chunks::<f32, Sum>(&x[..n], len);
    }
    // Room for another number of results is an error.
    let (device, stream) = (cuda().upload(&x).unwrap(), cuda().stream().unwrap());
    let mut out = cuda().results::<f32, Mean>(100).unwrap();
    let refused = stream.reduce_into(Mean, chunks(&device, 1000), &mut out);
    assert!(matches!(refused, Err(Error::Results { results: 101, room: 100 })), "{refused:?}");
}

/// 2^31 segments, one less and one more, as far as half of the device's memory allows, since other tests run at
/// the same time; at least 2^27 + 1 (4 GiB) are needed. Every second one is empty.
#[test]
fn two_to_the_31_segments() {
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
    fn check_each<T: Element + Sample, O: RowsKernel<T> + Default + Op<T, Out: Bits + Send>>() {
        let tile = tree::tile_len::<T>(0) as usize;
        let x = samples::<T>(Special, 55, (12 * tile + 345) as u64);
        for (first, lens, count) in [
            (1, &[0, 1, 3, 16, 33, 100][..], 300),
            (3, &[128, 0, 257, 1025][..], 20),
            (2, &[tile, 3, 3 * tile + 1][..], 6),
        ] {
            check::<T, O>(&x, &offsets(first, lens, count, x.len()));
        }
    }
    check_each::<f32, Sum>();
    check_each::<i32, Sum>();
    check_each::<warpfold::bf16, warpfold::ArgMin>();
    check_each::<u32, Ordered>();
    check_each::<u32, Strided>();
}
