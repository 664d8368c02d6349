//! Sorts: the bits and the order of the CPU backend.

use bytemuck::AnyBitPattern;
use gpu_kernels::sort::shapes::{sample_place, sort_items, sort_tile};
use rayon::prelude::*;
use test_kernels::mix;
use warpfold::Order::{Ascending, Descending};
use warpfold::{Cpu, Element, Order, SortKey, TotalOrder, bf16, f16};
use warpfold_tests::data::Family::{Special, SpecialOnly};
use warpfold_tests::{ORDERS, Sample, Sequence, cuda, samples, sizes};

fn bytes<T: SortKey>(x: &[T]) -> &[u8] {
    bytemuck::cast_slice(x)
}

fn sorted<T: TotalOrder>(x: &[T], order: Order) -> Vec<T> {
    let mut sorted = x.to_vec();
    Cpu::new().sort(&mut sorted, order);
    sorted
}

/// Keys alone.
fn check_keys<T: SortKey + AnyBitPattern>(x: &[T], order: Order, what: &str) {
    let on_device = cuda().upload(x).unwrap();
    let found = cuda().sort(&on_device, order).unwrap().to_vec().unwrap();
    assert!(bytes(&found) == bytes(&sorted(x, order)), "{what}, {} keys, {order:?}", x.len());
}

/// Keys alone, with values and as indices.
fn check<T: SortKey + AnyBitPattern>(x: &[T], what: &str) {
    let values: Vec<[u32; 3]> = (0..x.len() as u32).map(|i| [i, !i, 7]).collect();
    let (on_device, on_values) = (cuda().upload(x).unwrap(), cuda().upload(&values).unwrap());
    for order in [Ascending, Descending] {
        let what = format!("{what}, {} keys of {} bytes, {order:?}", x.len(), size_of::<T>());
        let indices = Cpu::new().argsort(x, order).unwrap();
        let sorted: Vec<T> = indices.iter().map(|&i| x[i]).collect();
        let found = cuda().sort(&on_device, order).unwrap().to_vec().unwrap();
        assert!(bytes(&found) == bytes(&sorted), "{what}");
        let found = cuda().argsort(&on_device, order).unwrap().to_vec().unwrap();
        assert!(found.iter().zip(&indices).all(|(&found, &i)| found == i as u64), "{what}, indices");
        let (keys, moved) = cuda().sort_pairs(&on_device, &on_values, order).unwrap();
        assert!(bytes(&keys.to_vec().unwrap()) == bytes(&sorted), "{what}, pairs");
        let moved = moved.to_vec().unwrap();
        assert!(moved.iter().zip(&indices).all(|(value, &i)| *value == values[i]), "{what}, values");
        check_values(x, &indices, |i| mix(i) as u32, order, &what);
        check_values(x, &indices, mix, order, &what);
    }
}

/// Values that are moved with their keys.
fn check_values<T: SortKey + AnyBitPattern, V: Element + AnyBitPattern + PartialEq>(
    x: &[T],
    indices: &[usize],
    value: impl Fn(u64) -> V,
    order: Order,
    what: &str,
) {
    let values: Vec<V> = (0..x.len() as u64).map(value).collect();
    let (on_device, on_values) = (cuda().upload(x).unwrap(), cuda().upload(&values).unwrap());
    let (keys, moved) = cuda().sort_pairs(&on_device, &on_values, order).unwrap();
    let (keys, moved) = (keys.to_vec().unwrap(), moved.to_vec().unwrap());
    let is_in_order = |(key, &i): (&T, &usize)| bytes(std::slice::from_ref(key)) == bytes(&x[i..=i]);
    assert!(keys.iter().zip(indices).all(is_in_order), "{what}, keys beside {} bytes", size_of::<V>());
    assert!(
        moved.iter().zip(indices).all(|(value, &i)| *value == values[i]),
        "{what}, {} bytes",
        size_of::<V>()
    );
}

fn every_size<T: SortKey + AnyBitPattern + Sample>() {
    let x = samples::<T>(Special, 91, 3_000_000);
    for n in sizes::up_to::<T>(100_000) {
        check(&x[..n as usize], "every size");
    }
    check(&x, "long");
    check(&samples::<T>(SpecialOnly, 92, 200_000), "special");
    // From any element on.
    let on_device = cuda().upload(&x).unwrap();
    for first in [1, 3, 17] {
        let slice = on_device.slice(first..200_000).unwrap();
        let found = cuda().sort(slice, Ascending).unwrap().to_vec().unwrap();
        assert!(bytes(&found) == bytes(&sorted(&x[first..200_000], Ascending)), "from {first}");
    }
}

#[test]
fn floats_of_every_size() {
    every_size::<f16>();
    every_size::<bf16>();
    every_size::<f32>();
    every_size::<f64>();
}

#[test]
fn signed_integers_of_every_size() {
    every_size::<i8>();
    every_size::<i16>();
    every_size::<i32>();
    every_size::<i64>();
    every_size::<i128>();
}

#[test]
fn unsigned_integers_of_every_size() {
    every_size::<u8>();
    every_size::<u16>();
    every_size::<u32>();
    every_size::<u64>();
    every_size::<u128>();
}

/// Booleans cannot be downloaded as keys, so they are tested by the values sorted with them.
#[test]
fn booleans() {
    let x: Vec<bool> = (0..100_003).map(|i| mix(i).is_multiple_of(3)).collect();
    let as_bytes: Vec<u8> = x.iter().map(|&x| x.into()).collect();
    let (keys, values) = (cuda().upload(&x).unwrap(), cuda().upload(&as_bytes).unwrap());
    for order in [Ascending, Descending] {
        let indices = cuda().argsort(&keys, order).unwrap().to_vec().unwrap();
        assert!(indices.iter().map(|&i| i as usize).eq(Cpu::new().argsort(&x, order).unwrap()));
        let (_, values) = cuda().sort_pairs(&keys, &values, order).unwrap();
        assert!(values.to_vec().unwrap() == sorted(&as_bytes, order));
    }
}

/// Sorts on one stream into the caller's memory; each begins while the leaves of the previous one may be
/// running.
#[test]
fn on_a_stream() {
    let stream = cuda().stream().unwrap();
    for n in [0_usize, 1, 4096, 4097, 1_000_003] {
        let x: Vec<u32> = (0..n as u64).map(|i| mix(i / 3) as u32).collect();
        let values: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let (on_device, on_values) = (cuda().upload(&x).unwrap(), cuda().upload(&values).unwrap());
        let (mut sorted, mut keys) = (cuda().values::<u32>(n).unwrap(), cuda().values::<u32>(n).unwrap());
        let (mut moved, mut indices) = (cuda().values::<f64>(n).unwrap(), cuda().values::<u64>(n).unwrap());
        for order in [Ascending, Descending] {
            stream.sort_into(&on_device, &mut sorted, order).unwrap();
            stream.argsort_into(&on_device, &mut indices, order).unwrap();
            stream.sort_pairs_into(&on_device, &on_values, &mut keys, &mut moved, order).unwrap();
            let right = Cpu::new().argsort(&x, order).unwrap();
            let of = |i: &usize| x[*i];
            assert!(sorted.to_vec().unwrap().into_iter().eq(right.iter().map(of)), "{n} keys, {order:?}");
            assert!(keys.to_vec().unwrap().into_iter().eq(right.iter().map(of)), "{n} pairs, {order:?}");
            assert!(
                moved.to_vec().unwrap().into_iter().eq(right.iter().map(|&i| values[i])),
                "{n}, {order:?}"
            );
            assert!(
                indices.to_vec().unwrap().into_iter().eq(right.iter().map(|&i| i as u64)),
                "{n}, {order:?}"
            );
        }
    }
}

/// Keys that the samples of the first level miss: the sampled ones are great, all others small.
fn killer(n: u64) -> Vec<u32> {
    let mut x: Vec<u32> = (0..n).map(|i| mix(i) as u32 % (1 << 20)).collect();
    let tile = sort_tile(sort_items(4));
    for number in 0..tile as u32 {
        x[sample_place(number, tile, 0, n) as usize] = u32::MAX - number;
    }
    x
}

/// Inputs for which sorts by pivots are slow, with two and more levels.
#[test]
fn sorted_reversed_equal_organ_pipes_and_killers() {
    for n in [300_001_u64, 20_000_003] {
        let greatest: [(_, Sequence); 1] = [("greatest", |_, _| u32::MAX.into())];
        for (name, at) in ORDERS.into_iter().chain(greatest) {
            let x: Vec<u32> = (0..n).map(|i| at(i, n) as u32).collect();
            if n < 1 << 20 {
                check(&x, name);
            } else {
                check_keys(&x, Ascending, name);
            }
        }
    }
    let killer = killer(300_001);
    check(&killer, "killer");
    let floats: Vec<f32> = killer.iter().map(|&x| f32::from_bits(x)).collect();
    check(&floats, "killer of floats");
    let signed: Vec<i64> = killer.iter().map(|&x| i64::from(x) - (1 << 19)).collect();
    check(&signed, "killer of other samples");
}

/// The size of the goals.
#[test]
fn two_to_the_26() {
    let x: Vec<u32> = (0..1 << 26).map(|i| mix(i) as u32).collect();
    check_keys(&x, Ascending, "random");
    check(&x[..20_000_003], "random");
    check_keys(&killer(1 << 26), Ascending, "killer");
    let x: Vec<u64> = (0..(1 << 26) + 1).map(mix).collect();
    check_keys(&x, Descending, "random");
}

/// More than 2^32 keys, if the device's memory allows. Indices of 8 bytes, which would fill it, are tested
/// under the emulator with few keys.
#[test]
fn beyond_2_to_the_32() {
    let n = (1_usize << 32) + 7;
    if cuda().properties().memory_bytes < 60 << 30 {
        return;
    }
    let x: Vec<u8> = (0..n).into_par_iter().map(|i| mix(i as u64 / 3) as u8).collect();
    let count = |x: &[u8]| {
        let mut counts = vec![0_u64; 256];
        x.iter().for_each(|&x| counts[usize::from(x)] += 1);
        counts
    };
    let sum = |a: Vec<u64>, b: Vec<u64>| a.iter().zip(b).map(|(a, b)| a + b).collect();
    let counts = x.par_chunks(1 << 24).map(count).reduce(|| vec![0; 256], sum);
    let on_device = cuda().upload(&x).unwrap();
    let found = cuda().sort(&on_device, Ascending).unwrap().to_vec().unwrap();
    let mut first = 0;
    for (value, count) in counts.into_iter().enumerate() {
        let end = first + count as usize;
        assert!(found[first..end].par_iter().all(|&x| usize::from(x) == value), "{value}");
        first = end;
    }
    assert_eq!(first, found.len());
}

/// Every kernel that sorts, by key size: see `sanitize_reduce`.
#[test]
fn sanitize_sort() {
    check(&samples::<u8>(Special, 93, 20_001), "short");
    check(&samples::<bf16>(Special, 94, 20_001), "short");
    check(&samples::<f32>(Special, 95, 20_001), "short");
    check_keys(&samples::<f32>(Special, 95, 70_001), Ascending, "long");
    check(&samples::<u64>(Special, 96, 20_001), "short");
    check(&samples::<i128>(Special, 97, 20_001), "short");
}
