//! The hand-over between blocks by a ticket: right in every order; each missing part is reported.
#![cfg(feature = "emulator")]
#![expect(clippy::expect_used, reason = "a test may")]

use cuda_std::atomic::Ticket;
use cuda_std::emulator::{Launch, Misuse, Order, Site};
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::{thread, warp};

const BLOCKS: u32 = 7;

/// The part that a kernel leaves out.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// The block with the last index, instead of the last ticket, reads the partial results.
    NoTicket,
    /// Thread 0 takes the ticket, and another thread wrote the partial result, without a barrier between.
    NoBarrierBefore,
    /// Every thread reads the partial results without a barrier after thread 0's ticket.
    NoBarrierAfter,
    /// A partial result is written after taking the ticket.
    WriteAfter,
}

/// Each block writes its partial result by thread 40, and the last block sums them.
///
/// # Safety
/// Blocks have 64 threads; `partials` is valid for one integer per block and `ticket` and `out` for one.
unsafe fn sum_of_blocks(partials: *mut u32, ticket: *mut u32, out: *mut u32, fault: Fault) {
    let (block, t, blocks) = (thread::block_idx_x(), thread::thread_idx_x(), thread::grid_dim_x());
    // SAFETY: this function's contract.
    let (cells, out, ticket) = unsafe {
        (GlobalCells::new(partials, u64::from(blocks)), GlobalCells::new(out, 1), Ticket::new(ticket))
    };
    if t == 40 && fault != Fault::WriteAfter {
        cells.write(u64::from(block), block * block + 1);
    }
    if fault != Fault::NoBarrierBefore {
        thread::sync_threads();
    }
    let mut last = match fault {
        Fault::NoTicket => block == blocks - 1,
        _ => t == 0 && ticket.take(blocks - 1) == blocks - 1,
    };
    if t == 40 && fault == Fault::WriteAfter {
        cells.write(u64::from(block), block * block + 1);
    }
    if fault != Fault::NoBarrierAfter {
        last = thread::sync_threads_or(last);
    }
    let reader = if fault == Fault::NoBarrierAfter { 0 } else { 33 };
    if last && t == reader {
        let sum = (0..u64::from(blocks)).map(|i| cells.read_handed_over(i)).sum();
        out.write(0, sum);
    }
    if fault == Fault::NoBarrierAfter && t == 33 && block == blocks - 1 {
        // Assumes that its block is the last, and that thread 0 has its ticket.
        let _ = cells.read_handed_over(0);
    }
}

fn launch(order: Order, fault: Fault) -> (Result<u32, Misuse>, u32) {
    let (mut partials, mut ticket, mut out) = ([0; BLOCKS as usize], 0, 0);
    let (p, t, o) = (partials.as_mut_ptr(), &raw mut ticket, &raw mut out);
    let counts = Launch::new(BLOCKS, 64)
        .order(order)
        // SAFETY: the three live as long as the launch.
        .run(|| unsafe { sum_of_blocks(p, t, o, fault) });
    (counts.map(|_| out), ticket)
}

fn orders() -> impl Iterator<Item = Order> {
    let seeded = (0..20).flat_map(|seed| [Order::Shuffled(seed), Order::Interleaved(seed)]);
    [Order::InOrder, Order::Reversed].into_iter().chain(seeded)
}

#[test]
fn the_last_block_sums_the_others() {
    let expected = (0..BLOCKS).map(|block| block * block + 1).sum();
    for order in orders() {
        assert_eq!(launch(order, Fault::None), (Ok(expected), 0), "{order:?}");
    }
}

#[test]
fn each_missing_piece_is_reported_under_every_order() {
    for order in orders() {
        for fault in [Fault::NoTicket, Fault::NoBarrierBefore, Fault::NoBarrierAfter, Fault::WriteAfter] {
            match launch(order, fault).0 {
                Err(Misuse::HandOverUnordered { written, read }) => {
                    assert_eq!((written.call, read.call), ("store", "load_handed_over"));
                    assert_eq!(written.thread[0], 40);
                    assert_ne!(written.at, read.at);
                }
                other => panic!("{order:?} found {other:?}"),
            }
        }
    }
}

#[test]
fn two_tickets_in_a_row_hand_on() {
    // Block 0 hands over to block 1 by one counter, block 1 to block 2 by another.
    let (mut value, mut counters) = (0u32, [0u32; 2]);
    let (value, counters) = (&raw mut value, counters.as_mut_ptr());
    let run = |skip: bool| {
        // SAFETY: the counters live as long as the launch.
        unsafe { counters.cast::<[u32; 2]>().write([0; 2]) };
        Launch::new(3, 1).run(|| {
            let block = thread::block_idx_x();
            // SAFETY: all of them live as long as the launch.
            let (value, first, second) =
                unsafe { (GlobalCells::new(value, 1), Ticket::new(counters), Ticket::new(counters.add(1))) };
            if block == 0 {
                value.write(0, 5);
            }
            if block < 2 && !(skip && block == 1) {
                let _ = first.take(u32::MAX);
            }
            if block > 0 {
                let _ = second.take(u32::MAX);
            }
            if block == 2 {
                assert_eq!(value.read_handed_over(0), 5);
            }
        })
    };
    run(false).expect("the chain is whole");
    let before = line!();
    let found = run(true);
    let Err(Misuse::HandOverUnordered { written, read }) = found else { panic!("{found:?}") };
    assert_eq!((written.block[0], read.block[0]), (0, 2));
    assert_eq!([written, read].map(line), [before - 14, before - 5]);
    let text = Misuse::HandOverUnordered { written, read }.to_string();
    assert!(
        [written, read].iter().all(|&at| text.contains(&format!("hand_over.rs:{}:", line(at)))),
        "{text}"
    );
}

/// The line of a site in this file.
fn line(site: Site) -> u32 {
    let at = site.at.expect("the thread called something");
    assert_eq!(at.file(), file!());
    at.line()
}

#[test]
fn two_blocks_that_store_to_one_place_race() {
    let mut out = 0u32;
    let out = &raw mut out;
    for order in orders() {
        let found = Launch::new(2, 32).order(order).run(|| {
            if warp::lane_id() == 0 {
                // SAFETY: `out` lives as long as the launch.
                unsafe { GlobalCells::new(out, 1) }.write(0, 1);
            }
        });
        let before = line!();
        let Err(Misuse::GlobalRace { first, second }) = found else { panic!("{order:?} found {found:?}") };
        assert_ne!(first.block, second.block);
        assert_eq!([first, second].map(line), [before - 3; 2]);
    }
}

#[test]
fn a_slice_that_the_launch_wrote_needs_the_same_order() {
    let mut data = [0u32; 64];
    let data = data.as_mut_ptr();
    let run = |barrier: bool| {
        Launch::new(1, 64).run(|| {
            let t = u64::from(thread::thread_idx_x());
            // SAFETY: `data` has 64 integers and lives as long as the launch.
            let (cells, slice) = unsafe { (GlobalCells::new(data, 64), GlobalSlice::new(data, 64)) };
            cells.write(t, t as u32);
            if barrier {
                thread::sync_threads();
            }
            assert_eq!(slice.read(63 - t), 63 - t as u32);
        })
    };
    run(true).expect("a barrier orders the two");
    // Thread 0 reads what thread 63 has not written yet; thread 63 reads what thread 0 has written.
    assert!(matches!(run(false), Err(Misuse::Panicked { .. } | Misuse::HandOverUnordered { .. })));
}

#[test]
fn a_ticket_counts_round() {
    let mut counter = 0u32;
    let pointer = &raw mut counter;
    let taken = std::cell::RefCell::new(Vec::new());
    Launch::new(3, 1)
        // SAFETY: `counter` lives as long as the launch.
        .run(|| taken.borrow_mut().push(unsafe { Ticket::new(pointer) }.take(1)))
        .expect("the kernel is correct");
    assert_eq!((taken.into_inner(), counter), (vec![0, 1, 0], 1));
}
