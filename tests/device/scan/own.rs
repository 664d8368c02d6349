//! Operators of this crate's own, over elements and outputs of any number of bytes. They have kernels for the emulated device
//! alone: no PTX is compiled from tests.

use std::marker::PhantomData;

use bytemuck::Pod;
use gpu_kernels::Storable;
use test_kernels::{Ordered, mix};
use warpfold::kernels::ScanKernel;
use warpfold::scan_tree::tree;
use warpfold::{Element, Op, Scan, Texts, warpfold_ptx};
use warpfold_tests::{Bits, cuda, is_emulated, takes_case};

use crate::scan::{assert_same, on_cpu};
use crate::scan_segments::every_mix_of;

/// A hash of the tree over elements of any number of bytes, spread over outputs of any number of bytes.
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

/// Eight such hashes beside each other. A run has one of these elements, so few make a group.
#[derive(Clone, Copy, Default)]
struct Wide;

impl Op<[u64; 8]> for Wide {
    type Acc = [u64; 8];
    type Out = [u64; 8];
    const IDENTITY: [u64; 8] = [0; 8];
    fn lift(self, x: [u64; 8], index: u64) -> [u64; 8] {
        x.map(|x| Ordered::default().lift(x as u32, index))
    }
    fn combine(left: [u64; 8], right: [u64; 8]) -> [u64; 8] {
        std::array::from_fn(|i| Ordered::combine(left[i], right[i]))
    }
    fn finish(acc: [u64; 8], _len: u64) -> [u64; 8] {
        acc
    }
}

warpfold::ship_scan_kernels! {
    unsafe of Texts::Packed(warpfold_ptx::SCAN); // Which has none of them.
    own_four: Spread<u64>, u32;
    own_longer: Spread<[u64; 9]>, [u32; 17];
    own_narrower: Spread<u8>, u64;
    own_three: Spread<[u8; 3]>, [u8; 3];
    own_twelve: Spread<[u32; 3]>, [u32; 3];
    own_wide: Wide, [u64; 8];
    own_wider: Spread<[u64; 3]>, u32;
}

fn elements<T: Pod>(n: usize) -> Vec<T> {
    let mut x = vec![T::zeroed(); n];
    for (byte, i) in bytemuck::cast_slice_mut::<T, u8>(&mut x).iter_mut().zip(0..) {
        *byte = mix(i) as u8;
    }
    x
}

/// Arrays that end about quads, runs, rows and tiles, and segments of every kind in the turn of this case.
fn check<T, O>(case: u64)
where
    T: Element + Pod,
    O: ScanKernel<T> + Default + Op<T, Out: Storable<Stored: Bits> + Send>,
{
    if !is_emulated() {
        return; // There are no kernels for it.
    }
    let (run, row, tile) = (tree::run_len::<T>(), tree::row_len::<T>(), tree::tile_len::<T>());
    let x = elements::<T>(4 * tile + row + 7);
    let device = cuda().upload(&x).unwrap();
    let init = O::default().lift(x[5], 3);
    for (first, n) in [(0, 1), (1, run + 1), (0, row), (1, tile - 1), (0, tile + row + 3), (1, 3 * tile + 1)]
    {
        for scan in [Scan::inclusive(), Scan::exclusive().from(init, 1)] {
            let found = cuda().scan(O::default(), device.slice(first..first + n).unwrap(), scan).unwrap();
            let expected = on_cpu(O::default(), &x[first..first + n], scan);
            assert_same(&found.to_vec().unwrap(), &expected, &format!("{n} elements from {first}"));
        }
    }
    if takes_case(case) {
        every_mix_of::<T, O>(&x);
    }
}

#[test]
fn words() {
    check::<u32, Spread<u64>>(0);
}

/// Elements whose bytes make no words or no vectors, and outputs that are narrower and wider than the elements.
#[test]
fn odd_sizes() {
    check::<[u32; 3], Spread<[u32; 3]>>(0);
    check::<[u8; 3], Spread<[u8; 3]>>(1);
    check::<u64, Spread<u8>>(2);
    check::<u32, Spread<[u64; 3]>>(3);
}

/// Elements and outputs that are too large for the exchange.
#[test]
fn very_long_elements() {
    check::<[u32; 17], Spread<[u64; 9]>>(1);
}

/// The prefix of each group is passed from group to group, while blocks wait for each other: of arrays, and of segments beside
/// each other.
#[test]
fn more_than_a_group() {
    if !is_emulated() {
        return; // There are no kernels for it.
    }
    let (tile, group) = (tree::tile_len::<[u64; 8]>(), tree::group_len::<[u64; 8]>());
    let lens = [2 * tile, 3, group + 9 * tile + 5, tile + 1, 3 * tile, 40, group + 1, 2 * tile + 1];
    let mut offsets = vec![0];
    for len in lens {
        offsets.push(offsets[offsets.len() - 1] + len as u64);
    }
    let x = elements::<[u64; 8]>(lens.iter().sum());
    let device = cuda().upload(&x).unwrap();
    let n = group + 700;
    let found = cuda().scan(Wide, device.slice(..n).unwrap(), Scan::inclusive()).unwrap();
    assert_same(&found.to_vec().unwrap(), &on_cpu(Wide, &x[..n], Scan::inclusive()), "an array");
    let on_device = cuda().upload(&offsets).unwrap();
    let found = cuda().scan(Wide, warpfold::segments(&device, &on_device), Scan::inclusive()).unwrap();
    let expected = offsets.windows(2).flat_map(|ends| {
        let segment = &x[ends[0] as usize..ends[1] as usize];
        on_cpu(Wide, segment, Scan::inclusive())
    });
    assert_same(&found.to_vec().unwrap(), &expected.collect::<Vec<_>>(), "segments");
}

/// Outputs replace the elements that they are computed from.
#[test]
fn outputs_in_the_place_of_elements() {
    fn check_in_place<T, O>()
    where
        T: Pod + Send + Sync + Bits + Storable<Stored = T>,
        O: ScanKernel<T> + Default + Op<T, Out = T>,
    {
        let x = elements::<T>(3 * tree::tile_len::<T>() + 77);
        let ends = [2, x.len() as u64 / 2, x.len() as u64 - 3];
        let (device, offsets) = (cuda().upload(&x).unwrap(), cuda().upload(&ends).unwrap());
        let (stream, mut values) = (cuda().stream().unwrap(), cuda().values::<T>(x.len()).unwrap());
        let once = on_cpu(O::default(), &x, Scan::inclusive());
        let twice = on_cpu(O::default(), &once, Scan::inclusive());
        stream.scan_into(O::default(), &device, &mut values, Scan::inclusive()).unwrap();
        stream.scan(O::default(), &mut values, Scan::inclusive()).unwrap();
        assert_same(&values.to_vec().unwrap(), &twice, "an array");
        let mut expected = twice.clone();
        for ends in ends.windows(2) {
            let segment = ends[0] as usize..ends[1] as usize;
            let scanned = on_cpu(O::default(), &twice[segment.clone()], Scan::inclusive());
            expected[segment].copy_from_slice(&scanned);
        }
        stream.scan(O::default(), warpfold::segments(&mut values, &offsets), Scan::inclusive()).unwrap();
        assert_same(&values.to_vec().unwrap(), &expected, "segments");
    }
    if !is_emulated() {
        return; // There are no kernels for it.
    }
    check_in_place::<[u32; 3], Spread<[u32; 3]>>();
    check_in_place::<[u8; 3], Spread<[u8; 3]>>();
    check_in_place::<[u64; 8], Wide>();
}
