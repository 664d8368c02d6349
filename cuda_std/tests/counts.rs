//! Counts with known values.
#![cfg(feature = "emulator")]
#![expect(clippy::expect_used, reason = "a test may")]

use cuda_std::atomic::AtomicCells;
use cuda_std::emulator::{Counts, Launch, Order};
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::{thread, warp};

cuda_std::shared_bytes! {
    /// One word for each of 64 strides of up to 32 words.
    fn words: 8192
}

fn count(threads: u32, kernel: impl Fn()) -> Counts {
    let counts = [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)]
        .map(|order| Launch::new(1, threads).order(order).run(&kernel).expect("the kernel is correct"));
    assert!(counts.iter().all(|other| *other == counts[0]), "{counts:?}");
    counts[0]
}

/// Interleaved addressing with stride s causes s-way conflicts, up to 32 lanes.
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
    // Sixteen words of bank 0 in the first access.
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
    // One float per lane, contiguous: 128 bytes in 4 sectors.
    let counts = count(64, || {
        let _ = slice.read(u64::from(thread::thread_idx_x()));
    });
    assert_eq!((counts.global_requests, counts.global_sectors, counts.global_bytes), (2, 8, 256));
    assert_eq!((counts.wasted_bytes(), counts.active_lanes()), (0, 32.0));
    // Misaligned by one element: one more sector per warp.
    let counts = count(64, || {
        let _ = slice.read(u64::from(thread::thread_idx_x()) + 1);
    });
    assert_eq!((counts.global_requests, counts.global_sectors, counts.wasted_bytes()), (2, 10, 64));
    // Permuted within the warp: the same as contiguous.
    let counts = count(32, || {
        let _ = slice.read(u64::from(thread::thread_idx_x() * 7 % 32));
    });
    assert_eq!(counts.global_sectors, 4);
    // A stride of eight floats: one sector per lane.
    let counts = count(32, || {
        let _ = slice.read(u64::from(thread::thread_idx_x()) * 8);
    });
    assert_eq!((counts.global_sectors, counts.global_bytes, counts.wasted_bytes()), (32, 128, 32 * 28));
    // Vectors: 512 bytes in 16 sectors by one request.
    let counts = count(32, || {
        let _ = slice.read_vector::<4>(u64::from(thread::thread_idx_x()) * 4);
    });
    assert_eq!((counts.global_requests, counts.global_sectors, counts.global_bytes), (1, 16, 512));
    assert_eq!(counts.wasted_bytes(), 0);
    // The same float for all lanes: 4 bytes of the sector are used, however many lanes read them.
    let counts = count(32, || {
        let _ = slice.read(9);
    });
    assert_eq!((counts.global_sectors, counts.global_bytes, counts.wasted_bytes()), (1, 128, 28));
    // One line of code with elements of two sizes: a load for each.
    let bytes = start.cast::<u8>();
    // SAFETY: the array has 64 bytes and more.
    let bytes = unsafe { GlobalSlice::new(bytes, 64) };
    fn first<T: bytemuck::Pod>(slice: GlobalSlice<T>) {
        let _ = slice.read(u64::from(thread::thread_idx_x()));
    }
    let counts = count(32, || if thread::thread_idx_x() < 16 { first(bytes) } else { first(slice) });
    assert_eq!((counts.global_requests, counts.global_accesses, counts.global_sectors), (2, 32, 3));
    assert_eq!((counts.wasted_bytes(), counts.active_lanes()), (16, 16.0));
}

/// Three floats per lane are three requests. Each of them accesses all 12 sectors of the 384 bytes.
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
    assert_eq!(counts.wasted_bytes(), 36 * 32 * 2 / 3);
}

#[test]
fn collectives_are_counted_per_warp_and_block() {
    let mut out = [0u32; 96];
    let to = out.as_mut_ptr();
    let counts = Launch::new(2, 96).run(|| {
        // SAFETY: every lane takes part.
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

/// Atomics on one address are serialised; on different addresses they are not.
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

/// Sums 256 integers in shared memory by halves; `adds` gives the words that a thread adds at each stride.
fn halving(adds: impl Fn(usize, usize) -> Option<(usize, usize)>, strides: [usize; 8]) -> Counts {
    count(256, || {
        let (t, sums) = (thread::thread_idx_x() as usize, words().array::<u32, 256>());
        sums.write(t, t as u32);
        thread::sync_threads();
        for stride in strides {
            if let Some((into, from)) = adds(t, stride) {
                let (a, b) = (sums.read(into), sums.read(from));
                sums.write(into, a + b);
            }
            thread::sync_threads();
        }
        if t == 0 {
            assert_eq!(sums.read(0), 255 * 256 / 2);
        }
    })
}

/// Interleaved addressing with a divergent branch, with a strided index, and sequential addressing: the last
/// two keep whole warps together, and only the last is free of bank conflicts.
#[test]
fn active_lanes_of_three_ways_to_halve() {
    let up = [1, 2, 4, 8, 16, 32, 64, 128];
    let down = [128, 64, 32, 16, 8, 4, 2, 1];
    let divergent = halving(|t, s| t.is_multiple_of(2 * s).then_some((t, t + s)), up);
    let strided = halving(|t, s| (2 * s * t < 256).then_some((2 * s * t, 2 * s * t + s)), up);
    let sequential = halving(|t, s| (t < s).then_some((t, t + s)), down);
    for counts in [divergent, strided, sequential] {
        // Writing all once, three accesses for each of 255 sums, and reading the result.
        assert_eq!(counts.shared_accesses, 256 + 3 * 255 + 1);
        // Ten phases; 256 threads in the first, in the others one per sum, and one for the result.
        assert_eq!((counts.barriers, counts.phases, counts.busy_phases), (9, 2560, 256 + 255 + 1));
        assert_eq!(counts.busy_share(), 0.2);
    }
    // Warps with a thread that adds: all 8 until the stride is 16, then 4, 2, 1.
    let steps = 8 + 3 * (5 * 8 + 4 + 2 + 1) + 1;
    assert_eq!((divergent.steps(), divergent.bank_replays), (steps, 0));
    assert_eq!(divergent.active_lanes(), 1022.0 / steps as f64);
    // As few warps as possible: 4, 2, then 1 at each of six strides.
    let steps = 8 + 3 * (4 + 2 + 6) + 1;
    assert_eq!(strided.steps(), steps);
    assert_eq!((sequential.steps(), sequential.bank_replays), (steps, 0));
    assert_eq!(sequential.active_lanes(), 1022.0 / steps as f64);
    // Words 2 s apart: 4 warps with 2 lanes per bank, 2 with 4, one with 8; then the lanes halve: 16 in two
    // banks, and in one bank 8, 4 and 2.
    let replays = 4 + 2 * 3 + 7 + 7 + 7 + 3 + 1;
    assert_eq!(strided.bank_replays, 3 * replays);
}

/// Every other lane is active, or a quarter of the warps are.
#[test]
fn idle_lanes_and_idle_warps() {
    let run = |takes_part: fn(u32) -> bool| {
        count(128, || {
            let t = thread::thread_idx_x();
            for _ in 0..3 {
                if takes_part(t) {
                    words().array::<u32, 128>().write(t as usize, t);
                }
                thread::sync_threads();
            }
        })
    };
    let lanes = run(|t| t % 2 == 0);
    assert_eq!((lanes.steps(), lanes.active_lanes(), lanes.busy_share()), (12, 16.0, 0.375));
    let warps = run(|t| t < 32);
    assert_eq!((warps.steps(), warps.active_lanes(), warps.busy_share()), (3, 32.0, 0.1875));
    let none = run(|_| false);
    assert_eq!((none.steps(), none.active_lanes(), none.busy_share()), (0, 0.0, 0.0));
    assert_eq!((none.phases, none.busy_phases), (4 * 128, 0));
    // A partial warp counts its existing threads; without a barrier there is one phase.
    let cut = count(40, || ());
    assert_eq!((cut.phases, cut.busy_phases), (40, 0));
}
