//! Which passes a sort by digits leaves out. Its results do not show this.
#![allow(missing_docs)]

use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::{RadixDigits, RadixStarts};
use gpu_kernels::radix::entry::raw;
use gpu_kernels::radix::shapes::{COUNT_THREADS, DIGITS, STARTS_THREADS, counts_len};
use gpu_kernels::sort::shapes::codes;
use test_kernels::mix;

/// The number of passes that move keys, by the two launches before them.
fn passes(x: &[u32], coding: u32) -> u32 {
    let (len, portion) = (x.len() as u64, x.len().div_ceil(3) as u64);
    let (mut counts, mut route) = (vec![0_u64; counts_len(4) as usize], [0_u64]);
    let mut starts = vec![0_u64; 4 * DIGITS];
    let digits = RadixDigits { input: x.into(), len, portion, coding, counts: (&mut counts[..]).into() };
    // SAFETY: there is room for the counts, and the keys live as long as the launch.
    let ran = Launch::new(3, COUNT_THREADS).order(Order::Shuffled(3)).run(|| unsafe {
        raw::digits::<u32, 4>(digits);
    });
    ran.unwrap_or_else(|misuse| panic!("{len} keys: {misuse}"));
    let (starts, to) = ((&mut starts[..]).into(), (&mut route[..]).into());
    let of_digits = RadixStarts { counts: counts[..].into(), len, starts, route: to };
    // SAFETY: there is a start for each value of each digit, and all live as long as the launch.
    let ran = Launch::new(4, STARTS_THREADS).order(Order::Reversed).run(|| unsafe { raw::starts(of_digits) });
    ran.unwrap_or_else(|misuse| panic!("{len} keys: {misuse}"));
    // The upper bits say that keys are copied.
    if route[0] >> 8 == 0 { (route[0] as u32).count_ones() } else { 0 }
}

#[test]
fn passes_of_digits_that_all_share_are_left_out() {
    const N: u64 = 1_501;
    let check = |name: &str, expected: [u32; 2], key: &dyn Fn(u64) -> u64| {
        let x: Vec<u32> = (0..N).map(|i| key(i) as u32).collect();
        let found = [codes::UNSIGNED, codes::DESCENDING].map(|coding| passes(&x, coding));
        assert_eq!(found, expected, "{name}");
    };
    check("sorted", [0, 0], &|i| i << 16);
    check("reversed", [0, 0], &|i| N - i);
    check("equal", [0, 0], &|_| 3);
    check("reversed with equal ones", [2, 0], &|i| (N - i) / 2);
    check("two values", [1, 1], &|i| (mix(i) % 2) << 8);
    check("organ pipe", [2, 2], &|i| i.min(N - i));
    check("the second and the fourth byte", [2, 2], &|i| mix(i) & 0xff00_ff00);
}
