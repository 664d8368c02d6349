//! Sorts, on the emulated driver: each launch of each level gets the right arguments, and nothing is
//! freed too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use bytemuck::AnyBitPattern;
use emulated::{LEFT_NOTHING, leaves_nothing, with_emulated_and};
use warpfold::Order::{Ascending, Descending};
use warpfold::{Accumulator, Cpu, Cuda, Error, NanGreatest, Order, SortKey, TotalOrder};

fn mix(i: usize) -> u64 {
    (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
        >> 3
}

fn sorted<T: TotalOrder>(x: &[T], order: Order) -> Vec<T> {
    let mut sorted = x.to_vec();
    Cpu::new().sort(&mut sorted, order);
    sorted
}

fn check<T: SortKey + AnyBitPattern>(cuda: &Cuda, x: &[T]) {
    let cpu = Cpu::new();
    let bytes = |x: &[T]| bytemuck::cast_slice::<T, u8>(x).to_vec();
    let on = cuda.upload(x).expect("an upload");
    for order in [Ascending, Descending] {
        let what = format!("{} keys of {} bytes, {order:?}", x.len(), size_of::<T>());
        let sorted = sorted(x, order);
        let found = cuda.sort(on.as_slice(), order).expect("elements").to_vec().expect("a copy");
        assert!(bytes(&found) == bytes(&sorted), "{what}");
        let indices: Vec<u64> =
            cpu.argsort(x, order).expect("indices").into_iter().map(|i| i as u64).collect();
        let found = cuda.argsort(on.as_slice(), order).expect("indices").to_vec().expect("a copy");
        assert!(found == indices, "{what}, indices");
        let values: Vec<[u16; 3]> = (0..x.len()).map(|i| [i as u16, (i >> 16) as u16, 7]).collect();
        let on_values = cuda.upload(&values).expect("an upload");
        let (keys, moved) =
            cuda.sort_pairs(on.as_slice(), on_values.as_slice(), order).expect("pairs of arrays");
        assert!(bytes(&keys.to_vec().expect("a copy")) == bytes(&sorted), "{what}, pairs");
        let expected: Vec<[u16; 3]> = indices.iter().map(|&i| values[i as usize]).collect();
        assert!(moved.to_vec().expect("a copy") == expected, "{what}, values");
        // The values that are moved with their keys.
        let with = |values: &[u32]| -> Vec<u32> { indices.iter().map(|&i| values[i as usize]).collect() };
        let values: Vec<u32> = (0..=x.len()).map(|i| mix(i ^ 77) as u32).collect();
        let on_values = cuda.upload(&values).expect("an upload");
        let of = on_values.slice(..x.len()).expect("a slice");
        let (_, moved) = cuda.sort_pairs(on.as_slice(), of, order).expect("pairs of arrays");
        assert!(moved.to_vec().expect("a copy") == with(&values), "{what}, values of 4 bytes");
        let values: Vec<[u32; 2]> = values.iter().map(|&value| [value, !value]).collect();
        let on_values = cuda.upload(&values).expect("an upload");
        for first in [0, 1] {
            let of = on_values.slice(first..first + x.len()).expect("a slice");
            let (_, moved) = cuda.sort_pairs(on.as_slice(), of, order).expect("pairs of arrays");
            let expected: Vec<[u32; 2]> = indices.iter().map(|&i| values[first + i as usize]).collect();
            assert!(moved.to_vec().expect("a copy") == expected, "{what}, values of 8 bytes");
        }
    }
}

fn into_values<T: SortKey + Accumulator>(cuda: &Cuda, x: &[T]) {
    let (stream, cpu) = (cuda.stream().expect("a stream"), Cpu::new());
    let values: Vec<[u16; 3]> = (0..x.len()).map(|i| [i as u16, (i >> 16) as u16, 7]).collect();
    let (on, on_values) = (cuda.upload(x).expect("an upload"), cuda.upload(&values).expect("an upload"));
    let mut out = cuda.values::<T>(x.len()).expect("room");
    stream.sort_into(on.as_slice(), &mut out, Descending).expect("a sort");
    let mut indices = cuda.values::<u64>(x.len()).expect("room");
    stream.argsort_into(on.as_slice(), &mut indices, Descending).expect("a sort");
    let (mut keys, mut moved) =
        (cuda.values::<T>(x.len()).expect("room"), cuda.values::<[u16; 3]>(x.len()).expect("room"));
    let pairs = (on.as_slice(), on_values.as_slice());
    stream.sort_pairs_into(pairs.0, pairs.1, &mut keys, &mut moved, Descending).expect("a sort");
    // The stream keeps the arrays, since its last launches may be running.
    drop((on, on_values));
    let bytes = |x: &[T]| bytemuck::cast_slice::<T, u8>(x).to_vec();
    let sorted = bytes(&sorted(x, Descending));
    assert!(bytes(&out.to_vec().expect("elements")) == sorted);
    assert!(bytes(&keys.to_vec().expect("keys")) == sorted);
    let right = cpu.argsort(x, Descending).expect("indices");
    assert!(indices.to_vec().expect("indices").into_iter().eq(right.iter().map(|&i| i as u64)));
    assert!(moved.to_vec().expect("values").into_iter().eq(right.iter().map(|&i| values[i])));
}

#[test]
fn every_type() {
    leaves_nothing("every_type", || {
        let cuda = Cuda::open(0).expect("the device");
        let bits = |n: usize| (0..n).map(mix);
        check(&cuda, &bits(5_000).map(|x| x as u8).collect::<Vec<_>>());
        check(&cuda, &bits(9_000).map(|x| x as i16).collect::<Vec<_>>());
        check(&cuda, &bits(9_000).map(|x| warpfold::f16::from_bits(x as u16)).collect::<Vec<_>>());
        check(&cuda, &bits(9_000).map(|x| f32::from_bits(x as u32)).collect::<Vec<_>>());
        check(&cuda, &bits(9_000).map(|x| f64::from_bits(x << 2)).collect::<Vec<_>>());
        check(&cuda, &bits(5_000).map(|x| i128::from(x as i64) << 60).collect::<Vec<_>>());
        // Of which many are NaN.
        let nan = |x: u64, nan: u64| if x.is_multiple_of(2) { x | nan } else { x };
        check(
            &cuda,
            &bits(9_000).map(|x| NanGreatest(warpfold::f16::from_bits(x as u16))).collect::<Vec<_>>(),
        );
        check(
            &cuda,
            &bits(3_000).map(|x| NanGreatest(warpfold::bf16::from_bits(x as u16))).collect::<Vec<_>>(),
        );
        let x: Vec<f32> = bits(9_000).map(|x| f32::from_bits(nan(x, 0x7f80_0000) as u32)).collect();
        check(&cuda, NanGreatest::wrap_slice(&x));
        let x: Vec<f64> = bits(9_000).map(|x| f64::from_bits(nan(x << 2, 0x7ff << 52))).collect();
        check(&cuda, NanGreatest::wrap_slice(&x));
        let on = cuda.upload(&x).expect("an upload");
        let found = cuda.sort(on.slice(1..).expect("a slice").nan_greatest(), Ascending).expect("elements");
        let expected = sorted(NanGreatest::wrap_slice(&x[1..]), Ascending);
        let found = found.into_floats().to_vec().expect("a copy");
        assert!(found.iter().map(|x| x.to_bits()).eq(expected.iter().map(|x| x.0.to_bits())));
        into_values(&cuda, &bits(9_000).map(|x| x as i32).collect::<Vec<_>>());
        into_values(&cuda, &bits(77).map(|x| x as i32).collect::<Vec<_>>());
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// Some have more than two levels, which reuse the memory of the first.
#[test]
fn every_number_of_levels() {
    leaves_nothing("every_number_of_levels", || {
        let cuda = Cuda::open(0).expect("the device");
        check::<u32>(&cuda, &[7]);
        check(&cuda, &[3_u32; 20_000]);
        let few: Vec<u32> =
            (0..40_000).map(|i| if i % 100 == 0 { mix(i) as u32 } else { mix(i) as u32 % 9_000 }).collect();
        check(&cuda, &few);
        let signed: Vec<i32> = (0..60_000)
            .map(|i| if i % 1000 == 0 { mix(i) as i32 } else { -(mix(i) as i32 % 30_000) })
            .collect();
        check(&cuda, &signed);
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// One block sorts so few elements, from their place to the destination.
#[test]
fn short_sorts_on_a_stream_allocate_nothing() {
    let log = [("WARPFOLD_EMULATED_LOG", "1")];
    if let Some(output) = with_emulated_and("short_sorts_on_a_stream_allocate_nothing", &log) {
        let text = String::from_utf8_lossy(&output.stderr);
        let (_, sorts) = text.split_once("sorts begin").expect("a beginning");
        let (sorts, _) = sorts.split_once("sorts end").expect("an end");
        assert_eq!(sorts.matches("emulated driver: allocates").count(), 0, "{sorts}");
        assert!(text.contains(LEFT_NOTHING), "{text}");
        return;
    }
    let cuda = Cuda::open(0).expect("the device");
    let stream = cuda.stream().expect("a stream");
    let x: Vec<u32> = (0..4096).map(|i| mix(i) as u32).collect();
    let on = cuda.upload(&x).expect("an upload");
    let (mut out, mut indices) = (cuda.values::<u32>(4096).expect("room"), cuda.values(4096).expect("room"));
    eprintln!("sorts begin");
    for _ in 0..3 {
        stream.sort_into(on.as_slice(), &mut out, Ascending).expect("a sort");
        stream.argsort_into(on.as_slice(), &mut indices, Ascending).expect("a sort");
    }
    eprintln!("sorts end");
    assert!(out.to_vec().expect("elements") == sorted(&x, Ascending));
    assert!(indices.to_vec().expect("indices").into_iter().map(|i: u64| x[i as usize]).is_sorted());
}

#[test]
fn what_cannot_be_sorted_is_refused() {
    leaves_nothing("what_cannot_be_sorted_is_refused", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, few) = (cuda.upload(&[3_i32, 1, 2]).expect("x"), cuda.upload(&[1_u8]).expect("values"));
        let refused = cuda.sort_pairs(x.as_slice(), few.as_slice(), Ascending);
        assert!(matches!(refused, Err(Error::Lengths { left: 3, right: 1 })), "{refused:?}");
        let none = x.slice(3..).expect("a slice");
        assert!(cuda.sort(none, Ascending).expect("none").is_empty());
        assert!(cuda.argsort(none, Ascending).expect("none").is_empty());

        let stream = cuda.stream().expect("a stream");
        let mut out = cuda.values::<i32>(2).expect("room");
        let refused = stream.sort_into(x.as_slice(), &mut out, Ascending);
        assert!(matches!(refused, Err(Error::Results { .. })), "{refused:?}");
        let mut other = cuda.values::<u8>(1).expect("room");
        let refused = stream.sort_pairs_into(x.as_slice(), few.as_slice(), &mut out, &mut other, Ascending);
        assert!(matches!(refused, Err(Error::Lengths { left: 3, right: 1 })), "{refused:?}");
        let (one, mut one_out) = (x.slice(1..2).expect("a slice"), cuda.values::<i32>(1).expect("room"));
        let mut none = cuda.values::<u8>(0).expect("room");
        let refused = stream.sort_pairs_into(one, few.as_slice(), &mut one_out, &mut none, Ascending);
        assert!(matches!(refused, Err(Error::Results { results: 1, room: 0 })), "{refused:?}");
        let mut indices = cuda.values::<u64>(2).expect("room");
        let refused = stream.argsort_into(x.as_slice(), &mut indices, Ascending);
        assert!(matches!(refused, Err(Error::Results { .. })), "{refused:?}");
        let (mut out, mut indices) =
            (cuda.values::<i32>(3).expect("room"), cuda.values::<u64>(3).expect("room"));
        let recorded = stream.capture(|stream| {
            let refused = stream.sort_into(x.as_slice(), &mut out, Ascending);
            assert!(matches!(refused, Err(Error::Capturing { .. })), "{refused:?}");
            let refused = stream.argsort_into(x.as_slice(), &mut indices, Ascending);
            assert!(matches!(refused, Err(Error::Capturing { .. })), "{refused:?}");
            let refused = stream.sort_pairs_into(one, few.as_slice(), &mut one_out, &mut other, Ascending);
            assert!(matches!(refused, Err(Error::Capturing { .. })), "{refused:?}");
            Ok(())
        });
        // The graph records nothing of it, so there is none.
        recorded.map(drop).expect("the stream goes on");
        stream.sort_into(x.as_slice(), &mut out, Ascending).expect("outside of a graph");
        assert_eq!(out.to_vec().expect("sorted"), [1, 2, 3]);
    });
}
