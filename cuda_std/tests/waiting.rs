//! Additions in shared memory, and blocks that wait for lower tickets.
#![cfg(feature = "emulator")]

use cuda_std::atomic::{AtomicCells, Ticket};
use cuda_std::emulator::{Launch, Misuse, Order};
use cuda_std::global::GlobalCells;
use cuda_std::shared::SharedSlice;
use cuda_std::thread;

cuda_std::shared_bytes! {
    /// A few words.
    fn words: 32
}

fn orders() -> impl Iterator<Item = Order> {
    let seeded = (0..10).flat_map(|seed| [Order::Shuffled(seed), Order::Interleaved(seed)]);
    [Order::InOrder, Order::Reversed].into_iter().chain(seeded)
}

/// Runs 64 threads with eight words that are 0.
fn run(order: Order, kernel: impl Fn(SharedSlice<u32>, u32)) -> Option<Misuse> {
    let kernel = || {
        let (words, thread) = (words().array::<u32, 8>().slice(), thread::thread_idx_x());
        if thread < 8 {
            words.write(thread as usize, 0);
        }
        thread::sync_threads();
        kernel(words, thread);
    };
    Launch::new(1, 64).order(order).run(kernel).err()
}

#[test]
fn no_addition_in_shared_memory_is_lost() {
    for order in orders() {
        let found = run(order, |words, thread| {
            words.add(thread as usize % 3, thread);
            words.add(3, u32::MAX);
            thread::sync_threads();
            assert_eq!((words.read(0), words.read(1), words.read(2)), (693, 651, 672));
            assert_eq!(words.read(3), 0u32.wrapping_sub(64));
        });
        assert!(found.is_none(), "{order:?}: {found:?}");
    }
}

/// An addition races with other kinds of access.
#[test]
fn additions_race_with_reads_and_writes() {
    for order in orders() {
        let races = |kernel: &dyn Fn(SharedSlice<u32>, u32)| {
            let found = run(order, kernel);
            assert!(matches!(found, Some(Misuse::SharedRace { .. })), "{order:?}: {found:?}");
        };
        races(&|words, thread| match thread {
            5 => words.add(0, 1),
            40 => drop(words.read(0)),
            _ => (),
        });
        races(&|words, thread| match thread {
            5 | 50 => words.add(0, 1),
            40 => words.write(0, 1),
            _ => (),
        });
        races(&|words, thread| match thread {
            5 => words.add(0, 1),
            6 => drop(words.read(0)),
            _ => (),
        });
    }
    let unwritten = Launch::new(1, 1).run(|| words().array::<u32, 8>().slice().add(0, 1));
    assert!(matches!(unwritten, Err(Misuse::SharedUninitialised { .. })), "{unwritten:?}");
}

/// Each block waits for the one with the ticket before its own: in every order all blocks end.
#[test]
fn blocks_wait_for_lower_tickets() {
    for order in orders() {
        let (mut counter, mut sums, mut out) = (0u32, [0u32; 9], [0u32; 9]);
        let (counter, cells, to) = (&raw mut counter, sums.as_mut_ptr(), out.as_mut_ptr());
        Launch::new(9, 64)
            .order(order)
            .run(|| {
                // SAFETY: all live as long as the launch, and have 9 integers.
                let (cells, to) = unsafe { (AtomicCells::<u32>::new(cells, 9), GlobalCells::new(to, 9)) };
                if thread::thread_idx_x() != 33 {
                    return;
                }
                // SAFETY: only tickets touch it.
                let ticket = u64::from(unsafe { Ticket::new(counter) }.take(8));
                let mut before = 0;
                while ticket > 0 && before == 0 {
                    before = cells.load(ticket - 1);
                    if before == 0 {
                        thread::nanosleep(20);
                    }
                }
                cells.store(ticket, before + 1);
                to.write(ticket, before);
            })
            .expect("every block comes to its end");
        assert_eq!(out, [0, 1, 2, 3, 4, 5, 6, 7, 8], "{order:?}");
    }
}

/// A block that waits for a later one is reported.
#[test]
fn waiting_for_nobody_is_reported() {
    let mut cell = 0u32;
    let start = &raw mut cell;
    let found = Launch::new(1, 1).run(|| {
        // SAFETY: it lives as long as the launch.
        let cell = unsafe { AtomicCells::<u32>::new(start, 1) };
        while cell.load(0) == 0 {
            thread::nanosleep(20);
        }
    });
    assert!(matches!(found, Err(Misuse::Spinning { .. })), "{found:?}");
}
