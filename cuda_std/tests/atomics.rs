//! Atomic additions by many threads: none is lost in any order, and accesses that are not ordered with them are
//! reported.
#![cfg(feature = "emulator")]
#![expect(clippy::expect_used, reason = "a test may")]

use cuda_std::atomic::{AtomicCells, AtomicNumber, AtomicWord, Ticket};
use cuda_std::emulator::{Launch, Misuse, Order, Site};
use cuda_std::global::GlobalCells;
use cuda_std::thread;

fn orders() -> impl Iterator<Item = Order> {
    let seeded = (0..10).flat_map(|seed| [Order::Shuffled(seed), Order::Interleaved(seed)]);
    [Order::InOrder, Order::Reversed].into_iter().chain(seeded)
}

/// Counts the numbers 0 to 999, thread by thread, by their remainder modulo 7; and sums them.
fn histogram<T: AtomicNumber + From<u8> + PartialEq + core::fmt::Debug>(sum: T, counts: [u8; 7]) {
    for order in orders() {
        let mut bins = [T::from(0); 8];
        let start = bins.as_mut_ptr();
        Launch::new(4, 250)
            .order(order)
            .register(&bins[..])
            .run(|| {
                // SAFETY: `bins` has 8 numbers and lives as long as the launch.
                let bins = unsafe { AtomicCells::new(start, 8) };
                let i = thread::index_1d();
                bins.add(i % 7, T::from(1));
                let _ = bins.fetch_add(7, T::from((i % 250) as u8));
            })
            .expect("the kernel is correct");
        assert_eq!(bins[..7], counts.map(T::from), "{order:?}");
        assert_eq!(bins[7], sum, "{order:?}");
    }
}

#[test]
fn no_addition_is_lost() {
    let counts = [143, 143, 143, 143, 143, 143, 142];
    let sum = 4 * 250 * 249 / 2;
    histogram::<i32>(sum, counts);
    histogram::<u32>(sum as u32, counts);
    histogram::<i64>(i64::from(sum), counts);
    histogram::<u64>(sum as u64, counts);
    histogram::<f32>(sum as f32, counts);
    histogram::<f64>(f64::from(sum), counts);
}

/// Each addition returns a different earlier value; which thread gets which depends on the order.
#[test]
fn each_thread_is_told_another_value_before() {
    let run = |order: Order| {
        let (mut counter, mut before) = (0u32, [0u32; 192]);
        let (cell, to) = (&raw mut counter, before.as_mut_ptr());
        Launch::new(2, 96)
            .order(order)
            .run(|| {
                // SAFETY: both live as long as the launch, and have that many integers.
                let (cell, to) = unsafe { (AtomicCells::new(cell, 1), GlobalCells::new(to, 192)) };
                to.write(thread::index_1d(), cell.fetch_add(0, 1));
            })
            .expect("the kernel is correct");
        let mut sorted = before;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..192), "{order:?}");
        before
    };
    for order in orders() {
        assert_eq!(run(order), run(order), "{order:?}");
    }
    assert!(run(Order::InOrder).into_iter().eq(0..192));
    assert!(run(Order::Reversed).into_iter().eq((0..192).rev()));
    assert_ne!(run(Order::Shuffled(1)), run(Order::Shuffled(2)));
}

/// Integers wrap; f32 sums flush subnormals and f64 sums do not, as on a GPU.
#[test]
fn the_sums_are_the_instructions() {
    fn add<T: AtomicNumber>(mut cell: T, value: T) -> T {
        let start = &raw mut cell;
        let counts = Launch::new(1, 1)
            // SAFETY: `cell` lives as long as the launch.
            .run(|| unsafe { AtomicCells::new(start, 1) }.add(0, value))
            .expect("the kernel is correct");
        assert_eq!((counts.atomics, counts.global_accesses), (1, 0));
        cell
    }
    assert_eq!(add(i32::MAX, 1), i32::MIN);
    assert_eq!(add(-3i64, -4), -7);
    assert_eq!(add(u64::MAX, 2), 1);
    assert_eq!(add(1e8f32, 3.0), 1e8);
    let least = f32::MIN_POSITIVE;
    assert_eq!(add(least / 2.0, least / 2.0).to_bits(), 0);
    assert_eq!(add(-least * 1.5, least).to_bits(), (-0.0f32).to_bits());
    assert_eq!(add(-least / 2.0, -0.0).to_bits(), (-0.0f32).to_bits());
    assert_eq!(add(f64::MIN_POSITIVE / 2.0, f64::MIN_POSITIVE / 4.0), f64::MIN_POSITIVE * 0.75);
}

/// The report for a kernel with a cell and a flag, run by two blocks of 32 threads: the same kind in each
/// order.
fn misuse(kernel: impl Fn(AtomicCells<u32>, GlobalCells<u32>)) -> Option<Misuse> {
    let mut reports: Vec<Option<Misuse>> = orders()
        .map(|order| {
            let mut memory = [0u32; 4];
            let start = memory.as_mut_ptr();
            let launch = Launch::new(2, 32).order(order).register(&memory[..]);
            // SAFETY: `memory` lives as long as the launch; the test is that both handles name it.
            launch.run(|| unsafe { kernel(AtomicCells::new(start, 4), GlobalCells::new(start, 4)) }).err()
        })
        .collect();
    let kind = |report: &Option<Misuse>| report.as_ref().map(core::mem::discriminant);
    for other in &reports[1..] {
        assert_eq!(kind(other), kind(&reports[0]), "{other:?} and {:?}", reports[0]);
    }
    reports.swap_remove(0)
}

fn is_first_of_block(block: u32) -> bool {
    thread::thread_idx_x() == 0 && thread::block_idx_x() == block
}

/// The lines of two sites in this file.
fn lines(first: Site, second: Site) -> (u32, u32) {
    let line = |site: Site| {
        let at = site.at.expect("it called something");
        assert_eq!(at.file(), file!());
        at.line()
    };
    (line(first), line(second))
}

#[track_caller]
fn here() -> u32 {
    core::panic::Location::caller().line()
}

#[test]
fn atomics_of_all_threads_on_one_cell_do_not_race() {
    assert_eq!(misuse(|cells, _| cells.add(0, 1)), None);
    // Nor for an access to another place.
    let other = |cells: AtomicCells<u32>, plain: GlobalCells<u32>| {
        cells.add(0, 1);
        if is_first_of_block(1) {
            plain.write(1, 7);
        }
    };
    assert_eq!(misuse(other), None);
}

#[test]
fn an_atomic_and_a_plain_store_race() {
    let found = misuse(|cells, plain| {
        if is_first_of_block(0) {
            cells.add(3, 1);
        }
        if is_first_of_block(1) {
            plain.write(3, 7);
        }
    });
    let before = here();
    let Some(Misuse::GlobalRace { first, second }) = found else { panic!("{found:?}") };
    assert_eq!(lines(first, second), (before - 6, before - 3));
    assert_eq!((first.call, second.call, first.block[0], second.block[0]), ("atomic add", "store", 0, 1));
}

#[test]
fn an_atomic_and_a_plain_read_race() {
    let found = misuse(|cells, plain| {
        if is_first_of_block(0) {
            let _ = cells.fetch_add(3, 1);
        }
        if is_first_of_block(1) {
            let _ = plain.read_handed_over(3);
        }
    });
    let before = here();
    let Some(Misuse::HandOverUnordered { written, read }) = found else { panic!("{found:?}") };
    assert_eq!(lines(written, read), (before - 6, before - 3));
    assert_eq!((written.call, read.call), ("atomic fetch_add", "load_handed_over"));
}

/// A thread is not ordered after others' additions by adding last itself.
#[test]
fn who_adds_last_does_not_come_after_the_others() {
    let found = misuse(|cells, plain| {
        if cells.fetch_add(0, 1) == 63 {
            let _ = plain.read_handed_over(0);
        }
    });
    let Some(Misuse::HandOverUnordered { written, read }) = found else { panic!("{found:?}") };
    assert_ne!((written.block, written.thread), (read.block, read.thread));
}

/// A flag set by an atomic hands nothing over, since it is relaxed.
#[test]
fn an_atomic_orders_no_other_memory() {
    let found = misuse(|cells, plain| {
        if is_first_of_block(0) {
            plain.write(1, 5);
            thread::device_fence();
            cells.add(0, 1);
        }
        if is_first_of_block(1) {
            let _ = cells.fetch_add(0, 0);
            let _ = plain.read_handed_over(1);
        }
    });
    let before = here();
    let Some(Misuse::HandOverUnordered { written, read }) = found else { panic!("{found:?}") };
    assert_eq!(lines(written, read), (before - 9, before - 3));
}

/// A barrier orders within a block, a ticket between blocks: the last block reads all sums.
#[test]
fn a_barrier_and_a_ticket_order_atomics() {
    let run = |order: Order, barrier: bool| {
        let (mut sums, mut counter, mut out) = ([0u32; 2], 0, 0);
        let (sums, counter, to) = (sums.as_mut_ptr(), &raw mut counter, &raw mut out);
        let launch = Launch::new(3, 70).order(order).run(|| {
            // SAFETY: all live as long as the launch and have that many integers.
            let (cells, plain, ticket, to) = unsafe {
                (
                    AtomicCells::new(sums, 2),
                    GlobalCells::new(sums, 2),
                    Ticket::new(counter),
                    GlobalCells::new(to, 1),
                )
            };
            let t = thread::thread_idx_x();
            cells.add(u64::from(t % 2), t);
            if barrier {
                thread::sync_threads();
            }
            if t == 69 && ticket.take(2) == 2 {
                to.write(0, plain.read_handed_over(0) + plain.read_handed_over(1));
            }
        });
        launch.map(|counts| (out, counts.atomics, counts.tickets))
    };
    for order in orders() {
        assert_eq!(run(order, true), Ok((3 * 69 * 70 / 2, 210, 3)), "{order:?}");
        let found = run(order, false);
        assert!(matches!(found, Err(Misuse::HandOverUnordered { .. })), "{order:?} found {found:?}");
    }
}

#[test]
fn a_cell_that_is_not_there() {
    let mut memory = [0u64; 4];
    let start = memory.as_mut_ptr();
    let run = |registered: usize, index: u64, shift: usize| {
        let launch = Launch::new(1, 1).register(core::ptr::slice_from_raw_parts(start, registered));
        // SAFETY: `memory` has 4 integers; a place that is missing, unregistered or misaligned is not accessed.
        launch.run(|| unsafe { AtomicCells::new(start.byte_add(shift), 4) }.add(index, 1))
    };
    let before = here();
    run(4, 3, 0).expect("all is there");
    let line = |site: Site| lines(site, site).0;
    let found = run(4, 4, 0);
    let Err(Misuse::OutOfBounds { at }) = found else { panic!("{found:?}") };
    assert_eq!(line(at), before - 2);
    let found = run(3, 3, 0);
    let Err(Misuse::GlobalOutOfBounds { at, address, bytes: 8 }) = found else { panic!("{found:?}") };
    assert_eq!((line(at), address), (before - 2, start.addr() + 24));
    let found = run(4, 2, 4);
    let Err(Misuse::GlobalMisaligned { at, align: 8, .. }) = found else { panic!("{found:?}") };
    assert_eq!(line(at), before - 2);
    assert_eq!(memory, [0, 0, 0, 1]);
}

/// The least value stays, whoever comes last; a greater one changes nothing.
#[test]
fn the_least_stays() {
    for order in orders() {
        let mut cells = [u64::MAX, 3, u64::MAX];
        let start = cells.as_mut_ptr();
        let counts = Launch::new(2, 64)
            .order(order)
            .register(&cells[..])
            .run(|| {
                // SAFETY: `cells` has 3 integers and lives as long as the launch.
                let cells = unsafe { AtomicCells::new(start, 3) };
                let i = thread::index_1d();
                cells.min(0, (1 << 40) + (i * 37) % 128);
                cells.min(1, 4 + i);
            })
            .expect("the kernel is correct");
        assert_eq!((cells, counts.atomics), ([1 << 40, 3, u64::MAX], 256), "{order:?}");
    }
}

/// The value of thread `i`: all are different, and the bits of `i` are its lowest and its highest.
fn value(i: u64) -> u64 {
    i.reverse_bits() | i
}

/// What 128 threads make of a cell that is 5 at first: the greatest value, all bits, and those that an odd number of values has.
fn updated<T: AtomicWord>(narrow: impl Fn(u64) -> T, wide: impl Fn(T) -> u64) -> [u64; 3] {
    let all = || (0..128).map(|i| wide(narrow(value(i))));
    [all().max().expect("128 values").max(5), all().fold(5, |a, b| a | b), all().fold(5, |a, b| a ^ b)]
}

fn update<T: AtomicWord + PartialEq + core::fmt::Debug>(
    narrow: impl Fn(u64) -> T + Copy,
    wide: impl Fn(T) -> u64 + Copy,
) {
    for order in orders() {
        let mut cells = [narrow(5); 3];
        let start = cells.as_mut_ptr();
        let counts = Launch::new(2, 64)
            .order(order)
            .register(&cells[..])
            .run(|| {
                // SAFETY: `cells` has 3 integers and lives as long as the launch.
                let cells = unsafe { AtomicCells::new(start, 3) };
                let value = narrow(value(thread::index_1d()));
                cells.max(0, value);
                cells.or(1, value);
                cells.xor(2, value);
            })
            .expect("the kernel is correct");
        assert_eq!((cells.map(wide), counts.atomics), (updated(narrow, wide), 3 * 128), "{order:?}");
    }
}

#[test]
fn no_update_of_bits_is_lost() {
    update::<u32>(|value| (value >> 32) as u32 | value as u32, u64::from);
    update::<u64>(|value| value, |value| value);
}

cuda_std::shared_bytes! {
    /// Three cells of each size.
    fn cells: 48
}

/// The same in shared memory, by one block.
#[test]
fn no_update_of_shared_bits_is_lost() {
    let narrow = |value: u64| (value >> 32) as u32 | value as u32;
    for order in orders() {
        Launch::new(1, 128)
            .order(order)
            .run(|| {
                let (words, longs) = (cells().array::<u32, 12>().slice(), cells().array::<u64, 6>().slice());
                let (i, value) = (thread::index_1d(), value(thread::index_1d()));
                if i < 3 {
                    words.write(i as usize, 5);
                }
                if i == 3 {
                    longs.write(3, 5);
                }
                thread::sync_threads();
                words.max(0, narrow(value));
                words.or(1, narrow(value));
                words.xor(2, narrow(value));
                longs.max(3, value);
                thread::sync_threads();
                let found = [0, 1, 2].map(|i| u64::from(words.read(i)));
                assert_eq!(found, updated(narrow, u64::from));
                assert_eq!(longs.read(3), updated(|value| value, |value| value)[0]);
            })
            .expect("the kernel is correct");
    }
}
