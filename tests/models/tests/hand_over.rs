//! The hand-over between blocks (DESIGN.md, section 4; `gpu-kernels/src/hand_over/ticket.rs`): the block that takes the last
//! number reads what all others wrote.
//!
//! A copy, since the kernel's ticket and barriers are instructions. `atom.acq_rel.gpu.inc` is a read-modify-write that acquires
//! and releases; `bar.red` orders what is before it on one thread with what is behind it on another, as a store that releases and
//! a load that acquires do. PTX's causality order over these is C11's happens-before: the scopes include each other, and all
//! is done by the generic proxy. What C11 has besides (one total order of sequentially consistent operations) is not used.
#![allow(clippy::arc_with_non_send_sync, reason = "all threads of a model are coroutines of one thread")]

use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use loom::cell::UnsafeCell;
use loom::thread;
use warpfold_models::sync::atomic::AtomicU32;
use warpfold_models::{Part, check, fails_without, lacks};

/// What the blocks of a launch share.
struct Launch {
    partials: Vec<UnsafeCell<u32>>,
    ticket: AtomicU32,
}

impl Launch {
    fn new(blocks: u32) -> Arc<Self> {
        Arc::new(Self {
            partials: (0..blocks).map(|_| UnsafeCell::new(0)).collect(),
            ticket: AtomicU32::new(0),
        })
    }

    fn write(&self, block: u32) {
        // SAFETY: loom fails where another access is under way.
        self.partials[block as usize].with_mut(|partial| unsafe { *partial = block + 1 });
    }

    /// Thread 0 of a block: writes the partial result, and takes a number. Whether that was the last.
    fn hand_over(&self, block: u32) -> bool {
        let last = self.partials.len() as u32 - 1;
        let take =
            || self.ticket.replace(AcqRel, |number| if number >= last { 0 } else { number + 1 }) == last;
        if lacks(Part::WrittenBefore) {
            let took_last = take();
            self.write(block);
            return took_last;
        }
        self.write(block);
        take()
    }

    /// A thread of the last block: sums up what all wrote.
    fn sum(&self) {
        // SAFETY: as above.
        let sum: u32 = self.partials.iter().map(|partial| partial.with(|partial| unsafe { *partial })).sum();
        assert_eq!(sum, (1..=self.partials.len() as u32).sum());
        assert_eq!(self.ticket.load(Relaxed), 0, "the next launch finds the ticket ready");
    }
}

/// Blocks of one thread each.
fn blocks() {
    let launch = Launch::new(3);
    let run = |launch: Arc<Launch>, block| {
        move || {
            if launch.hand_over(block) {
                launch.sum();
            }
        }
    };
    let others: Vec<_> = (1..3).map(|block| thread::spawn(run(launch.clone(), block))).collect();
    run(launch, 0)();
    others.into_iter().for_each(|block| block.join().expect("a block"));
}

/// Blocks of two threads. The second thread reads: the barrier carries the vote, and the order.
fn blocks_with_barriers() {
    let launch = Launch::new(2);
    let run = |launch: Arc<Launch>, block| {
        move || {
            let vote = Arc::new(AtomicU32::new(0));
            let other = {
                let (launch, vote) = (launch.clone(), vote.clone());
                thread::spawn(move || {
                    let order = if lacks(Part::Barriers) { Relaxed } else { Acquire };
                    // Where thread 0 has not come to the barrier, this one would wait there: another order has both.
                    if vote.load(order) == 2 {
                        launch.sum();
                    }
                })
            };
            let took_last = launch.hand_over(block);
            let order = if lacks(Part::Barriers) { Relaxed } else { Release };
            vote.store(1 + u32::from(took_last), order);
            other.join().expect("a thread");
        }
    };
    let other = thread::spawn(run(launch.clone(), 1));
    run(launch, 0)();
    other.join().expect("a block");
}

#[test]
fn the_last_block_reads_what_all_wrote() {
    check(blocks);
}

#[test]
fn threads_behind_the_barrier_read_it_too() {
    check(blocks_with_barriers);
}

#[test]
fn a_ticket_that_does_not_release_or_acquire_is_not_enough() {
    fails_without(Part::Release, "Causality violation", blocks);
    fails_without(Part::Acquire, "Causality violation", blocks);
}

#[test]
fn what_is_written_after_the_ticket_is_not_handed_over() {
    fails_without(Part::WrittenBefore, "", blocks);
}

#[test]
fn without_an_order_at_the_barrier_nothing_is_handed_on() {
    fails_without(Part::Barriers, "Causality violation", blocks_with_barriers);
}
