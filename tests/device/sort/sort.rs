//! Sorts: the bits and the order of the CPU backend.

use bytemuck::AnyBitPattern;
use gpu_kernels::sort::shapes::{sample_place, sort_items, sort_tile};
use rayon::prelude::*;
use test_kernels::mix;
use warpfold::Order::{Ascending, Descending};
use warpfold::elements::{SortKey, TotalOrder};
use warpfold::{Cpu, Element, Error, NanGreatest, Order, bf16, f16};
use warpfold_tests::data::Family::{Special, SpecialOnly};
use warpfold_tests::{
    ORDERS, Sample, Sequence, cuda, is_emulated, on_gpu_or_emulated, samples, sizes, takes_case,
};

fn bytes<T: SortKey>(x: &[T]) -> &[u8] {
    bytemuck::cast_slice(x)
}

fn sorted<T: TotalOrder>(x: &[T], order: Order) -> Vec<T> {
    let mut sorted = x.to_vec();
    Cpu::new().sort(&mut sorted, order).unwrap();
    sorted
}

/// Keys alone.
fn check_keys<T: SortKey + AnyBitPattern>(x: &[T], order: Order, what: &str) {
    let on_device = cuda().upload(x).unwrap();
    let found = cuda().sort(&on_device, order).unwrap().to_vec().unwrap();
    assert!(bytes(&found) == bytes(&sorted(x, order)), "{what}, {} keys, {order:?}", x.len());
}

/// Keys alone, with values and as indices, in both orders.
fn check<T: SortKey + AnyBitPattern>(x: &[T], what: &str) {
    check_in(&[Ascending, Descending], x, what);
}

/// The same in these orders.
fn check_in<T: SortKey + AnyBitPattern>(orders: &[Order], x: &[T], what: &str) {
    let values: Vec<[u32; 3]> = (0..x.len() as u32).map(|i| [i, !i, 7]).collect();
    let (on_device, on_values) = (cuda().upload(x).unwrap(), cuda().upload(&values).unwrap());
    for &order in orders {
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

/// Both orders on a GPU; on the emulated device one, which the number of the case says.
fn orders_of(case: u64) -> &'static [Order] {
    let one = if case.is_multiple_of(2) { &[Ascending] } else { &[Descending] };
    on_gpu_or_emulated(&[Ascending, Descending][..], one)
}

fn every_size<T: SortKey + AnyBitPattern + Sample>(case: u64) {
    let x = samples::<T>(Special, 91, on_gpu_or_emulated(3_000_000, 7001));
    // One block sorts this many.
    let tile = sort_tile(sort_items(size_of::<T>())) as usize;
    let all = sizes::up_to::<T>(100_000).into_iter().map(|n| n as usize).collect();
    for (n, i) in on_gpu_or_emulated(all, vec![0, 1, 2, 33, 257]).into_iter().zip(case..) {
        check_in(orders_of(i), &x[..n], "every size");
    }
    if !takes_case(case) {
        return;
    }
    for n in [tile - 1, tile, tile + 1] {
        check_keys(&x[..n], Ascending, "around a tile");
    }
    check(&x, "long");
    check_in(orders_of(case), &samples::<T>(SpecialOnly, 92, on_gpu_or_emulated(200_000, 5000)), "special");
    // From any element on.
    let on_device = cuda().upload(&x).unwrap();
    let end = on_gpu_or_emulated(200_000, 5000);
    for first in [1, 3, 17] {
        let slice = on_device.slice(first..end).unwrap();
        let found = cuda().sort(slice, Ascending).unwrap().to_vec().unwrap();
        assert!(bytes(&found) == bytes(&sorted(&x[first..end], Ascending)), "from {first}");
    }
}

#[test]
fn floats_of_every_size() {
    every_size::<f16>(0);
    every_size::<bf16>(1);
    every_size::<f32>(2);
    every_size::<f64>(3);
}

#[test]
fn signed_integers_of_every_size() {
    every_size::<i8>(0);
    every_size::<i16>(1);
    every_size::<i32>(2);
    every_size::<i64>(3);
    every_size::<i128>(4);
}

#[test]
fn unsigned_integers_of_every_size() {
    every_size::<u8>(1);
    every_size::<u16>(2);
    every_size::<u32>(3);
    every_size::<u64>(4);
    every_size::<u128>(5);
}

/// Values of 16 bits from the whole range, and longer ones, half of them NaN; by themselves, and as floats that say so.
#[test]
fn floats_whose_nans_are_greatest() {
    let n = on_gpu_or_emulated(1_000_000, 5000);
    let bits = |seed: u64, nan: u64| -> Vec<u64> {
        let of = |i: u64| mix(i ^ seed) | if i.is_multiple_of(2) { nan } else { 0 };
        (0..n).map(of).collect()
    };
    let check_of = |case: u64, check: &dyn Fn()| {
        if takes_case(case) {
            check();
        }
    };
    check_of(0, &|| {
        let x: Vec<_> = bits(1, 0).into_iter().map(|x| NanGreatest(f16::from_bits(x as u16))).collect();
        check(&x, "NaN greatest");
    });
    check_of(1, &|| {
        let x: Vec<_> = bits(2, 0).into_iter().map(|x| NanGreatest(bf16::from_bits(x as u16))).collect();
        check(&x, "NaN greatest");
    });
    let x: Vec<f32> = bits(3, 0x7f80_0000).into_iter().map(|x| f32::from_bits(x as u32)).collect();
    check_of(2, &|| check(NanGreatest::wrap_slice(&x), "NaN greatest"));
    check_of(3, &|| {
        let x: Vec<_> = bits(4, 0x7ff << 52).into_iter().map(|x| NanGreatest(f64::from_bits(x))).collect();
        check(&x, "NaN greatest");
    });
    let on_device = cuda().upload(&x).unwrap();
    let found = cuda().sort(on_device.slice(1..).unwrap().nan_greatest(), Ascending).unwrap();
    let expected = sorted(NanGreatest::wrap_slice(&x[1..]), Ascending);
    assert!(bytes(&found.into_floats().to_vec().unwrap()) == bytes(&expected));
}

/// Booleans cannot be downloaded as keys, so they are tested by the values sorted with them.
#[test]
fn booleans() {
    let x: Vec<bool> = (0..on_gpu_or_emulated(100_003, 5003)).map(|i| mix(i).is_multiple_of(3)).collect();
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
    for n in [0_usize, 1, 4096, 4097, on_gpu_or_emulated(1_000_003, 10_003)] {
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

/// Values of other sizes than those that move with their keys, which go by the keys' indices; from any value on.
#[test]
fn values_of_every_size() {
    fn check_size<V: Element + AnyBitPattern + PartialEq>(value: impl Fn(u64) -> V) {
        let n = on_gpu_or_emulated(100_003, 5003);
        let keys: Vec<u16> = (0..n).map(|i| mix(i) as u16 % 999).collect();
        let values: Vec<V> = (0..=n).map(value).collect();
        let indices = Cpu::new().argsort(&keys, Ascending).unwrap();
        let (on_keys, on_values) = (cuda().upload(&keys).unwrap(), cuda().upload(&values).unwrap());
        for first in [0, 1] {
            let of = on_values.slice(first..first + keys.len()).unwrap();
            let (_, moved) = cuda().sort_pairs(&on_keys, of, Ascending).unwrap();
            let expected = indices.iter().map(|&i| values[first + i]);
            assert!(
                moved.to_vec().unwrap().into_iter().eq(expected),
                "{} bytes from {first}",
                size_of::<V>()
            );
        }
    }
    check_size(|i| mix(i) as u8);
    check_size(|i| [i as u8, mix(i) as u8, 7]);
    check_size(|i| [mix(i) as u16; 3]);
    // Aligned to 4 bytes, so they are not moved as words of 8.
    check_size(|i| [mix(i) as u32, i as u32]);
    check_size(|i| [i as u32, mix(i) as u32, 7]);
    check_size(u128::from);
    check_size(|i| [u128::from(i), u128::from(mix(i)), 7]);
}

/// Keys that are sorted level by level, and that the samples of the first level miss: the sampled ones are great, all others
/// small.
pub(crate) fn killer(n: u64) -> Vec<u128> {
    let mut x: Vec<u128> = (0..n).map(|i| u128::from(mix(i) % (1 << 20))).collect();
    let tile = sort_tile(sort_items(16));
    for number in 0..tile as u32 {
        x[sample_place(number, tile, 0, n) as usize] = u128::MAX - u128::from(number);
    }
    x
}

/// The greatest key in many places, all missed by the first level's sample: there is no bound above it.
pub(crate) fn greatest_found_late(n: u64) -> Vec<u128> {
    let other = |i: u64| u128::from(mix(i ^ 1)) << 60;
    let mut x: Vec<u128> =
        (0..n).map(|i| if mix(i).is_multiple_of(20) { u128::MAX } else { other(i) }).collect();
    let tile = sort_tile(sort_items(16));
    for number in 0..tile as u32 {
        let place = sample_place(number, tile, 0, n);
        x[place as usize] = other(place);
    }
    x
}

/// Inputs for which sorts by pivots are slow, with two and more levels, and inputs for which a sort by digits skips
/// passes.
#[test]
fn sorted_reversed_equal_organ_pipes_and_killers() {
    for n in on_gpu_or_emulated(&[300_001_u64, 20_000_003][..], &[5001]) {
        let others: [(_, Sequence); 3] = [
            ("greatest", |_, _| u64::MAX),
            ("the second and the fourth byte", |i, _| mix(i) & 0xff00_ff00),
            ("low bits", |i, _| ((mix(i) % 3) << 61) + mix(i ^ 5) % 100),
        ];
        for ((name, at), case) in ORDERS.into_iter().chain(others).zip(0..) {
            let x: Vec<u64> = (0..*n).map(|i| at(i, *n)).collect();
            let short: Vec<u32> = x.iter().map(|&x| x as u32).collect();
            // Multiples of any number are in the same order, and differ in the upper half.
            let long: Vec<u128> = x.iter().map(|&x| u128::from(x) * (1 << 60 | 1)).collect();
            if *n > 1 << 20 {
                check_keys(&short, Ascending, name);
                check_keys(&long, Ascending, name);
            } else if takes_case(case) {
                check_in(orders_of(case / 4), &short, name);
                check_in(orders_of(case / 4 + 1), &long, name);
            } else {
                check_keys(&short, Ascending, name);
                check_keys(&long, Descending, name);
            }
        }
    }
    let n = on_gpu_or_emulated(300_001, 6001);
    let killer = killer(n);
    check_in(orders_of(0), &killer, "killer");
    let signed: Vec<i128> = killer.iter().map(|&x| (x as i128) - (1 << 19)).collect();
    check_keys(&signed, Ascending, "killer of other samples");
    check_keys(&greatest_found_late(n), Ascending, "the greatest");
    check_keys(&greatest_found_late(n), Descending, "the greatest");
}

/// The size of the goals.
#[test]
fn two_to_the_26() {
    let n = on_gpu_or_emulated(1 << 26, 1 << 14);
    let x: Vec<u32> = (0..n).map(|i| mix(i) as u32).collect();
    check_keys(&x, Ascending, "random");
    if !is_emulated() {
        check(&x[..20_000_003], "random");
    }
    let x: Vec<u64> = (0..n + 1).map(mix).collect();
    check_keys(&x, Descending, "random");
    if !is_emulated() {
        check_keys(&killer(n), Ascending, "killer");
    }
}

#[test]
fn what_cannot_be_sorted_is_refused() {
    fn results<T: std::fmt::Debug>(refused: Result<T, Error>, of: (u64, u64)) {
        assert!(
            matches!(refused, Err(Error::Results { results, room }) if (results, room) == of),
            "{refused:?}"
        );
    }
    let lengths = |refused: Result<(), Error>| {
        assert!(matches!(refused, Err(Error::Lengths { left: 3, right: 1 })), "{refused:?}");
    };
    let (x, few) = (cuda().upload(&[3_i32, 1, 2]).unwrap(), cuda().upload(&[1_u8]).unwrap());
    lengths(cuda().sort_pairs(&x, &few, Ascending).map(drop));
    let none = x.slice(3..).unwrap();
    assert!(cuda().sort(none, Ascending).unwrap().is_empty());
    assert!(cuda().argsort(none, Ascending).unwrap().is_empty());

    let stream = cuda().stream().unwrap();
    let (mut out, mut other) = (cuda().values::<i32>(2).unwrap(), cuda().values::<u8>(1).unwrap());
    results(stream.sort_into(&x, &mut out, Ascending), (3, 2));
    lengths(stream.sort_pairs_into(&x, &few, &mut out, &mut other, Ascending));
    let (one, mut one_out) = (x.slice(1..2).unwrap(), cuda().values::<i32>(1).unwrap());
    let mut none = cuda().values::<u8>(0).unwrap();
    results(stream.sort_pairs_into(one, &few, &mut one_out, &mut none, Ascending), (1, 0));
    let mut indices = cuda().values::<u64>(2).unwrap();
    results(stream.argsort_into(&x, &mut indices, Ascending), (3, 2));

    let (mut out, mut indices) = (cuda().values::<i32>(3).unwrap(), cuda().values::<u64>(3).unwrap());
    let recorded = stream.capture(|stream| {
        let refused = [
            stream.sort_into(&x, &mut out, Ascending),
            stream.argsort_into(&x, &mut indices, Ascending),
            stream.sort_pairs_into(one, &few, &mut one_out, &mut other, Ascending),
        ];
        assert!(refused.iter().all(|refused| matches!(refused, Err(Error::Capturing { .. }))), "{refused:?}");
        Ok(())
    });
    // The graph records nothing of it.
    recorded.map(drop).unwrap();
    stream.sort_into(&x, &mut out, Ascending).unwrap();
    assert_eq!(out.to_vec().unwrap(), [1, 2, 3]);
}

/// More than 2^32 keys, if the device's memory allows. Indices of 8 bytes, which would fill it, are tested by
/// `host/tests/gpu_launches.rs` with few keys.
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
    let n = on_gpu_or_emulated(20_001, 3001);
    check_in(orders_of(0), &samples::<u8>(Special, 93, n), "short");
    check_in(orders_of(1), &samples::<bf16>(Special, 94, n), "short");
    check_in(orders_of(2), &samples::<f32>(Special, 95, n), "short");
    check_keys(&samples::<f32>(Special, 95, on_gpu_or_emulated(70_001, 20_001)), Ascending, "long");
    check_in(orders_of(3), &samples::<u64>(Special, 96, n), "short");
    check_in(orders_of(4), &samples::<i128>(Special, 97, n), "short");
}
