//! The kernels that sort by digits, under the emulator, launch by launch as the host has it: against the standard
//! library's stable sort.
#![allow(missing_docs)]

use std::ptr::null_mut;

use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::{RadixDigits, RadixPass, RadixStarts};
use gpu_kernels::radix::entry::raw;
use gpu_kernels::radix::shapes::{
    COUNT_THREADS, DIGITS, STARTS_THREADS, counts_len, pass_items, pass_tile, pass_warps, states_len,
};
use gpu_kernels::radix::{NoValue, Value};
use gpu_kernels::sort::Key;
use gpu_kernels::sort::shapes::codes;
use gpu_kernels::{NanGreatest, TotalOrder, bf16, f16};
use test_kernels::mix;

/// A pointer that goes to other threads.
#[derive(Clone, Copy)]
struct At<T>(*mut T);
// SAFETY: the launches that use it write places of their own, as the kernels' contracts say.
unsafe impl<T> Sync for At<T> {}
impl<T> At<T> {
    fn of(all: &mut [T]) -> Self {
        Self(all.as_mut_ptr())
    }
    fn get(self) -> *mut T {
        self.0
    }
}

/// What goes with the keys, and what comes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Beside {
    Nothing,
    /// Values of their own.
    Values,
    /// The places of the keys, as values.
    Places,
    /// As numbers of 8 bytes, without the keys.
    Wide,
}

/// What is sorted in how many launches a pass, and in which order blocks run.
#[derive(Clone, Copy)]
struct How {
    coding: u32,
    beside: Beside,
    portions: u64,
    order: Order,
}

/// Sorts elements, each of 32 `WARPS` threads with `I`, and gives them, what is beside them as numbers, and how many
/// passes moved any.
fn sort<W: Key, V: Value, const I: usize, const WARPS: usize, const TILE: usize>(
    x: &mut [W],
    values: &mut [V],
    How { coding, beside, portions, order }: How,
) -> (Vec<W>, Vec<u64>, u32) {
    let (len, bytes) = (x.len() as u64, size_of::<W>());
    let launch = |blocks: u64, threads: u32, kernel: &(dyn Fn() + Sync)| {
        let ran = Launch::new(blocks as u32, threads).order(order).run(kernel);
        ran.unwrap_or_else(|misuse| panic!("{order:?}, {len} keys: {misuse}"));
    };
    let (mut out, mut spare) = (vec![W::zeroed(); x.len()], vec![W::zeroed(); x.len()]);
    let (mut values_out, mut values_spare) = (vec![V::zeroed(); x.len()], vec![V::zeroed(); x.len()]);
    let mut wide = vec![0_u64; x.len()];
    let (mut counts, mut route) = (vec![0_u64; counts_len(bytes) as usize], [0_u64]);
    let mut starts = vec![0_u64; bytes * DIGITS];
    let portion = len.div_ceil(portions).next_multiple_of(TILE as u64);
    let state_words = states_len(portion.div_ceil(TILE as u64));
    // Nobody clears the second half before it is used.
    let mut states = vec![0_u32; 2 * state_words as usize];
    states[state_words as usize..].fill(7);
    let mut next_starts = vec![0_u64; portions as usize * DIGITS];
    let (x_at, counts_at, starts_at, route_at) =
        (At::of(x), At::of(&mut counts), At::of(&mut starts), At::of(&mut route));
    let keys = [At::of(&mut out), At::of(&mut spare)];
    let values_to = [At::of(&mut values_out), At::of(&mut values_spare)];
    let values_at = if beside == Beside::Values { At::of(values) } else { At(null_mut()) };
    let wide_at = if beside == Beside::Wide { At::of(&mut wide) } else { At(null_mut()) };
    let (states_at, next_at) = (At::of(&mut states), At::of(&mut next_starts));
    let (part, keep_keys) = (len.div_ceil(3), u32::from(beside != Beside::Wide));
    // SAFETY: all have as many elements as the shape says, and live as long as the launches, which follow each other.
    unsafe {
        launch(3, COUNT_THREADS, &|| {
            let (input, counts) = (x_at.get(), counts_at.get());
            raw::digits::<W, 4>(RadixDigits { input, len, portion: part, coding, counts });
        });
        launch(bytes as u64, STARTS_THREADS, &|| {
            let (counts, starts, route) = (counts_at.get(), starts_at.get(), route_at.get());
            raw::starts(RadixStarts { counts, len, starts, route });
        });
        for pass in 0..bytes {
            let mut starts = At(starts_at.get().add(pass * DIGITS));
            for (number, first) in (0..len).step_by(portion as usize).enumerate() {
                let count = portion.min(len - first);
                let next = At(next_at.get().add(number * DIGITS));
                let is_last = first + count == len;
                launch(count.div_ceil(TILE as u64), WARPS as u32 * 32, &|| {
                    raw::pass::<W, V, I, WARPS, TILE>(RadixPass {
                        input: x_at.get(),
                        out: keys[0].get(),
                        spare: keys[1].get(),
                        values: values_at.get(),
                        values_out: values_to[0].get(),
                        values_spare: values_to[1].get(),
                        places_out: wide_at.get(),
                        keep_keys,
                        len,
                        first,
                        count,
                        coding,
                        pass: pass as u32,
                        portion: number as u32,
                        portions: len.div_ceil(portion) as u32,
                        route: route_at.get(),
                        starts: starts.get(),
                        next_starts: if is_last { null_mut() } else { next.get() },
                        states: states_at.get(),
                        state_words,
                    });
                });
                starts = next;
            }
        }
    }
    let beside =
        if beside == Beside::Wide { wide } else { values_out.iter().map(|value| value.place()).collect() };
    let is_moved = route[0] >> 8 == 0;
    (out, beside, if is_moved { (route[0] as u32).count_ones() } else { 0 })
}

/// Sorts elements both ways with all that may go with them, and gives the passes that moved any, ascending.
fn check<T: TotalOrder, const I: usize, const TILE: usize>(
    x: &[T],
    code: u32,
    portions: u64,
    what: &str,
) -> u32
where
    T::Rank: Key,
{
    let mut plain: Vec<T::Rank> = bytemuck::cast_slice::<T, T::Rank>(x).to_vec();
    let mut passes = 0;
    for (descending, order) in [(codes::DESCENDING, Order::Reversed), (0, Order::Shuffled(3))] {
        let mut indices: Vec<u64> = (0..x.len() as u64).collect();
        let rank = |i: &u64| x[*i as usize].rank();
        match descending {
            0 => indices.sort_by_key(rank),
            _ => indices.sort_by_key(|i| !rank(i)),
        }
        let expected: Vec<T::Rank> = indices.iter().map(|&i| plain[i as usize]).collect();
        let value = |i: u64| mix(i ^ 5) as u32;
        let mut narrow: Vec<u32> = (0..x.len() as u64).map(value).collect();
        let mut long: Vec<u64> = narrow.iter().map(|&value| u64::from(value) << 9).collect();
        for beside in [Beside::Nothing, Beside::Values, Beside::Places, Beside::Wide] {
            let how = How { coding: code + descending, beside, portions, order };
            let what = format!("{what}, {} keys, {beside:?}, {descending}, {portions} portions", x.len());
            let expected_beside = |shift: u32| -> Vec<u64> {
                let of = |&i: &u64| if beside == Beside::Values { u64::from(value(i)) << shift } else { i };
                indices.iter().map(of).collect()
            };
            let has_keys = beside != Beside::Wide;
            if beside == Beside::Nothing {
                let (keys, _, moved) = sort::<T::Rank, NoValue, I, 8, TILE>(&mut plain, &mut [], how);
                assert!(keys == expected, "{what}");
                passes = moved;
                continue;
            }
            let (keys, beside, _) = sort::<T::Rank, u32, I, 8, TILE>(&mut plain, &mut narrow, how);
            assert!(!has_keys || keys == expected, "{what}, 4");
            assert!(beside == expected_beside(0), "{what}, values of 4");
            let (keys, beside, _) = sort::<T::Rank, u64, I, 8, TILE>(&mut plain, &mut long, how);
            assert!(!has_keys || keys == expected, "{what}, 8");
            assert!(beside == expected_beside(9), "{what}, values of 8");
        }
    }
    passes
}

#[test]
fn sizes_around_a_tile() {
    for n in [1, 2, 31, 33, 255, 256, 257, 700, 2_048] {
        let x: Vec<u32> = (0..n).map(|i| (mix(i) as u32 % 300) << 12).collect();
        check::<u32, 1, 256>(&x, codes::UNSIGNED, 1, "around a tile");
    }
}

#[test]
fn passes_of_digits_that_all_share_are_left_out() {
    const N: u64 = 1_501;
    let passes_of = |name: &str, expected: u32, key: &dyn Fn(u64) -> u64| {
        let x: Vec<u32> = (0..N).map(|i| key(i) as u32).collect();
        let passes = check::<u32, 1, 256>(&x, codes::UNSIGNED, 1, name);
        assert_eq!(passes, expected, "{name}");
    };
    passes_of("sorted", 0, &|i| i << 16);
    passes_of("reversed", 0, &|i| N - i);
    passes_of("equal", 0, &|_| 3);
    passes_of("reversed with equal ones", 2, &|i| (N - i) / 2);
    passes_of("two values", 1, &|i| (mix(i) % 2) << 8);
    passes_of("organ pipe", 2, &|i| i.min(N - i));
    passes_of("the second and the fourth byte", 2, &|i| mix(i) & 0xff00_ff00);
}

#[test]
fn every_size_of_a_key() {
    let random = |n: u64| (0..n).map(|i| mix(i) ^ (mix(i ^ 99) << 7));
    let x: Vec<u8> = random(1_500).map(|x| x as u8).collect();
    check::<u8, 1, 256>(&x, codes::UNSIGNED, 1, "u8");
    let x: Vec<i8> = random(1_500).map(|x| x as i8).collect();
    check::<i8, 2, 512>(&x, codes::SIGNED, 1, "i8");
    let x: Vec<f16> = random(1_500).map(|x| f16::from_bits(x as u16)).collect();
    check::<f16, 1, 256>(&x, codes::FLOAT, 1, "f16");
    let x: Vec<f32> = random(1_500).map(|x| f32::from_bits(x as u32)).collect();
    check::<f32, 2, 512>(&x, codes::FLOAT, 1, "f32");
    let x: Vec<f64> = random(700).map(f64::from_bits).collect();
    check::<f64, 1, 256>(&x, codes::FLOAT, 1, "f64");
    let x: Vec<i64> = random(700).map(|x| x as i64).collect();
    check::<i64, 1, 256>(&x, codes::SIGNED, 1, "i64");
}

/// Values of 16 bits from all over, and longer floats with and without a sign, whose NaNs differ.
#[test]
fn floats_whose_nans_are_greatest() {
    let all = (0..=u16::MAX).step_by(29).map(|i| i.wrapping_mul(40_503));
    let x: Vec<f16> = all.clone().map(f16::from_bits).collect();
    check::<NanGreatest<f16>, 2, 512>(NanGreatest::wrap_slice(&x), codes::nan_greatest(10), 1, "f16");
    let x: Vec<bf16> = all.map(bf16::from_bits).collect();
    check::<NanGreatest<bf16>, 2, 512>(NanGreatest::wrap_slice(&x), codes::nan_greatest(7), 1, "bf16");
    // Half of them are NaN.
    let nan = |i: u64, nan: u64| if i.is_multiple_of(2) { mix(i) | nan } else { mix(i) };
    let x: Vec<f32> = (0..1_500).map(|i| f32::from_bits(nan(i, 0x7f80_0000) as u32)).collect();
    check::<NanGreatest<f32>, 2, 512>(NanGreatest::wrap_slice(&x), codes::nan_greatest(23), 1, "f32");
    let x: Vec<f64> = (0..700).map(|i| f64::from_bits(nan(i, 0x7ff << 52))).collect();
    check::<NanGreatest<f64>, 1, 256>(NanGreatest::wrap_slice(&x), codes::nan_greatest(52), 1, "f64");
}

/// As of arrays that are too long for one launch.
#[test]
fn passes_of_several_launches() {
    let x: Vec<i32> = (0..2_900).map(|i| mix(i) as i32).collect();
    for portions in [2, 3] {
        check::<i32, 1, 256>(&x, codes::SIGNED, portions, "portions");
    }
    let x: Vec<u16> = (0..1_300).map(|i| mix(i) as u16 % 700).collect();
    check::<u16, 1, 256>(&x, codes::UNSIGNED, 3, "portions");
}

/// The shapes that are shipped.
#[test]
fn whole_tiles() {
    const ALONE: usize = pass_items(4, 0);
    const PAIRS: usize = pass_items(8, 8);
    let x: Vec<u32> = (0..pass_tile(4, 0) + 77).map(|i| mix(i) as u32).collect();
    let mut expected = x.clone();
    expected.sort_unstable();
    let how = |beside| How { coding: codes::UNSIGNED, beside, portions: 1, order: Order::Shuffled(5) };
    let (keys, ..) = sort::<u32, NoValue, ALONE, { pass_warps(4, 0) }, { pass_tile(4, 0) as usize }>(
        &mut x.clone(),
        &mut [],
        how(Beside::Nothing),
    );
    assert!(keys == expected);
    let x: Vec<u64> = (0..pass_tile(8, 8) + 77).map(|i| mix(i) >> 48).collect();
    let mut expected: Vec<u64> = (0..x.len() as u64).collect();
    expected.sort_by_key(|&i| x[i as usize]);
    let (_, places, moved) = sort::<u64, u64, PAIRS, { pass_warps(8, 8) }, { pass_tile(8, 8) as usize }>(
        &mut x.clone(),
        &mut [],
        how(Beside::Wide),
    );
    assert!(places == expected && moved == 2);
}
