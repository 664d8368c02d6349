//! Counts whose right number is known.
#![cfg(feature = "emulator")]
#![expect(clippy::expect_used, reason = "a test may")]

use cuda_std::atomic::AtomicCells;
use cuda_std::emulator::{Counts, Launch, Order};
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::{thread, warp};

cuda_std::shared_bytes! {
    /// A word for each of 64 strides of up to 32 words.
    fn words: 8192
}

fn count(threads: u32, kernel: impl Fn()) -> Counts {
    let counts = [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)]
        .map(|order| Launch::new(1, threads).order(order).run(&kernel).expect("the kernel is correct"));
    assert!(counts.iter().all(|other| *other == counts[0]), "{counts:?}");
    counts[0]
}

/// Interleaved addressing with stride s is s-way conflicted, up to the 32 lanes.
#[test]
fn a_stride_repeats_a_request_that_often() {
    for stride in [1, 2, 3, 4, 8, 16, 31, 32, 33] {
        let counts = count(32, || {
            words().array::<u32, 2048>().write(thread::thread_idx_x() as usize * stride, 1);
        });
        let ways = match stride {
            1 | 3 | 31 | 33 => 1,
            even => even as u64,
        };
        assert_eq!((counts.shared_accesses, counts.shared_requests), (32, 1), "stride {stride}");
        assert_eq!(counts.bank_replays, ways - 1, "stride {stride}");
    }
}

#[test]
fn lanes_that_read_one_word_are_served_at_once() {
    let counts = count(64, || {
        let words = words().array::<u32, 64>();
        if thread::thread_idx_x() == 0 {
            words.write(7, 1);
        }
        thread::sync_threads();
        let _ = words.read(7);
    });
    assert_eq!((counts.shared_accesses, counts.shared_requests, counts.bank_replays), (65, 3, 0));
    assert_eq!(counts.barriers, 1);
}

#[test]
fn ways_that_part_are_matched_by_place() {
    let counts = count(32, || {
        let (t, words) = (thread::thread_idx_x() as usize, words().array::<u32, 2048>());
        if t % 2 == 0 {
            words.write(t * 32, 1);
        } else {
            words.write(t, 1);
            words.write(t, 2);
        }
        words.write(t, 3);
    });
    assert_eq!((counts.shared_accesses, counts.shared_requests), (80, 4));
    // Sixteen words of bank 0 at the first place.
    assert_eq!(counts.bank_replays, 15);
}

#[repr(align(32))]
struct Sector([f32; 4096]);

#[test]
fn sectors_of_global_loads() {
    let data = Sector([1.0; 4096]);
    let start = data.0.as_ptr();
    // SAFETY: the array has 4096 floats.
    let slice = unsafe { GlobalSlice::new(start, 4096) };
    // One float per lane, side by side: 128 bytes in 4 sectors.
    let counts = count(64, || {
        let _ = slice.read(u64::from(thread::thread_idx_x()));
    });
    assert_eq!((counts.global_requests, counts.global_sectors, counts.global_bytes), (2, 8, 256));
    // One element off: a sector more for each warp.
    let counts = count(64, || {
        let _ = slice.read(u64::from(thread::thread_idx_x()) + 1);
    });
    assert_eq!((counts.global_requests, counts.global_sectors), (2, 10));
    // Permuted within the warp: as good as side by side.
    let counts = count(32, || {
        let _ = slice.read(u64::from(thread::thread_idx_x() * 7 % 32));
    });
    assert_eq!(counts.global_sectors, 4);
    // A stride of eight floats: a sector each.
    let counts = count(32, || {
        let _ = slice.read(u64::from(thread::thread_idx_x()) * 8);
    });
    assert_eq!((counts.global_sectors, counts.global_bytes), (32, 128));
    // Vectors: 512 bytes in 16 sectors by one request.
    let counts = count(32, || {
        let _ = slice.read_vector::<4>(u64::from(thread::thread_idx_x()) * 4);
    });
    assert_eq!((counts.global_requests, counts.global_sectors, counts.global_bytes), (1, 16, 512));
}

/// Three floats per lane are three requests that each touch all 12 sectors of the 384 bytes.
#[test]
fn a_float3_wastes_two_of_three_sectors() {
    let data = Sector([1.0; 4096]);
    // SAFETY: the array has 96 floats and more.
    let slice = unsafe { GlobalSlice::new(data.0.as_ptr().cast::<[f32; 3]>(), 32) };
    let counts = count(32, || {
        let _ = slice.read(u64::from(thread::thread_idx_x()));
    });
    assert_eq!((counts.global_requests, counts.global_accesses), (3, 96));
    assert_eq!((counts.global_sectors, counts.global_bytes), (36, 384));
}

#[test]
fn collectives_are_counted_per_warp_and_block() {
    let mut out = [0u32; 96];
    let to = out.as_mut_ptr();
    let counts = Launch::new(2, 96).run(|| {
        // SAFETY: every lane is here.
        unsafe {
            let _ = warp::warp_shuffle_xor(warp::ALL, 1u64, 1, 32);
            let _ = warp::warp_vote_all(warp::ALL, true);
            warp::sync_warp(warp::ALL);
        }
        thread::sync_threads();
        thread::grid_fence();
        if thread::block_idx_x() == 0 {
            // SAFETY: `out` has 96 integers.
            unsafe { GlobalCells::new(to, 96) }.write(u64::from(thread::thread_idx_x()), 1);
        }
    });
    let counts = counts.expect("the kernel is correct");
    assert_eq!((counts.shuffles, counts.votes, counts.warp_syncs), (12, 6, 6));
    assert_eq!((counts.barriers, counts.fences, counts.tickets), (2, 192, 0));
    assert_eq!((counts.global_accesses, counts.global_bytes), (96, 384));
    assert_eq!(out, [1; 96]);
}

/// Atomics on one address are served one after the other, on several at once.
#[test]
fn atomics_on_one_address_are_repeated() {
    for (cells, replays) in [(1, 31), (2, 15), (8, 3), (32, 0)] {
        let mut bins = [0u32; 32];
        let start = bins.as_mut_ptr();
        let counts = count(64, || {
            // SAFETY: `bins` has 32 integers and lives as long as the launch.
            unsafe { AtomicCells::new(start, 32) }.add(u64::from(thread::thread_idx_x() % cells), 1);
        });
        assert_eq!((counts.atomics, counts.atomic_requests), (64, 2));
        assert_eq!(counts.atomic_replays, 2 * replays, "{cells} cells");
        assert_eq!((counts.global_accesses, counts.global_sectors), (0, 0));
    }
}
