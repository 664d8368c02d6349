//! Segments, runs of equal keys and groups: each has the bits of the reference of its elements alone.
#![cfg(first_half)]
#![allow(missing_docs)]

use std::sync::LazyLock;

use test_kernels::{Ordered, Strided, mix};
use warpfold::elements::IndexType;
use warpfold::{ArgMin, Cpu, Element, Error, Op, Sum, groups, reference, runs, segments, tree};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Bits, Sample, in_quarter, samples};

/// Backends with several numbers of threads, started once.
fn cpus() -> &'static [Cpu] {
    static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| with_threads(&[1, 2, 5]));
    &CPUS
}

fn assert_same<O: Bits>(found: &[O], expected: &[String], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let at = found.iter().zip(expected).position(|(found, expected)| found.bits() != *expected);
    assert_eq!(at.map(|at| (at, found[at].bits(), &expected[at])), None, "{what}: (result, found, expected)");
}

fn segments_agree<T, O, I>(x: &[T], offsets: &[I])
where
    T: Element,
    O: Op<T, Out: Bits + Send> + Default,
    I: IndexType + TryInto<usize>,
{
    let ends: Vec<usize> = offsets.iter().map(|&offset| offset.try_into().ok().unwrap()).collect();
    let alone = |ends: &[usize]| reference::reduce::<T, O>(&x[ends[0]..ends[1]]).bits();
    let expected: Vec<_> = ends.windows(2).map(alone).collect();
    for cpu in cpus() {
        let found = cpu.reduce(O::default(), segments(x, offsets)).unwrap();
        assert_same(&found, &expected, &format!("{} segments, {cpu:?}", expected.len()));
    }
}

/// Offsets of segments whose lengths are `len(0)`, `len(1)`, ... until `limit` elements are used.
fn offsets(limit: usize, len: impl Fn(u64) -> usize) -> Vec<usize> {
    let mut offsets = vec![0];
    for segment in 0.. {
        let end = offsets[offsets.len() - 1] + len(segment);
        if end > limit {
            return offsets;
        }
        offsets.push(end);
    }
    offsets
}

/// Lengths of every kind: empty, short, as long as a tile, and a few very long ones.
fn mixed(segment: u64) -> usize {
    let random = mix(segment) as usize;
    match random % 64 {
        0..8 => 0,
        8..50 => random / 64 % 12,
        50..60 => random / 64 % 300,
        60..63 => random / 64 % 6000,
        _ => random / 64 % 40_000,
    }
}

fn every_mix<T: Element + Sample, O: Op<T, Out: Bits + Send> + Default>() {
    let n = 600_000;
    let x = samples::<T>(Special, 1, n as u64);
    segments_agree::<T, O, usize>(&x, &offsets(n, mixed));
    segments_agree::<T, O, usize>(&x, &offsets(10_000, |segment| segment as usize % 5));
    // One longer than all others together, as first, middle and last.
    for long in [0, 1000, 1999] {
        segments_agree::<T, O, usize>(
            &x,
            &offsets(n, |s| {
                if s == long {
                    500_000
                } else if s < 2000 {
                    3
                } else {
                    n
                }
            }),
        );
    }
}

/// Few segments around the most elements and the most segments that are folded on the stack.
fn few_mixes<T: Element + Sample, O: Op<T, Out: Bits + Send> + Default>() {
    let x = samples::<T>(Special, 6, 5000);
    for count in [1, 2, 3, 4, 5, 10, 31, 32, 33] {
        for most in [1, 2, 5, 9, 10, 17, 33, 65, 128, 129, 140] {
            let mut offsets = vec![most];
            for segment in 0..count {
                offsets.push(offsets[segment] + mix((most * 100 + segment) as u64) as usize % (most + 1));
            }
            segments_agree::<T, O, usize>(&x, &offsets);
        }
    }
    for len in [127, 128, 129] {
        segments_agree::<T, O, usize>(&x, &[3, 3, 3 + len, 3 + len]);
    }
}

#[test]
fn few_segments_of_few_elements() {
    few_mixes::<f32, Sum>();
    few_mixes::<i32, Sum>();
    few_mixes::<f32, ArgMin>();
    few_mixes::<u32, Strided>();
    few_mixes::<u32, Ordered>();
}

#[test]
fn ragged_segments() {
    every_mix::<f32, Sum>();
    in_quarter!(0 => every_mix::<f32, ArgMin>());
    in_quarter!(2 => every_mix::<u32, Strided>());
    every_mix::<u32, Ordered>();
}

/// One that all threads fold together, among segments of 3.
#[test]
fn a_long_one_among_short_ones() {
    let x = samples::<f32>(Ordinary, 2, (1 << 21) + 30_000);
    segments_agree::<f32, Sum, u64>(
        &x,
        &offsets(x.len(), |s| {
            if s == 5000 {
                1 << 21
            } else if s < 10_000 {
                3
            } else {
                x.len()
            }
        })
        .into_iter()
        .map(|offset| offset as u64)
        .collect::<Vec<_>>(),
    );
}

#[test]
fn offsets_of_every_type() {
    let x = samples::<u32>(Ordinary, 3, 60_000);
    let all = offsets(60_000, mixed);
    segments_agree::<u32, Strided, _>(&x, &all.iter().map(|&offset| offset as i32).collect::<Vec<_>>());
    segments_agree::<u32, Strided, _>(&x, &all.iter().map(|&offset| offset as u32).collect::<Vec<_>>());
    segments_agree::<u32, Strided, _>(&x, &all.iter().map(|&offset| offset as i64).collect::<Vec<_>>());
    segments_agree::<u32, Strided, _>(&x, &all.iter().map(|&offset| offset as u64).collect::<Vec<_>>());
    // Not starting at the first element, not ending at the last.
    segments_agree::<u32, Strided, _>(&x, &[7_usize, 7, 5000, 5001, 59_000]);
}

/// A weighted sum with a weight for each index of the longest segment, and none beyond.
#[derive(Clone, Copy, Debug, Default)]
struct Weighted<const LONGEST: u64>;

impl<const LONGEST: u64> Op<f32> for Weighted<LONGEST> {
    type Acc = f32;
    type Out = f32;
    const IDENTITY: f32 = -0.0;
    const COMMUTATIVE: bool = true;
    fn lift(self, x: f32, index: u64) -> f32 {
        assert!(index < LONGEST, "there is no weight {index}");
        x * (index + 1) as f32
    }
    fn combine(left: f32, right: f32) -> f32 {
        left + right
    }
    fn finish(acc: f32, _: u64) -> f32 {
        acc
    }
}

fn asks_for_no_index_beyond<const LONGEST: u64>() {
    let x = samples::<f32>(Ordinary, 3, 40_000);
    let ends = (0..).scan(0, |end, segment| {
        *end += (mix(segment) % (LONGEST + 1)) as usize;
        Some(*end)
    });
    let offsets: Vec<usize> = ends.take(5000).take_while(|&end| end <= x.len()).collect();
    for cpu in cpus() {
        let found = cpu.reduce(Weighted::<LONGEST>, segments(&x, &offsets)).unwrap();
        for (found, ends) in found.iter().zip(offsets.windows(2)) {
            let expected = reference::reduce::<f32, Weighted<LONGEST>>(&x[ends[0]..ends[1]]);
            assert_eq!(found.to_bits(), expected.to_bits(), "{ends:?} of up to {LONGEST}, {cpu:?}");
        }
    }
}

/// Segments are folded side by side, as if all had a vector's number of elements; an operator must not see
/// indices beyond its segment.
#[test]
fn indices_end_with_the_segment() {
    asks_for_no_index_beyond::<5>();
    asks_for_no_index_beyond::<20>();
    asks_for_no_index_beyond::<31>();
    asks_for_no_index_beyond::<100>();
    asks_for_no_index_beyond::<300>();
}

#[test]
fn no_segments() {
    let x = [1.0_f32, 2.0];
    let none = [0.0_f32; 0];
    assert_eq!(Cpu::new().reduce(Sum, segments(&x, &[0; 0])).unwrap(), none);
    assert_eq!(Cpu::new().reduce(Sum, segments(&x, &[2])).unwrap(), none);
    assert_eq!(Cpu::new().reduce(ArgMin, segments(&[0.0_f32; 0], &[0; 70_000])).unwrap(), vec![None; 69_999]);
}

#[test]
fn wrong_offsets_are_refused() {
    let x = [1.0_f32; 10];
    let refused = |offsets: &[i64], parts: &[&str]| {
        let error = Cpu::new().reduce(Sum, segments(&x, offsets)).unwrap_err();
        assert!(matches!(error, Error::Offset { .. }), "{error:?}");
        let text = error.to_string();
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    refused(&[0, 5, 4, 10], &["offset 2 is 4", "the one before it is greater", "at most 10"]);
    refused(&[0, 5, 11], &["offset 2 is 11", "no such position"]);
    refused(&[-1, 5], &["offset 0 is -1", "no such position"]);
    refused(&[i64::MAX], &["offset 0 is 9223372036854775807"]);
    refused(&[3, 2], &["offset 1 is 2"]);
}

/// Several threads check this many offsets. The first wrong one is reported, also where a thread's part begins.
#[test]
fn many_offsets_are_checked_in_order() {
    let x = samples::<f32>(Ordinary, 9, 400_000);
    let right: Vec<u64> = (0..=400_000).collect();
    for cpu in cpus() {
        assert_eq!(cpu.reduce(Sum, segments(&x, &right)).unwrap(), x, "{cpu:?}");
        for wrong in [[65_536, 300_000], [65_537, 65_538], [399_999, 400_000]] {
            let mut offsets = right.clone();
            wrong.iter().for_each(|&at| offsets[at] = 7);
            let error = cpu.reduce(Sum, segments(&x, &offsets)).unwrap_err();
            assert!(matches!(error, Error::Offset { at, .. } if at == wrong[0]), "{error:?}, {cpu:?}");
        }
    }
}

#[test]
fn runs_of_equal_keys() {
    let x = samples::<u32>(Special, 4, 700_000);
    for run in [1, 7, 300, 5000, 800_000] {
        // The reference is slow for short runs.
        let x = if run == 1 { &x[..30_000] } else { &x[..] };
        let keys: Vec<u16> = (0..x.len() as u64).map(|i| (mix(i / run) % 3) as u16).collect();
        let pieces: Vec<&[u16]> = keys.chunk_by(|a, b| a == b).collect();
        let mut rest = x;
        let expected: Vec<_> = pieces
            .iter()
            .map(|run| reference::reduce::<u32, Ordered>(rest.split_off(..run.len()).unwrap()).bits())
            .collect();
        for cpu in cpus() {
            let (found, outs) = cpu.reduce(Ordered::default(), runs(&keys, x)).unwrap();
            assert!(found.iter().eq(pieces.iter().map(|run| &run[0])), "runs of {run}, {cpu:?}");
            assert_same(&outs, &expected, &format!("runs of {run}, {cpu:?}"));
        }
    }
}

#[test]
fn edges_of_keys() {
    let cpu = Cpu::new();
    assert_eq!(cpu.reduce(Sum, runs(&[0_u8; 0], &[0_i32; 0])).unwrap(), (vec![], vec![]));
    assert_eq!(cpu.reduce(Sum, runs(&['a'], &[5_i32])).unwrap(), (vec!['a'], vec![5]));
    let (keys, sums) = cpu.reduce(Sum, runs(&[f32::NAN, f32::NAN, 0.0, -0.0], &[1_i32, 2, 3, 4])).unwrap();
    assert_eq!((keys.len(), sums), (3, vec![1, 2, 7]));
    let error = cpu.reduce(Sum, runs(&['a'], &[5, 6])).unwrap_err();
    assert!(matches!(error, Error::Lengths { left: 1, right: 2 }), "{error:?}");
}

fn groups_agree<T, O, I>(ids: &[I], x: &[T], count: usize)
where
    T: Element,
    O: Op<T, Out: Bits + Send> + Default,
    I: IndexType + TryInto<usize>,
{
    let mut of = vec![Vec::new(); count];
    for (&id, &x) in ids.iter().zip(x) {
        of[id.try_into().ok().unwrap()].push(x);
    }
    let expected: Vec<_> = of.iter().map(|group| reference::reduce::<T, O>(group).bits()).collect();
    for cpu in cpus() {
        let found = cpu.reduce(O::default(), groups(ids, x, count)).unwrap();
        assert_same(&found, &expected, &format!("{count} groups, {cpu:?}"));
    }
}

fn every_grouping<T: Element + Sample, O: Op<T, Out: Bits + Send> + Default>() {
    let x = samples::<T>(Special, 5, 900_000);
    let random = |i: usize, groups: u64| mix(i as u64 ^ 0x5eed) % groups;
    for groups in [1, 10, 200, 600, 1000, 5000, 50_000] {
        let ids: Vec<u64> = (0..x.len()).map(|i| random(i, groups)).collect();
        groups_agree::<T, O, u64>(&ids, &x, groups as usize);
    }
    // Some groups are empty, and one has most elements.
    let ids: Vec<i32> =
        (0..x.len()).map(|i| if i % 50 == 0 { random(i, 700) as i32 * 2 } else { 77 }).collect();
    groups_agree::<T, O, i32>(&ids, &x, 1500);
    // A few elements per group, but one with as many as are folded without a tile, or more.
    for most in [1023, 1024, 1025, 5000] {
        let id =
            |i: usize| if i.is_multiple_of(20) && i / 20 < most { 9 } else { 10 + random(i, 4990) as u32 };
        let ids: Vec<u32> = (0..x.len()).map(id).collect();
        groups_agree::<T, O, u32>(&ids, &x, 5000);
    }
    // More groups than elements.
    let ids: Vec<u32> = (0..3000).map(|i| random(i, 20_000) as u32).collect();
    groups_agree::<T, O, u32>(&ids, &x[..3000], 20_000);
}

/// Few groups, some of them empty, around the most elements that are folded on the stack, and one group with most elements.
fn few_groupings<T: Element + Sample, O: Op<T, Out: Bits + Send> + Default>() {
    let x = samples::<T>(Special, 8, 80);
    for count in [1, 2, 3, 4, 9, 10, 15, 16, 17] {
        for len in (0..=20).chain([31, 32, 33, 63, 64, 65, 80]) {
            let random = |i: usize| mix((100 * len + i) as u64) as usize % count;
            let ids: Vec<usize> = (0..len).map(random).collect();
            groups_agree::<T, O, usize>(&ids, &x[..len], count);
            let ids: Vec<usize> = (0..len).map(|i| if i < 10 { count / 2 } else { random(i) }).collect();
            groups_agree::<T, O, usize>(&ids, &x[..len], count);
        }
    }
}

#[test]
fn few_groups_of_few_elements() {
    few_groupings::<f32, Sum>();
    few_groupings::<i32, Sum>();
    few_groupings::<f32, ArgMin>();
    few_groupings::<u32, Strided>();
    few_groupings::<u32, Ordered>();
}

#[test]
fn groups_in_the_order_of_their_elements() {
    every_grouping::<f32, Sum>();
    in_quarter!(1 => every_grouping::<f32, ArgMin>());
    in_quarter!(3 => every_grouping::<u32, Strided>());
    every_grouping::<u32, Ordered>();
}

/// Groups of each length up to 700, and around a tile's number of lanes, whose elements alternate.
#[test]
fn groups_of_every_length() {
    let lanes = tree::lanes::<f32>();
    let len = |group: usize| match group {
        2495..2500 => lanes + group - 2497,
        _ => group % 700,
    };
    let mut ids: Vec<u32> = (0..2500).flat_map(|group| vec![group as u32; len(group)]).collect();
    ids.sort_by_cached_key({
        let mut at = 0;
        move |_| {
            at += 1;
            mix(at)
        }
    });
    let x = samples::<f32>(Special, 7, ids.len() as u64);
    groups_agree::<f32, Sum, u32>(&ids, &x, 2500);
    let x = samples::<u32>(Ordinary, 7, ids.len() as u64);
    groups_agree::<u32, Strided, u32>(&ids, &x, 2500);
}

/// This many groups of an operator that takes any order are no longer kept in one table.
#[test]
fn very_many_groups() {
    let x = samples::<f32>(Special, 8, 700_000);
    let ids: Vec<u64> = (0..x.len()).map(|i| mix(i as u64 ^ 0xfee1) % 20_000 * 15).collect();
    groups_agree::<f32, ArgMin, u64>(&ids, &x, 300_000);
    groups_agree::<f32, Sum, u64>(&ids, &x, 300_000);
    // Few of them have most elements.
    let most = |i: usize| mix(i as u64 ^ 0xfee1) % if i.is_multiple_of(10) { 300_000 } else { 100 };
    let ids: Vec<u64> = (0..x.len()).map(most).collect();
    groups_agree::<f32, ArgMin, u64>(&ids, &x, 300_000);
}

/// Tiles grow with the length of a group: here in one group only.
#[test]
fn groups_of_longer_tiles() {
    let growth = (tree::MAX_TILES / 2 * tree::tile_len::<u32>(0)) as usize;
    let x = samples::<u32>(Ordinary, 6, growth as u64 + 300_000);
    let ids: Vec<u32> =
        (0..x.len()).map(|i| if i % 31 == 7 { 1 + (mix(i as u64) % 5) as u32 } else { 0 }).collect();
    assert!(ids.iter().filter(|&&id| id == 0).count() > growth);
    groups_agree::<u32, Strided, u32>(&ids, &x, 6);
}

#[test]
fn wrong_ids_are_refused() {
    let cpu = Cpu::new();
    let x = vec![1.0_f32; 1 << 20];
    let mut ids = vec![0_i32; 1 << 20];
    ids[700_000] = -3;
    ids[900_000] = 4;
    for cpu in cpus() {
        let error = cpu.reduce(Sum, groups(&ids, &x, 4)).unwrap_err();
        assert!(matches!(error, Error::Group { at: 700_000, group: -3, groups: 4 }), "{error:?}");
    }
    let error = cpu.reduce(Sum, groups(&[0, 4], &x[..2], 4)).unwrap_err();
    assert!(
        error.to_string().contains("element 1 is in group 4, but there are 4 groups, counted from 0"),
        "{error}"
    );
    let error = cpu.reduce(Sum, groups(&[0_u32], &x[..2], 4)).unwrap_err();
    assert!(matches!(error, Error::Lengths { left: 1, right: 2 }), "{error:?}");
    let error = cpu.reduce(Sum, groups(&[0_u32; 0], &x[..0], usize::MAX)).unwrap_err();
    assert!(matches!(error, Error::TooManyResults { .. }), "{error:?}");
    assert_eq!(cpu.reduce(Sum, groups(&[0_u32; 0], &[0_i32; 0], 3)).unwrap(), [0, 0, 0]);
    assert_eq!(cpu.reduce(Sum, groups(&[0_u32; 0], &[0_i32; 0], 0)).unwrap(), [0_i64; 0]);
    assert!(cpu.reduce(Ordered::default(), groups(&[0_u32; 0], &[0_u32; 0], 0)).unwrap().is_empty());
}
