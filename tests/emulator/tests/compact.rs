//! The kernels that compact, under the emulator: against a filter, in every order of blocks, and when all tiles
//! before one have posted only their own counts.
#![allow(missing_docs)]

use bytemuck::Pod;
use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::{Compact, CompactByFlags, Unique};
use gpu_kernels::compact::shapes::{COMPACT_THREADS, STATES_HEAD, compact_tile, states_len};
use gpu_kernels::word::Sixteen;
use gpu_kernels::word::entry;
use gpu_kernels::{Predicate, TotalOrder};
use test_kernels::mix;
use warpfold_tests::poison;

const ORDERS: [Order; 4] = [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)];

/// The selection, and its kernel.
#[derive(Clone, Copy)]
enum Select<'a, W: Copy> {
    /// By flags, which begin here.
    Flags(&'a [u8], unsafe fn(CompactByFlags<W>)),
    /// Words between these two, or those outside.
    Ranks(W, W, bool, unsafe fn(Compact<W>)),
}

/// The destination of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Count,
    Compact,
    Partition,
}

/// Runs one launch for the remaining tiles of `states`.
fn launch<W: Pod>(
    order: Order,
    tiles: usize,
    x: &[W],
    select: Select<'_, W>,
    out: *mut W,
    total: *const u64,
    count: &mut [u64; 1],
    states: &mut [u64],
) {
    let (input, len) = (x.as_ptr(), x.len() as u64);
    let (count, states) = (count.as_mut_ptr(), states.as_mut_ptr());
    let run = Launch::new(tiles as u32, COMPACT_THREADS).order(order);
    // SAFETY: all arrays live as long as the launch and have the lengths given.
    let ran = run.run(|| unsafe {
        match select {
            Select::Flags(flags, kernel) => {
                kernel(CompactByFlags { input, len, flags: flags.as_ptr(), out, total, count, states });
            }
            Select::Ranks(least, span, outside, kernel) => {
                let outside = outside.into();
                kernel(Compact { input, len, least, span, outside, out, total, count, states });
            }
        }
    });
    ran.unwrap_or_else(|misuse| panic!("{order:?}, {tiles} tiles: {misuse}"));
}

/// Runs every mode, and compares with the elements for which `is` holds.
fn check<W: Pod + PartialEq>(order: Order, x: &[W], select: Select<'_, W>, is: &dyn Fn(usize) -> bool) {
    let tiles = x.len().div_ceil(compact_tile(size_of::<W>()));
    let of = |wanted: bool| -> Vec<W> { (0..x.len()).filter(|&i| is(i) == wanted).map(|i| x[i]).collect() };
    let (selected, rejected) = (of(true), of(false));
    for mode in [Mode::Count, Mode::Compact, Mode::Partition] {
        let mut out = poison::<W>(x.len());
        let blank = out.clone();
        let mut count = [u64::MAX];
        let mut states = vec![0; states_len(tiles as u64) as usize];
        let to = if mode == Mode::Count { std::ptr::null_mut() } else { out.as_mut_ptr() };
        let total = selected.len() as u64;
        let of_all = if mode == Mode::Partition { &raw const total } else { std::ptr::null() };
        launch(order, tiles, x, select, to, of_all, &mut count, &mut states);
        let expected = match mode {
            Mode::Count => blank,
            Mode::Compact => [&selected[..], &blank[selected.len()..]].concat(),
            Mode::Partition => [&selected[..], &rejected].concat(),
        };
        let what =
            format!("{} of {} of {} bytes, {mode:?}, {order:?}", selected.len(), x.len(), size_of::<W>());
        assert_eq!(count[0], selected.len() as u64, "{what}");
        assert!(out == expected, "{what}");
    }
}

/// Lengths at which something changes for a tile of `tile` elements; the longest has more tiles than one step
/// of a look-back.
fn lengths(tile: usize) -> [usize; 7] {
    [1, 33, tile - 1, tile, tile + 1, 3 * tile + 77, 35 * tile + 1]
}

fn words<W: Pod>(n: usize) -> Vec<W> {
    let mut words = vec![W::zeroed(); n];
    for (byte, i) in bytemuck::cast_slice_mut::<W, u8>(&mut words).iter_mut().zip(0..) {
        *byte = mix(i) as u8;
    }
    words
}

macro_rules! by_flags {
    ($($name:ident: $row:ident, $word:ty;)*) => { $(
        #[test]
        fn $name() {
            let tile = compact_tile(size_of::<$word>());
            for (n, at) in lengths(tile).into_iter().zip(0..) {
                // The longest lengths run in the orders in which blocks wait for each other.
                let orders = if n > 4 * tile { &ORDERS[3..] } else { &ORDERS[at % 3..][..2] };
                for &order in orders {
                    let (x, share) = (words::<$word>(n + 1), [2, 3, 100][at % 3]);
                    let flags: Vec<u8> = (0..n as u64 + 16).map(|i| u8::from(mix(i ^ 7) % share != 1) << (i % 8)).collect();
                    let flags_at = flags.as_ptr().align_offset(16);
                    // With arrays at places where vectors may be, and at others.
                    for (skip, skip_flags) in [(0, flags_at), (1, flags_at), (0, (flags_at + 1) % 16)] {
                        if n > 4 * tile && (skip, skip_flags) != (0, flags_at) {
                            continue;
                        }
                        let (x, flags) = (&x[skip..n], &flags[skip_flags..][..n - skip]);
                        if !x.is_empty() {
                            let select = Select::Flags(flags, entry::$row::compact_by_flags);
                            check(order, x, select, &|i| flags[i] != 0);
                        }
                    }
                }
            }
        }
    )* };
}
by_flags! {
    bytes_by_flags: move_1, u8;
    words_of_4_by_flags: move_4, u32;
    words_of_16_by_flags: move_16, Sixteen;
}

/// Floats of every kind within two bounds, and those outside.
#[test]
fn floats_by_rank() {
    let n = 2 * compact_tile(4) + 99;
    let special =
        [f32::NAN, -f32::NAN, 0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, 1.0, -1.0].map(f32::to_bits);
    let x: Vec<u32> = words::<u32>(n)
        .iter()
        .zip(0..)
        .map(|(&x, i)| if mix(i).is_multiple_of(3) { special[x as usize % 8] } else { x })
        .collect();
    let within = warpfold::Within { ends: [-1.5, 1.0] };
    let least = (-1.5_f32).rank();
    let span = 1.0_f32.rank() - least;
    for (order, outside) in [(Order::InOrder, false), (Order::Interleaved(5), true)] {
        let select = Select::Ranks(least, span, outside, entry::floats_4::compact);
        check(order, &x, select, &|i| within.holds(f32::from_bits(x[i])) != outside);
    }
}

/// Signed integers below a threshold, counted from the least with wrap-around.
#[test]
fn integers_by_rank() {
    let x = words::<u64>(3 * compact_tile(8) + 5);
    let least = i64::MIN as u64;
    let select = Select::Ranks(least, 77_u64.wrapping_sub(least), false, entry::integers_8::compact);
    check(Order::Shuffled(1), &x, select, &|i| x[i] as i64 <= 77);
    let x = words::<u8>(compact_tile(1) + 5);
    let select = Select::Ranks(200, 100, true, entry::integers_1::compact);
    check(Order::Reversed, &x, select, &|i| x[i].wrapping_sub(200) > 100);
}

/// The first element of each run, with runs across vectors, warps and tiles.
#[test]
fn the_first_of_each_run() {
    for run in [1, 3, 100, 5000] {
        let x: Vec<u32> = (0..2 * compact_tile(4) as u64 + 99).map(|i| (mix(i / run) % 3) as u32).collect();
        for skip in [0, 1] {
            let x = &x[skip..];
            let (mut out, mut count) = (poison::<u32>(x.len()), [0_u64]);
            let mut states = vec![0; states_len(3) as usize];
            let arguments = Unique {
                input: x.as_ptr(),
                len: x.len() as u64,
                out: out.as_mut_ptr(),
                count: count.as_mut_ptr(),
                states: states.as_mut_ptr(),
            };
            // SAFETY: all arrays live as long as the launch and have the lengths given.
            let ran = Launch::new(3, COMPACT_THREADS).order(Order::Interleaved(6)).run(|| unsafe {
                entry::move_4::unique(arguments);
            });
            ran.unwrap_or_else(|misuse| panic!("runs of {run}: {misuse}"));
            let expected: Vec<u32> = x.chunk_by(|a, b| a == b).map(|run| run[0]).collect();
            assert_eq!(count[0], expected.len() as u64, "runs of {run} from {skip}");
            assert!(out[..expected.len()] == expected, "runs of {run} from {skip}");
        }
    }
}

/// The look-back of a tile passes many tiles that have posted only their own counts, to one that has posted the
/// total.
#[test]
fn a_look_back_over_several_windows() {
    let tile = compact_tile(16);
    for knows_all in [0, 3, 31, 32, 39, 69] {
        let tiles = 70;
        let x = words::<Sixteen>(tiles * tile + 9);
        let mut states = vec![0; states_len(tiles as u64 + 1) as usize];
        // As if 70 tiles had been taken, and tile i had posted that i + 1 elements are selected.
        states[0] = tiles as u64;
        for i in 0..tiles {
            let all = (0..=i as u64).map(|i| i + 1).sum::<u64>();
            let own = i as u64 + 1;
            states[STATES_HEAD as usize + i] = if i <= knows_all { all << 2 | 2 } else { own << 2 | 1 };
        }
        let flags = vec![1; x.len()];
        let (mut out, mut count) = (poison::<Sixteen>(x.len()), [0]);
        let select = Select::Flags(&flags, entry::move_16::compact_by_flags);
        let to = out.as_mut_ptr();
        launch(Order::InOrder, 1, &x, select, to, std::ptr::null(), &mut count, &mut states);
        let before = tiles * (tiles + 1) / 2;
        assert_eq!(count, [before as u64 + 9], "{knows_all}");
        assert!(out[before..before + 9] == x[tiles * tile..], "{knows_all}");
        assert_eq!(states[STATES_HEAD as usize + tiles], (before as u64 + 9) << 2 | 2);
    }
}
