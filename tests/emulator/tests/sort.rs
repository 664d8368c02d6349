//! The kernels that sort, under the emulator, with the host's launches: against the standard library's stable
//! sort.
#![allow(missing_docs)]

use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::{SortCount, SortLeaf, SortLists, SortPivots, SortScatter, Sums};
use gpu_kernels::groups::entry::raw as sums;
use gpu_kernels::sort::Key;
use gpu_kernels::sort::entry::raw;
use gpu_kernels::sort::shapes::{
    BOUNDS, BUCKETS, COUNTERS, LEAF_WORDS, SEGMENT_WORDS, SORT_THREADS, codes, most_leaves, most_segments,
    most_tiles, sample_place, sort_tile,
};
use gpu_kernels::{NanGreatest, TotalOrder, bf16, f16};
use test_kernels::mix;

/// The indices that are sorted with the keys.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Indices {
    None,
    /// In 4 bytes during the sort, and in this many at the end.
    Word(u32),
    Long,
}

/// Sorted elements, their indices in 8 bytes if there are any, and the number of levels.
struct Sorted<W> {
    elements: Vec<W>,
    indices: Vec<u64>,
    levels: usize,
}

/// Sorts elements; a thread has `I` of them, a block `PLACES`.
fn sort<W: Key, const I: usize, const PLACES: usize>(
    x: &[W],
    coding: u32,
    with: Indices,
    order: Order,
) -> Sorted<W> {
    let (len, tile) = (x.len() as u64, sort_tile(I));
    let launch = |blocks: u64, kernel: &(dyn Fn() + Sync)| {
        let ran = Launch::new(blocks as u32, SORT_THREADS).order(order).run(kernel);
        ran.unwrap_or_else(|misuse| panic!("{order:?}, {len} keys: {misuse}"));
    };
    let (bytes, bytes_out) = match with {
        Indices::None => (0, 0),
        Indices::Word(out) => (4, out),
        Indices::Long => (8, 8),
    };
    // In turn: after an odd level in `between`, after an even one in `out`.
    let (mut out, mut between) = (vec![W::zeroed(); x.len()], vec![W::zeroed(); x.len()]);
    let mut moved = [vec![0_u64; x.len()], vec![0_u64; x.len()]];
    let mut indices_out = vec![0_u64; x.len()];
    let of_out = At(indices_out.as_mut_ptr().cast::<u8>());
    let of_moved = moved.each_mut().map(|moved| At(moved.as_mut_ptr().cast::<u8>()));
    let keys = [At(out.as_mut_ptr()), At(between.as_mut_ptr())];
    let finish = |from: At<W>, coding_in: u32, of_from: At<u8>, leaves: At<u64>, count: u64| {
        let to = keys[0];
        // SAFETY: all arrays have that many elements and live as long as the launch; so does the list of
        // leaves.
        launch(count, &|| unsafe {
            raw::leaf::<W, I, PLACES>(SortLeaf {
                input: from.get(),
                len,
                coding: coding_in,
                leaves: leaves.get(),
                out: to.get(),
                coding_out: coding,
                indices: of_from.get(),
                index_bytes: bytes,
                indices_out: of_out.get(),
                index_out_bytes: bytes_out,
            });
        });
    };
    let x_at = At(x.as_ptr().cast_mut());
    let none = At(std::ptr::null_mut());
    if len <= tile {
        finish(x_at, coding, At(std::ptr::null_mut()), none, 1);
        return Sorted { elements: out, indices: widened(indices_out, bytes_out), levels: 0 };
    }

    let segments_len = (most_segments(len, tile) * SEGMENT_WORDS) as usize;
    let mut records = [vec![0_u64; segments_len], vec![0_u64; segments_len]];
    let mut of_tiles = [vec![0_u32; most_tiles(len, tile) as usize], vec![0; most_tiles(len, tile) as usize]];
    let mut leaves = vec![0_u64; (most_leaves(len, tile) * LEAF_WORDS) as usize];
    let mut bounds = vec![W::zeroed(); (most_segments(len, tile) * BOUNDS) as usize];
    let mut counts = vec![0_u64; (most_tiles(len, tile) * BUCKETS + 1) as usize];
    let mut ids = vec![0_u8; x.len()];
    let (mut segments, mut tiles, mut levels) = (1, len.div_ceil(tile), 0);
    while segments > 0 {
        let first = levels == 0;
        let from = if first { x_at } else { keys[levels % 2] };
        let to = keys[1 - levels % 2];
        let coding_in = if first { coding } else { codes::UNSIGNED };
        let of_from = if first { At(std::ptr::null_mut()) } else { of_moved[levels % 2] };
        let of_to = of_moved[1 - levels % 2];
        let (now, next) = (levels % 2, 1 - levels % 2);
        let at = if first { none } else { At(records[now].as_mut_ptr()) };
        let tiles_at = if first { At(std::ptr::null_mut()) } else { At(of_tiles[now].as_mut_ptr()) };
        let (next_at, next_tiles) = (At(records[next].as_mut_ptr()), At(of_tiles[next].as_mut_ptr()));
        let (bounds_at, ids_at, counts_at) =
            (At(bounds.as_mut_ptr()), At(ids.as_mut_ptr()), At(counts.as_mut_ptr()));
        let (leaves_at, mut counters) = (At(leaves.as_mut_ptr()), [0_u64; COUNTERS as usize]);
        let counters_at = At(counters.as_mut_ptr());
        let all = tiles * BUCKETS;
        // SAFETY: each list has as much room as the shape says, and lives as long as the launches, which run
        // one after another.
        unsafe {
            launch(segments, &|| {
                raw::pivots::<W, I, PLACES>(SortPivots {
                    input: from.get(),
                    len,
                    coding: coding_in,
                    segments: at.get(),
                    bounds: bounds_at.get(),
                });
            });
            launch(tiles, &|| {
                raw::count::<W, I>(SortCount {
                    input: from.get(),
                    len,
                    coding: coding_in,
                    segments: at.get(),
                    segments_len: segments,
                    of_tiles: tiles_at.get(),
                    bounds: bounds_at.get(),
                    ids: ids_at.get(),
                    counts: counts_at.get(),
                });
            });
            launch(1, &|| {
                let (cells, before) = (counts_at.get(), std::ptr::null());
                sums::scan(Sums { cells, len: all, portion: all, before });
            });
            launch(segments, &|| {
                raw::lists(SortLists {
                    len,
                    key_bytes: size_of::<W>() as u32,
                    tile,
                    segments: at.get(),
                    tiles,
                    bounds: bounds_at.get().cast(),
                    before: counts_at.get(),
                    next: next_at.get(),
                    next_of_tiles: next_tiles.get(),
                    leaves: leaves_at.get(),
                    counters: counters_at.get(),
                });
            });
            launch(tiles, &|| {
                raw::scatter::<W, I, PLACES>(SortScatter {
                    input: from.get(),
                    len,
                    coding: coding_in,
                    segments: at.get(),
                    segments_len: segments,
                    of_tiles: tiles_at.get(),
                    ids: ids_at.get(),
                    before: counts_at.get(),
                    out: to.get(),
                    indices: of_from.get(),
                    indices_out: of_to.get(),
                    index_bytes: bytes,
                });
            });
        }
        assert!(
            counters[0] <= most_segments(len, tile) && counters[1] <= most_tiles(len, tile),
            "{counters:?}"
        );
        assert!(counters[2] <= most_leaves(len, tile), "{counters:?}");
        if counters[2] > 0 {
            finish(to, codes::UNSIGNED, of_to, leaves_at, counters[2]);
        }
        levels += 1;
        (segments, tiles) = (counters[0], counters[1]);
    }
    Sorted { elements: out, indices: widened(indices_out, bytes_out), levels }
}

/// A pointer that is sent to other threads.
#[derive(Clone, Copy)]
struct At<T>(*mut T);
// SAFETY: the launches that use it write to separate places, as the kernels' contracts say.
unsafe impl<T> Sync for At<T> {}
impl<T> At<T> {
    fn get(self) -> *mut T {
        self.0
    }
}

/// Indices of `bytes` bytes each, in 8.
fn widened(indices: Vec<u64>, bytes: u32) -> Vec<u64> {
    match bytes {
        0 => Vec::new(),
        4 => bytemuck::cast_slice::<u64, u32>(&indices)[..indices.len()].iter().map(|&i| i.into()).collect(),
        _ => indices,
    }
}

/// Sorts elements in both orders, with tiles of 256 `I` keys, and returns the greater number of levels.
fn check<T: TotalOrder, const I: usize, const PLACES: usize>(
    x: &[T],
    code: u32,
    with: Indices,
    what: &str,
) -> usize
where
    T::Rank: Key,
{
    let plain: Vec<T::Rank> = bytemuck::cast_slice::<T, T::Rank>(x).to_vec();
    let mut levels = 0;
    for (descending, order) in [(0, Order::Shuffled(3)), (codes::DESCENDING, Order::Reversed)] {
        let what = format!("{what}, {} keys, {with:?}, {descending}", x.len());
        let mut indices: Vec<u64> = (0..x.len() as u64).collect();
        let rank = |i: &u64| x[*i as usize].rank();
        match descending {
            0 => indices.sort_by_key(rank),
            _ => indices.sort_by_key(|i| !rank(i)),
        }
        let expected: Vec<T::Rank> = indices.iter().map(|&i| plain[i as usize]).collect();
        let found = sort::<T::Rank, I, PLACES>(&plain, code + descending, with, order);
        assert!(found.elements == expected, "{what}");
        if with != Indices::None {
            assert!(found.indices == indices, "{what}, indices");
        }
        levels = levels.max(found.levels);
    }
    levels
}

/// Keys that a sample misses: it has only large keys, and nearly all others are small.
fn killer(n: u64, tile: u64) -> Vec<u32> {
    let mut x: Vec<u32> = (0..n).map(|i| mix(i) as u32 % 5_000).collect();
    for number in 0..tile as u32 {
        x[sample_place(number, tile, 0, n) as usize] = u32::MAX - number;
    }
    x
}

#[test]
fn sizes_around_a_tile() {
    for n in [1, 2, 33, 255, 256, 257, 700, 2_048] {
        let x: Vec<u32> = (0..n).map(|i| (mix(i) as u32 % 300) << 20).collect();
        let levels = check::<u32, 1, 256>(&x, codes::UNSIGNED, Indices::Word(8), "around a tile");
        assert_eq!(levels > 0, n > 256);
    }
}

#[test]
fn sorted_reversed_equal_organ_pipes_and_killers() {
    const N: u64 = 6_001;
    let inputs: [(&str, &dyn Fn(u64) -> u64); 6] = [
        ("sorted", &|i| i << 16),
        ("reversed", &|i| N - i),
        ("equal", &|_| 3),
        ("greatest", &|_| u32::MAX.into()),
        ("two values", &|i| (mix(i) % 2) * u64::from(u32::MAX)),
        ("organ pipe", &|i| i.min(N - i)),
    ];
    for (name, at) in inputs {
        let x: Vec<u32> = (0..N).map(|i| at(i) as u32).collect();
        let with = if name == "sorted" { Indices::None } else { Indices::Word(4) };
        let levels = check::<u32, 2, 512>(&x, codes::UNSIGNED, with, name);
        assert!((1..=2).contains(&levels), "{name}: {levels} levels");
    }
    // Many equal keys that are found late, in an order that is not that of their bits.
    let x: Vec<i32> =
        killer(N, 256).iter().zip(0..).map(|(&x, i)| x as i32 - i32::from(i % 2 == 0) * 9_000).collect();
    check::<i32, 1, 256>(&x, codes::SIGNED, Indices::Word(4), "signed killer");
    let x: Vec<i32> = x.iter().map(|&x| if x < 0 { -7 } else { x }).collect();
    check::<i32, 1, 256>(&x, codes::SIGNED, Indices::Word(4), "signed killer with equal keys");
    // The keys that the first level's sample misses are split evenly, until 5,000 values have separate bounds.
    let levels = check::<u32, 1, 256>(&killer(N, 256), codes::UNSIGNED, Indices::Word(8), "killer");
    assert!((3..=7).contains(&levels), "killer: {levels} levels");
}

/// The greatest key in many places, all missed by the first level's sample: there is no bound above it.
#[test]
fn the_greatest_key_is_found_late() {
    const N: u64 = 20_001;
    let other = |i: u64| mix(i ^ 1) as u32 >> 1;
    let mut x: Vec<u32> =
        (0..N).map(|i| if mix(i).is_multiple_of(20) { u32::MAX } else { other(i) }).collect();
    for number in 0..256 {
        let place = sample_place(number, 256, 0, N);
        x[place as usize] = other(place);
    }
    let levels = check::<u32, 1, 256>(&x, codes::UNSIGNED, Indices::Word(4), "the greatest");
    assert!((1..=3).contains(&levels), "{levels} levels");
    let x: Vec<u128> =
        x.iter().map(|&x| if x == u32::MAX { u128::MAX } else { u128::from(x) << 90 }).collect();
    let levels = check::<u128, 1, 256>(&x, codes::UNSIGNED, Indices::None, "the greatest");
    assert!((1..=3).contains(&levels), "{levels} levels");
}

#[test]
fn every_size_of_a_key() {
    let random = |n: u64| (0..n).map(|i| mix(i) ^ (mix(i ^ 99) << 7));
    let with = Indices::Long;
    let x: Vec<i8> = random(1_500).map(|x| x as i8).collect();
    check::<i8, 1, 256>(&x, codes::SIGNED, with, "i8");
    let x: Vec<f16> = random(1_500).map(|x| f16::from_bits(x as u16)).collect();
    check::<f16, 1, 256>(&x, codes::FLOAT, with, "f16");
    let x: Vec<f32> = random(3_000).map(|x| f32::from_bits(x as u32)).collect();
    check::<f32, 2, 512>(&x, codes::FLOAT, with, "f32");
    let x: Vec<f64> = random(1_500).map(f64::from_bits).collect();
    check::<f64, 1, 256>(&x, codes::FLOAT, with, "f64");
    let x: Vec<i128> = random(1_500).map(|x| i128::from(x as i64) << 60 | i128::from(x)).collect();
    check::<i128, 1, 256>(&x, codes::SIGNED, with, "i128");
}

/// Values of 16 bits from all over, and longer floats with and without a sign, whose NaNs differ.
#[test]
fn floats_whose_nans_are_greatest() {
    let all = (0..=u16::MAX).step_by(29).map(|i| i.wrapping_mul(40_503));
    let x: Vec<f16> = all.clone().map(f16::from_bits).collect();
    check::<NanGreatest<f16>, 2, 512>(
        NanGreatest::wrap_slice(&x),
        codes::nan_greatest(10),
        Indices::Word(4),
        "f16",
    );
    let x: Vec<bf16> = all.map(bf16::from_bits).collect();
    check::<NanGreatest<bf16>, 2, 512>(
        NanGreatest::wrap_slice(&x),
        codes::nan_greatest(7),
        Indices::Word(4),
        "bf16",
    );
    // Half of them are NaN.
    let nan = |i: u64, nan: u64| if i.is_multiple_of(2) { mix(i) | nan } else { mix(i) };
    let x: Vec<f32> = (0..1_500).map(|i| f32::from_bits(nan(i, 0x7f80_0000) as u32)).collect();
    check::<NanGreatest<f32>, 2, 512>(
        NanGreatest::wrap_slice(&x),
        codes::nan_greatest(23),
        Indices::Word(4),
        "f32",
    );
    let x: Vec<f64> = (0..700).map(|i| f64::from_bits(nan(i, 0x7ff << 52))).collect();
    check::<NanGreatest<f64>, 1, 256>(
        NanGreatest::wrap_slice(&x),
        codes::nan_greatest(52),
        Indices::Word(4),
        "f64",
    );
}

/// Keys that differ only in their lowest bits, among others far away: the highest bits do not tell their order.
#[test]
fn long_keys_that_differ_in_low_bits() {
    let x: Vec<u64> = (0..1_500).map(|i| ((mix(i) % 3) << 61) + mix(i ^ 5) % 100).collect();
    check::<u64, 1, 256>(&x, codes::UNSIGNED, Indices::None, "low bits");
    let x: Vec<i128> = x.iter().map(|&x| i128::from(x as i64) << 50).collect();
    check::<i128, 1, 256>(&x[..700], codes::SIGNED, Indices::Word(8), "low bits");
}

/// The shipped shape for 4 bytes.
#[test]
fn whole_tiles() {
    let x: Vec<u32> = (0..9_001).map(|i| mix(i) as u32).collect();
    check::<u32, 16, 4096>(&x, codes::UNSIGNED, Indices::None, "whole tiles");
}
