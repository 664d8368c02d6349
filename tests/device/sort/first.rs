//! The first elements of parts: by a warp for each part, by a block, or by blocks for slices.

use bytemuck::AnyBitPattern;
use gpu_kernels::select::parts::shapes::PART_THREADS;
use test_kernels::mix;
use warpfold::Order::{Ascending, Descending};
use warpfold::elements::SortKey;
use warpfold::{Cpu, Error, NanGreatest, Order, bf16, f16, rows, segments};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Sample, cuda, on_gpu_or_emulated, samples, sizes, takes_case};

use crate::parts::{Parts, check_first};

/// Rows of f32 in orders that are hard for a bound: each element may be better than all before it, or as good as all.
fn orders(len: usize) -> [(&'static str, Vec<f32>); 5] {
    let of = |f: fn(u64) -> f32| (0..2 * len as u64).map(f).collect();
    [
        ("ascending", of(|i| i as f32)),
        ("descending", of(|i| -(i as f32))),
        ("equal", of(|_| 1.0)),
        ("of two values", of(|i| (mix(i) % 2) as f32)),
        ("of many equals", of(|i| (mix(i) % 30 / 29) as f32 * (mix(i) % 7) as f32)),
    ]
}

#[test]
fn rows_of_every_length_and_alignment() {
    let lens = sizes::up_to::<f32>(300).into_iter().filter(|&n| n > 0).map(|n| n as usize);
    for (case, len) in (0..).zip(lens.chain([511, 512, 513, 1025, 4099, 10_000, 17_000])) {
        if !takes_case(case) && len < 500 {
            continue;
        }
        let count = on_gpu_or_emulated(100_000 / len, 2000 / len).clamp(2, 6000) + 1;
        let x = samples::<f32>(Special, 81 + case, (len * count) as u64);
        let order = if case.is_multiple_of(2) { Ascending } else { Descending };
        for k in [1, 2, 8, 32, 33, 50, len / 4, len, len + 1] {
            check_first(&x, &Parts::Rows([count, len]), k, order, &format!("rows of {len}"));
        }
    }
}

#[test]
fn every_order_of_every_length() {
    for len in [90, 255, 512, 3000, on_gpu_or_emulated(300_001, 33_000)] {
        for (name, x) in orders(len) {
            for k in [1, 20, 300, 2048].into_iter().filter(|k| 2 * k < len) {
                for order in [Ascending, Descending] {
                    check_first(&x, &Parts::Rows([2, len]), k, order, &format!("rows of {len}, {name}"));
                }
            }
        }
    }
}

/// The first bound is guessed from a sample; if that has all the best elements, too few are within the bound.
#[test]
fn a_wrong_guess_is_seen() {
    // So few that no part is cut, and more than a block loads at once.
    let (len, threads) = (16_000_u64, u64::from(PART_THREADS));
    for threads in [threads, 32] {
        let mut x: Vec<f32> = (0..len).map(|i| -((mix(i) % 100_000) as f32)).collect();
        for thread in 0..threads {
            x[(thread * (len / 4) / threads * 4) as usize] = 1000.0 + thread as f32;
        }
        for k in [30, 100, 600] {
            check_first(&x, &Parts::Rows([1, len as usize]), k, Descending, "a sample of the best");
        }
        check_first(&x[..2000], &Parts::Rows([4, 500]), 30, Descending, "a sample of the best, by warps");
    }
}

/// Rows for a warp each, of several tiles, which takes many of them.
#[test]
fn many_rows() {
    let count = on_gpu_or_emulated(5000, 132);
    let len = on_gpu_or_emulated(4001, 1001);
    let x = samples::<f32>(Ordinary, 83, (count * len) as u64);
    for k in [1, 8, 32] {
        check_first(&x, &Parts::Rows([count, len]), k, Descending, "many rows");
    }
}

fn every_way<T: SortKey + AnyBitPattern + Sample>(case: u64) {
    if !takes_case(case) {
        return;
    }
    let order = if case.is_multiple_of(2) { Ascending } else { Descending };
    let slices = (1 << 16) / size_of::<T>().min(4) + 7;
    for (count, len) in [(7, 100), (3, 1500), (2, slices)] {
        let x = samples::<T>(Special, 91 + case, (count * len) as u64);
        for k in [3, 20, 40, len / 10] {
            check_first(&x, &Parts::Rows([count, len]), k, order, "every key");
        }
    }
}

#[test]
fn every_key() {
    every_way::<f32>(0);
    every_way::<u8>(1);
    every_way::<i16>(2);
    every_way::<u64>(3);
    every_way::<f16>(4);
    every_way::<f64>(5);
    every_way::<i32>(6);
    every_way::<bf16>(7);
    every_way::<i8>(8);
    every_way::<u16>(9);
    every_way::<i64>(10);
    every_way::<u32>(11);
    every_way::<i128>(12);
}

fn nans(n: u64) -> Vec<f32> {
    let bits = |i: u64| mix(i) | if i.is_multiple_of(3) { 0x7f80_0000 } else { 0 };
    (0..n).map(|i| if i % 5 == 0 { -0.0 } else { f32::from_bits(bits(i) as u32) }).collect()
}

#[test]
fn nans_and_zeros() {
    let x = nans(3 * 5000);
    for order in [Ascending, Descending] {
        for (count, len) in [(3, 5000), (30, 300)] {
            let (x, parts) = (&x[..count * len], Parts::Rows([count, len]));
            check_first(x, &parts, 25, order, "total order");
            check_first(NanGreatest::wrap_slice(x), &parts, 25, order, "NaN greatest");
        }
    }
}

/// Segments with one that is cut into slices, and tiny ones, at every alignment.
#[test]
fn a_giant_among_tiny_segments() {
    let lens = [9, 33, 8, 270, 65_537 + 70_000, 11, 8, 65_536, 4000, 17, 65_537, 1000, 12];
    let mut offsets = vec![5_u64];
    offsets.extend(lens.iter().scan(5, |end, len| {
        *end += len;
        Some(*end)
    }));
    let x = samples::<f32>(Special, 84, offsets[offsets.len() - 1] + 3);
    let whole = Parts::segments(offsets.clone());
    for (k, order) in [(1, Descending), (8, Ascending), (9, Ascending)] {
        check_first(&x, &whole, k, order, "a giant among tiny segments");
    }
    let long = Parts::segments(vec![1, 65_540, 65_540 + 140_001]);
    for k in [40, 2048, 2049] {
        check_first(&x, &long, k, Descending, "long segments");
    }
    let ties: Vec<u8> = (0..x.len() as u64).map(|i| mix(i) as u8).collect();
    check_first(&ties, &long, 700, Ascending, "long segments with many equals");
}

/// Writes to the caller's memory, without a wait for rows.
#[test]
fn the_first_on_a_stream() {
    let stream = cuda().stream().unwrap();
    let (count, len, k) = (5, 3001, 40);
    let x = samples::<f32>(Ordinary, 85, count as u64 * len as u64);
    let on_device = cuda().upload(&x).unwrap();
    let offsets: Vec<u64> = (0..=count as u64).map(|row| row * len as u64).collect();
    let on_offsets = cuda().upload(&offsets).unwrap();
    let right = |order: Order| match order {
        Ascending => Cpu::new().bottom_k(rows(&x, [count, len]), k).unwrap(),
        Descending => Cpu::new().top_k(rows(&x, [count, len]), k).unwrap(),
    };
    let mut values = cuda().values::<f32>(count * k).unwrap();
    let mut indices = cuda().values::<u64>(count * k).unwrap();
    for (turn, order) in [Descending, Ascending, Descending].into_iter().enumerate() {
        match (turn, order) {
            (2, _) => stream.top_k_into(segments(&on_device, &on_offsets), k, &mut values, &mut indices),
            (_, Descending) => {
                stream.top_k_into(rows(&on_device, [count, len]), k, &mut values, &mut indices)
            }
            _ => stream.bottom_k_into(rows(&on_device, [count, len]), k, &mut values, &mut indices),
        }
        .unwrap();
        let right = right(order);
        assert!(values.to_vec().unwrap().into_iter().eq(right.iter().map(|at| at.value)), "{turn}");
        assert!(indices.to_vec().unwrap().into_iter().eq(right.iter().map(|at| at.index)), "{turn}");
    }
    let mut few = cuda().values::<u64>(count * k - 1).unwrap();
    let refused = stream.top_k_into(rows(&on_device, [count, len]), k, &mut values, &mut few);
    assert!(refused.is_err(), "{refused:?}");
    let mut more = cuda().values::<u64>(count * (len + 1)).unwrap();
    let mut more_values = cuda().values::<f32>(count * (len + 1)).unwrap();
    let refused = stream.top_k_into(rows(&on_device, [count, len]), len + 1, &mut more_values, &mut more);
    assert!(matches!(refused, Err(Error::PartTooShort { part: 0, .. })), "{refused:?}");
}

/// Each kernel on little, by the size of a word: see `sanitize_reduce`.
#[test]
fn sanitize_first() {
    every_way::<u32>(0);
    every_way::<u64>(0);
    let long = Parts::segments(vec![1, 65_540, 65_560]);
    check_first(&samples::<u8>(Special, 86, 65_570), &long, 7, Descending, "segments");
}
