//! The folds that users' kernels call, by a thread, a warp, a block and for a row, under the emulator.
#![cfg(first_half)]
#![allow(missing_docs)]

use std::cell::RefCell;

use cuda_std::emulator::{Launch, Misuse, Order};
use cuda_std::global::GlobalSlice;
use cuda_std::thread::{block_idx_x, thread_idx_x};
use gpu_kernels::block::Block;
use gpu_kernels::{row, thread, warp};
use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::{ArgMax, Element, Maximum, Op, Sum, reference, tree};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Sample, samples};

const ORDERS: [Order; 4] = [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)];

/// Eight fingerprints at once: the largest accumulator.
#[derive(Clone, Copy)]
struct Wide;

impl Op<u32> for Wide {
    type Acc = [u64; 8];
    type Out = [u64; 8];
    const IDENTITY: [u64; 8] = [0; 8];
    fn lift(self, x: u32, index: u64) -> [u64; 8] {
        std::array::from_fn(|i| Ordered::default().lift(x, index * 8 + i as u64))
    }
    fn combine(left: [u64; 8], right: [u64; 8]) -> [u64; 8] {
        std::array::from_fn(|i| <Ordered as Op<u32>>::combine(left[i], right[i]))
    }
    fn finish(acc: [u64; 8], _len: u64) -> [u64; 8] {
        acc
    }
}

/// Folds the threads' accumulators in pairs of neighbours.
fn in_pairs<T: Element, O: Op<T>>(mut accs: Vec<O::Acc>) -> O::Acc {
    while accs.len() > 1 {
        let pair = |pair: &[O::Acc]| pair.iter().fold(O::IDENTITY, |left, &right| O::combine(left, right));
        accs = accs.chunks(2).map(pair).collect();
    }
    accs.first().copied().unwrap_or(O::IDENTITY)
}

/// A thread's accumulator: a function of its place.
fn acc<O: Op<u32> + Copy>(op: O, block: u32, thread: u32, round: u64) -> O::Acc {
    op.lift(thread * 0x9e37 + block, u64::from(thread) + 5000 * round)
}

/// The accumulators of block `block`'s threads, folded.
fn total<O: Op<u32>>(op: O, block: u32, threads: std::ops::Range<u32>, round: u64) -> O::Acc {
    in_pairs::<u32, O>(threads.map(|thread| acc(op, block, thread, round)).collect())
}

/// Folds of accumulators of 8, 16 and 64 bytes one right after another, each read where it is valid.
fn block_folds<const THREADS: u32>() {
    let hash = Ordered::default();
    for order in ORDERS {
        let seen = RefCell::new(0);
        Launch::new(3, THREADS)
            .order(order)
            .run(|| {
                // SAFETY: launched with that many threads, which all make the same calls.
                let mut block = unsafe { Block::<THREADS>::enter() };
                let (b, t) = (block_idx_x(), block.thread());
                assert_eq!(t, thread_idx_x());
                for round in 0..3 {
                    let narrow = block.reduce::<u32, Ordered>(acc(hash, b, t, round));
                    let known = block.reduce_all::<u32, MatrixProduct>(acc(MatrixProduct, b, t, round));
                    let wide = block.reduce_all::<u32, Wide>(acc(Wide, b, t, round));
                    let again = block.reduce::<u32, Wide>(acc(Wide, b, t, round + 1));
                    let first = block.broadcast([t + 1, b]);
                    let last = block.reduce_all::<u32, Ordered>(acc(hash, b, t, round));
                    assert_eq!(known, total(MatrixProduct, b, 0..THREADS, round));
                    assert_eq!(first, [1, b]);
                    assert_eq!(last, total(hash, b, 0..THREADS, round));
                    if t % 31 == 0 {
                        assert_eq!(wide, total(Wide, b, 0..THREADS, round));
                    }
                    if t == 0 {
                        assert_eq!(narrow, last);
                        assert_eq!(again, total(Wide, b, 0..THREADS, round + 1));
                        *seen.borrow_mut() += 1;
                    }
                }
            })
            .unwrap_or_else(|misuse| panic!("{THREADS} threads, {order:?}: {misuse}"));
        assert_eq!(seen.into_inner(), 9);
    }
}

#[test]
fn a_block_folds_in_thread_order_whatever_its_size() {
    block_folds::<32>();
    block_folds::<64>();
    block_folds::<96>();
    block_folds::<160>();
    block_folds::<256>();
}

#[test]
fn large_blocks_fold_in_thread_order() {
    let hash = Ordered::default();
    fn check<const THREADS: u32>(hash: Ordered) {
        let expected = total(hash, 0, 0..THREADS, 0);
        Launch::new(1, THREADS)
            .order(Order::Shuffled(8))
            .run(|| {
                // SAFETY: launched with that many threads, which all make the same calls.
                let mut block = unsafe { Block::<THREADS>::enter() };
                let acc = acc(hash, 0, block.thread(), 0);
                assert_eq!(block.reduce_all::<u32, Ordered>(acc), expected);
                assert!(block.reduce::<u32, Ordered>(acc) == expected || block.thread() > 0);
            })
            .unwrap_or_else(|misuse| panic!("{THREADS} threads: {misuse}"));
    }
    check::<512>(hash);
    check::<544>(hash);
    check::<992>(hash);
    check::<1024>(hash);
}

#[test]
fn a_fold_is_one_barrier() {
    let barriers =
        |kernel: &dyn Fn()| Launch::new(1, 128).run(kernel).expect("the kernel is correct").barriers;
    // SAFETY: launched with 128 threads, which all make the same calls.
    let block = || unsafe { Block::<128>::enter() };
    assert_eq!(barriers(&|| assert_eq!(block().reduce_all::<u32, Sum>(1), 128)), 1);
    assert_eq!(barriers(&|| assert!(block().reduce::<u32, Sum>(1) <= 128)), 1);
    assert_eq!(barriers(&|| assert_eq!(block().broadcast(thread_idx_x()), 0)), 1);
}

#[test]
fn a_warp_folds_in_lane_order() {
    let hash = Ordered::default();
    for order in ORDERS {
        Launch::new(2, 96)
            .order(order)
            .run(|| {
                let (b, t) = (block_idx_x(), thread_idx_x());
                let lanes = t / 32 * 32..t / 32 * 32 + 32;
                // SAFETY: the warps are whole, and all of their lanes make the same calls.
                let (first, all, wide, start) = unsafe {
                    (
                        warp::reduce::<u32, Ordered>(acc(hash, b, t, 0)),
                        warp::reduce_all::<u32, Ordered>(acc(hash, b, t, 0)),
                        warp::reduce_all::<u32, Wide>(acc(Wide, b, t, 0)),
                        warp::broadcast([t; 5]),
                    )
                };
                assert_eq!(all, total(hash, b, lanes.clone(), 0));
                assert!(t % 32 != 0 || first == all);
                assert_eq!(wide, total(Wide, b, lanes.clone(), 0));
                assert_eq!(start, [lanes.start; 5]);
            })
            .unwrap_or_else(|misuse| panic!("{order:?}: {misuse}"));
    }
}

#[test]
fn a_thread_folds_its_share() {
    let x: Vec<u32> = (0..1000).map(|i| i * 7).collect();
    let hash = Ordered::default();
    Launch::new(1, 32)
        .register(&x[..])
        .run(|| {
            // SAFETY: `x` lives as long as the launch, and nothing writes it.
            let all = unsafe { GlobalSlice::new(x.as_ptr(), 1000) };
            let t = u64::from(thread_idx_x());
            for (range, stride) in [
                (t..1000, 32),
                (t..900, 32),
                (31 * t..31 * t + 31, 1),
                (t * 40..u64::MAX, u64::MAX),
                (5..9, 0),
                (core::ops::Range { start: 9, end: 5 }, 1),
            ] {
                let share =
                    range.clone().take_while(|&i| i < 1000).step_by(usize::try_from(stride.max(1)).unwrap());
                let expected = share.fold(0, |acc, i| hash.append(acc, x[i as usize], i));
                assert_eq!(thread::reduce(hash, all, range, stride), expected);
            }
        })
        .expect("the kernel is correct");
}

/// Rows of `len` elements, one per block of each size that folds rows, against the reference. Each block folds
/// its row twice, with a larger fold in between.
fn row_folds<T: Element + Sample, O: Op<T>>(op: O, len: usize, special: bool) {
    fn check<T: Element, O: Op<T>, const THREADS: u32>(
        op: O,
        rows: &[T],
        len: usize,
        expected: &[O::Acc],
        order: Order,
    ) {
        Launch::new(expected.len() as u32, THREADS)
            .order(order)
            .register(rows)
            .run(|| {
                let b = block_idx_x() as usize;
                // SAFETY: launched with that many threads, which all make the same calls; `rows` outlives the
                // launch.
                let (mut block, row) = unsafe {
                    (Block::<THREADS>::enter(), GlobalSlice::new(rows.as_ptr().add(b * len), len as u64))
                };
                let first = row::reduce(&mut block, op, row);
                let wide = block.reduce_all::<u32, Wide>([1; 8]);
                let again = row::reduce(&mut block, op, row);
                assert!(wide[0] == wide[7]);
                for found in [first, again] {
                    assert!(bytemuck::bytes_of(&found) == bytemuck::bytes_of(&expected[b]), "row {b}");
                }
            })
            .unwrap_or_else(|misuse| panic!("rows of {len}, {THREADS} threads, {order:?}: {misuse}"));
    }
    // Rows of an odd length are not all aligned for vectors.
    let rows = samples::<T>(if special { Special } else { Ordinary }, 5, 3 * len as u64);
    let expected: Vec<_> = (0..3).map(|b| reference::fold::<T, O>(op, &rows[b * len..][..len])).collect();
    check::<T, O, 256>(op, &rows, len, &expected, Order::Interleaved(1));
    check::<T, O, 512>(op, &rows, len, &expected, Order::Reversed);
    check::<T, O, 1024>(op, &rows, len, &expected, Order::Shuffled(2));
}

/// Lengths around a vector, a row of lanes, a tile, and spans of each size.
fn lengths<T>() -> Vec<usize> {
    let (lanes, tile) = (tree::lanes::<T>(), tree::tile_len::<T>(0) as usize);
    vec![
        0,
        1,
        3,
        33,
        lanes - 1,
        lanes + 1,
        tile - 1,
        tile,
        tile + 1,
        3 * tile,
        5 * tile + 7,
        8 * tile + 1,
        13 * tile - 3,
    ]
}

#[test]
fn a_row_has_the_bits_of_a_reduction_of_it_alone() {
    for len in lengths::<u32>() {
        row_folds::<u32, Strided>(Strided::default(), len, false);
        row_folds::<u32, Ordered>(Ordered::default(), len, false);
        row_folds::<u32, MatrixProduct>(MatrixProduct, len, false);
        row_folds::<u32, Wide>(Wide, len, false);
    }
}

#[test]
fn rows_of_floats_have_the_bits_of_a_reduction_alone() {
    for len in lengths::<f32>() {
        row_folds::<f32, Sum>(Sum, len, false);
        row_folds::<f32, Maximum>(Maximum, len, true);
        row_folds::<f64, Sum>(Sum, len / 2, false);
        row_folds::<f64, ArgMax>(ArgMax, len / 2, true);
    }
}

/// Rows with grown tiles.
#[test]
fn long_rows_have_the_bits_of_a_reduction_alone() {
    let len = (1 << 23) + 4099;
    let x = samples::<u32>(Ordinary, 6, len);
    let hash = Strided::default();
    let expected = reference::fold::<u32, Strided>(hash, &x);
    Launch::new(1, 512)
        .register(&x[..])
        .run(|| {
            // SAFETY: launched with 512 threads, which all make the same calls; `x` outlives the launch.
            let (mut block, row) = unsafe { (Block::<512>::enter(), GlobalSlice::new(x.as_ptr(), len)) };
            assert_eq!(row::reduce(&mut block, hash, row), expected);
        })
        .expect("the kernel is correct");
}

/// A launch of one block of 128 threads with a mistake, which must be reported.
fn reported(kernel: impl Fn(&mut Block<128>)) -> Misuse {
    // SAFETY: the contract is broken on purpose; the emulator reports it.
    let found = Launch::new(1, 128).run(|| kernel(&mut unsafe { Block::enter() }));
    found.expect_err("the kernel is wrong")
}

#[test]
fn a_fold_that_some_threads_do_not_reach_is_reported() {
    let one = |block: &mut Block<128>| block.reduce_all::<u32, Sum>(1);
    // Whole warps do not take part.
    let found = reported(|block| {
        if block.thread() < 64 {
            one(block);
        }
    });
    let Misuse::BarrierMissed { waiting, ended } = found else { panic!("{found}") };
    assert_eq!((waiting.call, waiting.thread[0] / 64, ended.thread[0] / 64), ("sync_threads", 0, 1));
    // One lane does not take part.
    let found = reported(|block| {
        if block.thread() != 77 {
            one(block);
        }
    });
    let Misuse::LaneAbsent { lane: 13, ended: Some(ended), .. } = found else { panic!("{found}") };
    assert_eq!(ended.thread[0], 77);
    // The same for a warp's own fold.
    let found = Launch::new(1, 64).run(|| {
        if thread_idx_x() != 40 {
            // SAFETY: the contract is broken on purpose; the emulator reports it.
            let _ = unsafe { warp::reduce_all::<u32, Sum>(1) };
        }
    });
    assert!(matches!(found, Err(Misuse::LaneAbsent { lane: 8, .. })), "{found:?}");
}

#[test]
fn folds_in_different_orders_are_reported() {
    let found = reported(|block| {
        if block.thread() < 64 {
            block.reduce_all::<u32, Sum>(1);
            block.broadcast(7u32);
        } else {
            block.broadcast(7u32);
            block.reduce_all::<u32, Sum>(1);
        }
    });
    // Totals of 8 bytes and values of 4 overlap in the scratch of one turn.
    assert!(matches!(found, Misuse::SharedRace { .. }), "{found}");
}

#[test]
fn a_block_of_another_size_is_reported() {
    // SAFETY: the contract is broken on purpose; the emulator reports it.
    let fold = || assert_eq!(unsafe { Block::<128>::enter() }.reduce_all::<u32, Sum>(1), 128);
    let found = Launch::new(1, 64).run(fold);
    assert!(matches!(found, Err(Misuse::SharedUninitialised { .. })), "{found:?}");
    let found = Launch::new(1, 72).run(fold);
    assert!(matches!(found, Err(Misuse::LaneAbsent { ended: None, .. })), "{found:?}");
}

#[test]
fn entering_again_is_reported() {
    let found = reported(|block| {
        block.reduce_all::<u32, Sum>(1);
        // SAFETY: the contract is broken on purpose; the emulator reports it.
        unsafe { Block::<128>::enter() }.reduce_all::<u32, Sum>(1);
    });
    assert!(matches!(found, Misuse::SharedRace { .. }), "{found}");
}
