//! The kernels that scan segments, under the emulator: each segment's outputs are those of the reference's scan of that segment
//! alone, whatever stands beside it and wherever it begins.
#![allow(missing_docs)]

use std::marker::PhantomData;

use bytemuck::Pod;
use cuda_std::emulator::Order;
use gpu_kernels::scan::{Kind, tree};
use gpu_kernels::{Affine, Compose, Element, Op, Storable, Sum, f16};
use test_kernels::Ordered;
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

use launches::{Kernels, Lie, list};

mod launches;

mod kernels {
    gpu_kernels::stamp_scan_kernels! {
        sum_f32: gpu_kernels::Sum, f32;
        sum_u8: gpu_kernels::Sum, u8;
        sum_f16: gpu_kernels::Sum, gpu_kernels::f16;
        ordered_u32: test_kernels::Ordered, u32;
        compose_u64: gpu_kernels::Compose, gpu_kernels::Affine<u64>;
        wide: crate::Wide, [u64; 8];
        longer: crate::Longer, [u32; 17];
        twelve: crate::Spread<[u32; 3]>, [u32; 3];
        three: crate::Spread<[u8; 3]>, [u8; 3];
        narrower: crate::Spread<u8>, u64;
        wider: crate::Spread<[u64; 3]>, u32;
    }
}

macro_rules! kernels {
    ($row:ident) => {
        Kernels {
            segments: kernels::$row::segments,
            short: kernels::$row::short_segments,
            op: Default::default(),
        }
    };
}

/// Offsets of segments of these lengths, from `first` on.
fn offsets(first: usize, lens: &[usize]) -> Vec<u64> {
    let mut at = first as u64;
    let ends = lens.iter().map(|&len| {
        at += len as u64;
        at
    });
    [first as u64].into_iter().chain(ends).collect()
}

/// Segments of all kinds beside each other: from nothing and from a value, in all places and by all types of offsets.
fn every_length<T: Element + Sample, O: Op<T, Out: Storable<Stored: Bits>> + Default>(
    kernels: &Kernels<T, O>,
    lies: [Lie; 2],
) {
    every_mix(kernels, |len| samples::<T>(Special, 91, len as u64), lies);
}

/// The same of elements that `x` makes so many of.
fn every_mix<T: Element, O: Op<T, Out: Storable<Stored: Bits>> + Default>(
    kernels: &Kernels<T, O>,
    x: impl Fn(usize) -> Vec<T>,
    lies: [Lie; 2],
) {
    let (run, row, tile) = (tree::run_len::<T>(), tree::row_len::<T>(), tree::tile_len::<T>());
    let mixes: [&[usize]; 4] = [
        // Several side by side, of one run and of some, with gaps of none and of what is no row of several.
        &[
            0,
            1,
            2,
            3,
            0,
            0,
            run - 1,
            run,
            run + 1,
            5 * run,
            1,
            31 * run,
            run + 1,
            0,
            row,
            7,
            row + 1,
            2,
            16 * run,
            17 * run,
            3,
            row - 1,
            1,
            1,
            0,
            2 * run + 1,
            3,
            29 * run,
            row,
            row,
            4,
            0,
            1,
            1,
            9,
        ],
        // By warps and by blocks in turn.
        &[tile, 1, tile + 1, 0, row + 3, tile - 1, 5, 2 * tile, 2 * row, 1],
        &[3 * tile + run + 1, 3 * row - 1, 1],
        &[0, 0, 1],
    ];
    let most = 3 + mixes.iter().map(|lens| lens.iter().sum::<usize>()).max().unwrap() + 5;
    let x = x(most);
    let init = O::default().lift(x[1], 3);
    let [first, second] = lies;
    for (i, lens) in mixes.into_iter().enumerate() {
        let offsets = offsets(3 - i, lens);
        let order = [Order::InOrder, Order::Interleaved(5), Order::Reversed, Order::Shuffled(6)][i];
        let of_all = (Kind::Inclusive, O::IDENTITY, 0);
        let batch = [5, 0, 2, 1][i];
        let end = offsets[lens.len()] as usize + i;
        if i % 2 == 0 {
            kernels.check::<u32>(&x[..end], &offsets, of_all, (first, order, batch));
            kernels.check::<i64>(&x[..end], &offsets, (Kind::Exclusive, init, 1), (second, order, 3));
        } else {
            kernels.check::<i32>(&x[..end], &offsets, (Kind::Inclusive, init, 1), (second, order, batch));
            kernels.check::<u64>(
                &x[..end],
                &offsets,
                (Kind::Exclusive, O::IDENTITY, 0),
                (first, order, batch),
            );
        }
    }
}

#[test]
fn elements_of_four_bytes() {
    every_length::<f32, Sum>(&kernels!(sum_f32), [Lie::Beyond, Lie::InPlace]);
    every_length::<u32, Ordered>(&kernels!(ordered_u32), [Lie::Aligned, Lie::Beyond]);
}

#[test]
fn elements_of_other_sizes() {
    every_length::<u8, Sum>(&kernels!(sum_u8), [Lie::Beyond, Lie::Aligned]);
    every_length::<f16, Sum>(&kernels!(sum_f16), [Lie::InPlace, Lie::Beyond]);
    every_length::<Affine<u64>, Compose>(&kernels!(compose_u64), [Lie::InPlace, Lie::Aligned]);
}

/// A hash of the tree over elements of any bytes, spread over outputs of any bytes.
#[derive(Clone, Copy, Default)]
struct Spread<S>(PhantomData<S>);

impl<T: Element + Pod, S: Pod + Default + Send + Sync> Op<T> for Spread<S> {
    type Acc = u64;
    type Out = S;
    const IDENTITY: u64 = 0;
    fn lift(self, x: T, index: u64) -> u64 {
        let of_bytes = |hash: u32, &byte: &u8| hash.wrapping_mul(31).wrapping_add(byte.into());
        Ordered::default().lift(bytemuck::bytes_of(&x).iter().fold(1, of_bytes), index)
    }
    fn combine(left: u64, right: u64) -> u64 {
        Ordered::combine(left, right)
    }
    fn finish(acc: u64, len: u64) -> S {
        let mut out = S::zeroed();
        for (i, byte) in bytemuck::bytes_of_mut(&mut out).iter_mut().enumerate() {
            *byte = (acc.rotate_left(7 * i as u32) >> 56) as u8 ^ len as u8;
        }
        out
    }
}

/// Elements of bytes that make no words, or no vectors, and outputs that are narrower and wider than they are.
#[test]
fn odd_sizes() {
    let words = |len: usize| samples::<u64>(Ordinary, 94, len as u64);
    let low = |x: u64| x as u32;
    every_mix(
        &kernels!(twelve),
        |len| words(len).into_iter().map(|x| [low(x), low(x >> 9), low(x >> 32)]).collect(),
        [Lie::InPlace, Lie::Beyond],
    );
    every_mix(
        &kernels!(three),
        |len| words(len).into_iter().map(|x| [x as u8, (x >> 8) as u8, (x >> 16) as u8]).collect(),
        [Lie::Beyond, Lie::InPlace],
    );
    every_mix(&kernels!(narrower), words, [Lie::Aligned, Lie::Beyond]);
    every_mix(&kernels!(wider), |len| words(len).into_iter().map(low).collect(), [Lie::Beyond, Lie::Aligned]);
}

/// A hash of the tree over elements of 64 bytes, of which a run has one: so few elements make a group.
#[derive(Clone, Copy, Default)]
struct Wide;

impl Op<[u64; 8]> for Wide {
    type Acc = u64;
    type Out = u64;
    const IDENTITY: u64 = 0;
    fn lift(self, x: [u64; 8], index: u64) -> u64 {
        Ordered::default().lift(x[0] as u32, index)
    }
    fn combine(left: u64, right: u64) -> u64 {
        Ordered::combine(left, right)
    }
    fn finish(acc: u64, _len: u64) -> u64 {
        acc
    }
}

/// The same over elements that are too long to be exchanged, with outputs as long.
#[derive(Clone, Copy, Default)]
struct Longer;

impl Op<[u32; 17]> for Longer {
    type Acc = u64;
    type Out = [u64; 9];
    const IDENTITY: u64 = 0;
    fn lift(self, x: [u32; 17], index: u64) -> u64 {
        Ordered::default().lift(x[16], index)
    }
    fn combine(left: u64, right: u64) -> u64 {
        Ordered::combine(left, right)
    }
    fn finish(acc: u64, _len: u64) -> [u64; 9] {
        [acc; 9]
    }
}

/// Segments of several groups of tiles, and of a few tiles, whose posts lie beside each other.
#[test]
fn more_than_a_group() {
    let (tile, group) = (tree::tile_len::<[u64; 8]>(), tree::group_len::<[u64; 8]>());
    let lens = [2 * tile, 3, group + 9 * tile + 5, tile + 1, 17 * tile, 40, group + 1, 2 * tile + 1];
    let n = lens.iter().sum::<usize>() as u64;
    let x: Vec<[u64; 8]> = samples::<u64>(Ordinary, 92, n).into_iter().map(|x| [x; 8]).collect();
    let wanted = (Kind::Inclusive, Wide.lift(x[7], 3), 1);
    let shape = (Lie::Aligned, Order::Interleaved(3), 1);
    kernels!(wide).check::<u64>(&x, &offsets(0, &lens), wanted, shape);
}

/// Elements and outputs that no exchange has room for.
#[test]
fn very_long_elements() {
    let (row, tile) = (tree::row_len::<[u32; 17]>(), tree::tile_len::<[u32; 17]>());
    let lens = [1, row - 1, 3, row + 1, tile + 7, 2];
    let n = lens.iter().sum::<usize>() as u64;
    let x: Vec<[u32; 17]> = samples::<u32>(Ordinary, 93, n).into_iter().map(|x| [x; 17]).collect();
    let kernels = kernels!(longer);
    kernels.check::<u32>(&x, &offsets(0, &lens), (Kind::Exclusive, 0, 0), (Lie::Beyond, Order::Reversed, 2));
}

/// Wrong offsets are counted, nothing is written beyond the lists, and then nothing is scanned.
#[test]
fn wrong_offsets_are_counted() {
    let wrong = |offsets: &[i32]| list::<f32, i32>(offsets, 100_000, Order::InOrder);
    assert_eq!(wrong(&[0, 5, 100_000]).counters.wrong, 0);
    assert_eq!(wrong(&[0, 5, 4, 10]).counters.wrong, 1);
    assert_eq!(wrong(&[-1, 5, 100_001]).counters.wrong, 2);
    let listed = wrong(&[0, 100_000, 0, 100_000, 0, 100_000, i32::MIN, 100_000]);
    assert_eq!((listed.counters.wrong, listed.counters.long), (4, 3));
    assert!(listed.offsets.iter().all(|&at| at <= 100_000), "{:?}", listed.offsets);
    let unsigned = list::<f32, u32>(&[0, u32::MAX], 100_000, Order::InOrder);
    assert_eq!(unsigned.counters.wrong, 1);
}
