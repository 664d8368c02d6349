//! The ladder's scans of one block, under the emulator: sums, and known counts.
#![allow(missing_docs)]

use cuda_std::emulator::{Counts, Launch, Order};
use gpu_kernels::arguments::ladder::Between;
use gpu_kernels::ladder::entry::{scan_blelloch, scan_blelloch_padded, scan_hillis_steele};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::samples;

type Kernel = unsafe fn(Between<i32>);

/// The sums by a block of `threads`, and its counts.
fn scanned(kernel: Kernel, x: &[i32], threads: u32, order: Order) -> (Vec<i32>, Counts) {
    let mut out = vec![-1; x.len()];
    let arguments = Between { input: x.into(), len: x.len() as u64, out: (&mut out[..]).into() };
    let launch = Launch::new(1, threads).order(order).register(x).register(&raw const out[..]);
    // SAFETY: both have as many integers and live as long as the launch.
    let counts = launch.run(|| unsafe { kernel(arguments) }).unwrap();
    (out, counts)
}

/// Inclusive sums, computed one by one.
fn sums(x: &[i32]) -> Vec<i32> {
    let add = |sum: &mut i32, &x: &i32| {
        *sum = sum.wrapping_add(x);
        Some(*sum)
    };
    x.iter().scan(0, add).collect()
}

#[test]
fn sums_are_right() {
    for threads in [1, 2, 32, 64, 512] {
        for order in [Order::InOrder, Order::Reversed, Order::Shuffled(5)] {
            for n in [1, threads, 2 * threads - 1, 2 * threads] {
                let x = samples::<i32>(Ordinary, 1, n.into());
                let inclusive = sums(&x);
                let exclusive: Vec<i32> =
                    [0].into_iter().chain(inclusive.iter().copied()).take(x.len()).collect();
                for kernel in [scan_blelloch as Kernel, scan_blelloch_padded] {
                    assert_eq!(scanned(kernel, &x, threads, order).0, exclusive, "{n} by {threads}");
                }
                if n <= threads {
                    assert_eq!(
                        scanned(scan_hillis_steele, &x, threads, order).0,
                        inclusive,
                        "{n} by {threads}"
                    );
                }
            }
        }
    }
}

/// The number of replays of a warp's request in which lane `i` of `lanes` accesses word `step * i`.
fn replays(step: u64, lanes: u64) -> u64 {
    let mut banks = [0; 32];
    (0..lanes).for_each(|lane| banks[(step * lane) as usize % 32] += 1);
    banks.into_iter().max().unwrap_or(0) - 1
}

/// A level whose pairs are `distance` apart reads two words and writes one on the way up, and reads two and
/// writes two on the way down; its lanes are twice the distance apart.
#[test]
fn padding_takes_the_bank_conflicts_away() {
    let x = samples::<i32>(Ordinary, 2, 1024);
    let expected: u64 = (0..10)
        .map(|level| {
            let (distance, pairs) = (1_u64 << level, 512_u64 >> level);
            let (warps, lanes) = (pairs.div_ceil(32), pairs.min(32));
            (3 + 4) * warps * replays(2 * distance, lanes)
        })
        .sum();
    let (_, plain) = scanned(scan_blelloch, &x, 512, Order::InOrder);
    let (_, padded) = scanned(scan_blelloch_padded, &x, 512, Order::InOrder);
    assert!(expected > 0);
    assert_eq!((plain.bank_replays, padded.bank_replays), (expected, 0));
    assert_eq!(plain.shared_accesses, padded.shared_accesses);
    // Doubling distances causes none either.
    let (_, doubling) = scanned(scan_hillis_steele, &x[..512], 512, Order::InOrder);
    assert_eq!(doubling.bank_replays, 0);
}
