//! Threads, warps and shared memory as in a kernel, in every order.
#![cfg(feature = "emulator")]

use cuda_std::emulator::{Launch, Order};
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::{thread, warp};

const ORDERS: [Order; 6] = [
    Order::InOrder,
    Order::Reversed,
    Order::Shuffled(1),
    Order::Shuffled(2),
    Order::Interleaved(1),
    Order::Interleaved(2),
];

/// Threads per block: the three that divide the largest evenly, one warp, and two that are not powers of two.
const THREADS: [u32; 6] = [32, 256, 512, 1024, 96, 992];

cuda_std::shared_bytes! {
    /// One total per warp.
    fn totals: 128
}

cuda_std::shared_bytes! {
    /// One word per thread.
    fn words: 4096
}

cuda_std::kernel! {
    /// Sums `len` integers in one block: by shuffles, then with one total per warp in shared memory.
    ///
    /// # Safety
    /// Whole warps; `input` is readable for `len` integers, `out` writable for one.
    pub unsafe fn block_sum(input: *const u32, len: u64, out: *mut u32) {
        // SAFETY: this function's contract.
        let (input, out) = unsafe { (GlobalSlice::new(input, len), GlobalCells::new(out, 1)) };
        let (t, warps) = (thread::thread_idx_x(), thread::block_dim_x() / 32);
        let mut sum = 0u32;
        let mut i = u64::from(t);
        while i < len {
            sum = sum.wrapping_add(input.read(i));
            i += u64::from(thread::block_dim_x());
        }
        sum = warp_sum(sum);
        let totals = totals().array::<u32, 32>();
        if warp::lane_id() == 0 {
            totals.write(t as usize / 32, sum);
        }
        thread::sync_threads();
        if t < 32 {
            let total = warp_sum(if t < warps { totals.read(t as usize) } else { 0 });
            if t == 0 {
                out.write(0, total);
            }
        }
    }
}

/// The sum over a warp, in lane 0.
fn warp_sum(mut sum: u32) -> u32 {
    for delta in [16, 8, 4, 2, 1] {
        // SAFETY: every lane of the warp takes part.
        sum = sum.wrapping_add(unsafe { warp::warp_shuffle_down(warp::ALL, sum, delta, 32) }.0);
    }
    sum
}

/// Numbers with random low bits.
fn numbers(len: u32) -> Vec<u32> {
    (1..=len).map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(i % 32)).collect()
}

#[test]
fn a_block_sum_equals_a_sequential_one() {
    for len in [0, 1, 31, 33, 1000, 5000] {
        let input = numbers(len);
        let expected = input.iter().fold(0u32, |sum, &x| sum.wrapping_add(x));
        for threads in THREADS {
            for order in ORDERS {
                let mut out = 0;
                let to = &raw mut out;
                Launch::new(1, threads)
                    .order(order)
                    .register(&input[..])
                    .register(core::ptr::slice_from_raw_parts(to, 1))
                    // SAFETY: `input` and `out` live as long as the launch.
                    .run(|| unsafe {
                        block_sum(block_sum { input: input.as_ptr(), len: u64::from(len), out: to })
                    })
                    .expect("the kernel is correct");
                assert_eq!(out, expected, "{len} integers, {threads} threads, {order:?}");
            }
        }
    }
}

#[test]
fn a_run_is_a_function_of_the_seed() {
    let run = |order: Order| {
        let visits = std::cell::RefCell::new(Vec::new());
        Launch::new(3, 64)
            .order(order)
            .run(|| {
                visits.borrow_mut().push(thread::index_1d());
                thread::sync_threads();
                visits.borrow_mut().push(thread::index_1d());
            })
            .expect("the kernel is correct");
        visits.into_inner()
    };
    for order in ORDERS {
        assert_eq!(run(order), run(order), "{order:?}");
        let mut all = run(order);
        all.sort_unstable();
        assert!(all.iter().copied().eq((0..192).flat_map(|i| [i, i])), "{order:?}");
    }
    assert_eq!(run(Order::InOrder)[..3], [0, 1, 2]);
    assert_eq!(run(Order::Reversed)[..3], [191, 190, 189]);
    assert_ne!(run(Order::Shuffled(1)), run(Order::Shuffled(2)));
    // The first thread of a second block runs before the last thread of the first block.
    let blocks: Vec<u64> = run(Order::Interleaved(1)).iter().map(|thread| thread / 64).collect();
    assert!(blocks.windows(2).filter(|pair| pair[0] != pair[1]).count() > 2);
}

#[test]
fn every_index_of_three_dimensions_is_met_once() {
    let met = std::cell::RefCell::new(Vec::new());
    Launch::new((2, 3, 4), (5, 4, 3))
        .order(Order::Interleaved(5))
        .run(|| {
            assert_eq!((thread::grid_dim_x(), thread::grid_dim_y(), thread::grid_dim_z()), (2, 3, 4));
            assert_eq!((thread::block_dim_x(), thread::block_dim_y(), thread::block_dim_z()), (5, 4, 3));
            let block = (thread::block_idx_z() * 3 + thread::block_idx_y()) * 2 + thread::block_idx_x();
            let t = (thread::thread_idx_z() * 4 + thread::thread_idx_y()) * 5 + thread::thread_idx_x();
            assert_eq!(warp::lane_id(), t % 32);
            assert_eq!(warp::activemask() >> warp::lane_id() & 1, 1);
            met.borrow_mut().push(block * 60 + t);
        })
        .expect("the kernel is correct");
    let mut met = met.into_inner();
    met.sort_unstable();
    assert!(met.into_iter().eq(0..24 * 60));
}

/// A block of 1024 threads in three dimensions: each reads what its mirror wrote before the barrier.
#[test]
fn a_whole_block_of_three_dimensions_meets() {
    for threads in [(8, 2, 64), (1, 1024, 1), (2, 16, 32)] {
        for order in ORDERS {
            let counts = Launch::new((1, 2, 2), threads)
                .order(order)
                .run(|| {
                    let row = thread::thread_idx_z() * thread::block_dim_y() + thread::thread_idx_y();
                    let t = row * thread::block_dim_x() + thread::thread_idx_x();
                    let words = words().array::<u32, 1024>();
                    words.write(t as usize, t);
                    assert_eq!(
                        thread::sync_threads_count(thread::thread_idx_z() < 16),
                        match threads.2 {
                            1 => 1024,
                            deep => 1024 * 16 / deep,
                        }
                    );
                    assert_eq!(words.read(1023 - t as usize), 1023 - t);
                })
                .expect("the kernel is correct");
            assert_eq!((counts.barriers, counts.phases, counts.busy_phases), (4, 8192, 8192));
        }
    }
}

#[test]
fn barriers_reduce_over_the_block() {
    for order in ORDERS {
        for threads in [1, 31, 100, 1024] {
            Launch::new(2, threads)
                .order(order)
                .run(|| {
                    let t = thread::thread_idx_x();
                    assert_eq!(thread::sync_threads_count(t.is_multiple_of(3)), threads.div_ceil(3));
                    assert!(thread::sync_threads_and(t < threads));
                    assert!(!thread::sync_threads_and(t != threads - 1));
                    assert!(thread::sync_threads_or(t == threads - 1));
                    assert!(!thread::sync_threads_or(t == threads));
                })
                .expect("the kernel is correct");
        }
    }
}

#[test]
fn votes_and_shuffles_of_a_part_of_the_warp() {
    for order in ORDERS {
        Launch::new(1, 64)
            .order(order)
            .run(|| {
                let lane = warp::lane_id();
                // Two halves of a warp that branch differently.
                let (mask, first) = if lane < 16 { (0xffff, 0) } else { (0xffff_0000, 16) };
                // SAFETY: all 16 lanes of each mask take part.
                unsafe {
                    assert_eq!(warp::warp_vote_ballot(mask, lane % 2 == 1), mask & 0xaaaa_aaaa);
                    assert!(warp::warp_vote_all(mask, lane >= first));
                    assert!(!warp::warp_vote_any(mask, lane == 32));
                    assert_eq!(warp::warp_shuffle_idx(mask, lane, 3, 16), (first + 3, true));
                }
                if lane >= 16 {
                    // SAFETY: the upper half takes part.
                    let (above, valid) = unsafe { warp::warp_shuffle_down(mask, lane, 4, 16) };
                    assert_eq!((above, valid), if lane < 28 { (lane + 4, true) } else { (lane, false) });
                }
                // SAFETY: the warp is whole again.
                unsafe { warp::sync_warp(warp::ALL) };
                // SAFETY: as above.
                let (other, valid) = unsafe { warp::warp_shuffle_xor(warp::ALL, lane * 10, 31, 32) };
                assert_eq!((other, valid), ((31 - lane) * 10, true));
                // SAFETY: as above.
                let (below, valid) = unsafe { warp::warp_shuffle_up(warp::ALL, lane, 1, 8) };
                assert_eq!(
                    (below, valid),
                    if lane.is_multiple_of(8) { (lane, false) } else { (lane - 1, true) }
                );
            })
            .expect("the kernel is correct");
    }
}

#[test]
fn values_of_1_to_16_bytes_are_shuffled() {
    Launch::new(1, 32)
        .run(|| {
            let lane = warp::lane_id();
            let next = (lane + 1) % 32;
            // SAFETY: every lane of the warp takes part.
            unsafe {
                assert_eq!(warp::warp_shuffle_idx(warp::ALL, lane as u8, next, 32).0, next as u8);
                let wide = |lane: u32| u64::from(lane) << 40 | 7;
                assert_eq!(warp::warp_shuffle_idx(warp::ALL, wide(lane), next, 32).0, wide(next));
                let four = |lane: u32| [lane, !lane, lane * 3, 1];
                assert_eq!(warp::warp_shuffle_idx(warp::ALL, four(lane), next, 32).0, four(next));
            }
        })
        .expect("the kernel is correct");
}

#[test]
fn shared_memory_is_each_blocks_own() {
    for order in ORDERS {
        Launch::new(4, 256)
            .order(order)
            .run(|| {
                let (t, block) = (thread::thread_idx_x() as usize, thread::block_idx_x());
                let words = words().array::<[u32; 2], 256>();
                let totals = totals().array::<u32, 32>();
                words.write(t, [t as u32, block]);
                if t == 0 {
                    totals.write(0, block + 100);
                }
                thread::sync_threads();
                assert_eq!(words.read(255 - t), [255 - t as u32, block]);
                assert_eq!(totals.read(0), block + 100);
                thread::sync_threads();
                // Another type over the same bytes.
                let floats = super_words().array::<f32, 256>();
                floats.write(t, t as f32);
                assert_eq!(floats.read(t), t as f32);
            })
            .expect("the kernel is correct");
    }
}

/// The same variable through another path.
fn super_words() -> cuda_std::shared::SharedBytes<4096> {
    words()
}

cuda_std::dynamic_shared! {
    /// As many as the launch gives.
    fn given
}

cuda_std::dynamic_shared! {
    /// The same memory with another name.
    fn given_too
}

#[test]
fn dynamic_shared_memory_is_as_long_as_given() {
    for order in ORDERS {
        for threads in [32, 1000] {
            Launch::new(3, threads)
                .order(order)
                .shared_bytes(threads * 8 + 4)
                .run(|| {
                    let (t, block) = (thread::thread_idx_x() as usize, thread::block_idx_x());
                    let (totals, pairs) = (totals().array::<u32, 32>(), given().slice::<[u32; 2]>());
                    assert_eq!(pairs.len(), threads as usize);
                    assert_eq!(given().slice::<u32>().len(), threads as usize * 2 + 1);
                    if t < 32 {
                        totals.write(t, block);
                    }
                    pairs.write(t, [t as u32, block]);
                    thread::sync_threads();
                    let last = pairs.len() - 1;
                    assert_eq!(pairs.read(last - t), [(last - t) as u32, block]);
                    assert_eq!(given_too().slice::<u32>().read(2 * t + 1), block);
                    assert_eq!(totals.slice().read(31 - t % 32), block);
                })
                .expect("the kernel is correct");
        }
    }
    Launch::new(1, 32).run(|| assert!(given().slice::<f64>().is_empty())).expect("none is given");
}

/// Each addition sees what those before it left, so no two threads see the same.
#[test]
fn additions_to_shared_memory_return_what_was_there() {
    for order in ORDERS {
        Launch::new(1, 96)
            .order(order)
            .run(|| {
                let (sums, seen) = (totals().array::<u32, 32>().slice(), words().array::<u32, 96>());
                let t = thread::thread_idx_x();
                if t < 2 {
                    sums.write(t as usize, 5 * t);
                }
                thread::sync_threads();
                let before = sums.fetch_add(1, 3);
                assert!((before - 5).is_multiple_of(3), "{before}");
                seen.write(((before - 5) / 3) as usize, t);
                thread::sync_threads();
                assert!(seen.read(t as usize) < 96);
                assert_eq!((sums.read(0), sums.read(1)), (0, 5 + 3 * 96));
            })
            .expect("the kernel is correct");
    }
}

/// One thread of all stores, and the others are told what it stored.
#[test]
fn one_thread_takes_a_place_in_shared_memory() {
    for order in ORDERS {
        Launch::new(1, 96)
            .order(order)
            .run(|| {
                let owner = totals().array::<u32, 32>().slice();
                let t = thread::thread_idx_x();
                if t == 0 {
                    owner.write(1, u32::MAX);
                }
                thread::sync_threads();
                let before = owner.compare_exchange(1, u32::MAX, t);
                let after = owner.load(1);
                assert_eq!(after, if before == u32::MAX { t } else { before });
                thread::sync_threads();
                assert_eq!(owner.read(1), after);
            })
            .expect("the kernel is correct");
    }
}

#[test]
fn a_sleeper_lets_the_others_run() {
    for order in ORDERS {
        let flag = std::cell::Cell::new(0);
        Launch::new(1, 64)
            .order(order)
            .run(|| {
                if thread::thread_idx_x() == 63 {
                    flag.set(1);
                }
                while flag.get() == 0 {
                    thread::nanosleep(100);
                }
                thread::sync_threads();
            })
            .expect("the flag is set");
    }
}

#[test]
fn launches_run_side_by_side_and_inside_each_other() {
    std::thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || {
                let input = numbers(777);
                for round in 0..20 {
                    let mut out = 0;
                    let to = &raw mut out;
                    Launch::new(1, 256)
                        .order(Order::Shuffled(seed * 100 + round))
                        // SAFETY: `input` and `out` live as long as the launch.
                        .run(|| unsafe { block_sum(block_sum { input: input.as_ptr(), len: 777, out: to }) })
                        .expect("the kernel is correct");
                    assert_eq!(out, input.iter().fold(0u32, |sum, &x| sum.wrapping_add(x)));
                }
            });
        }
    });
    let inner = std::cell::Cell::new(0);
    Launch::new(2, 2)
        .run(|| {
            let outer = thread::index_1d();
            let count = |_: ()| inner.set(inner.get() + thread::thread_idx_x());
            Launch::new(1, 3).run(|| count(())).expect("the kernel is correct");
            assert_eq!(thread::index_1d(), outer);
        })
        .expect("the kernel is correct");
    assert_eq!(inner.get(), 4 * (1 + 2));
}

/// `LEN` times 8 bytes is 2^64, or 8 or 128 more.
#[test]
fn an_array_longer_than_memory_does_not_fit() {
    let ran = Launch::new(1, 1).run(|| {
        assert!(totals().array_if_fits::<u64, 16>().is_some());
        assert!(totals().array_if_fits::<u64, 17>().is_none());
        assert!(totals().array_if_fits::<u64, { 1 << 61 }>().is_none());
        assert!(totals().array_if_fits::<u64, { (1 << 61) + 1 }>().is_none());
        assert!(totals().array_if_fits::<u64, { (1 << 61) + 16 }>().is_none());
        assert!(totals().array_if_fits::<u32, { usize::MAX }>().is_none());
    });
    ran.unwrap();
}
