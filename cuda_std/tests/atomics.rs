//! Sums that many threads add to: none lost under any order, and what is not ordered with them is reported.
#![cfg(feature = "emulator")]
#![expect(clippy::expect_used, reason = "a test may")]

use cuda_std::atomic::{AtomicCells, AtomicNumber};
use cuda_std::emulator::{Launch, Order};
use cuda_std::global::GlobalCells;
use cuda_std::thread;

fn orders() -> impl Iterator<Item = Order> {
    let seeded = (0..10).flat_map(|seed| [Order::Shuffled(seed), Order::Interleaved(seed)]);
    [Order::InOrder, Order::Reversed].into_iter().chain(seeded)
}

/// Counts the numbers 0 to 999, thread by thread, by their remainder of 7; and sums them.
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

/// Every value before an addition is met once, and which thread meets it is up to the order.
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

/// Integers wrap round; f32 sums flush subnormals and f64 sums do not, as on a GPU.
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
