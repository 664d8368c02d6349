//! The promises for reductions of host slices, on a driver  that does its work as late as
//! possible and detects memory that was freed or overwritten too early. Other tests compare bits on real
//! devices.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use std::ops::ControlFlow;
use std::panic::catch_unwind;

use cust::emulated::functions::{cuCtxPushCurrent_v2, cuMemHostRegister_v2, cuMemHostUnregister};
use emulated::{fail, folds, leaves_nothing, numbers, with_emulated, with_emulated_and};
use warpfold::{Cuda, DriverCode, Error, Feed, Sum, host};

/// Small feeds, so that small slices have many chunks: 4 of the smallest tiles, which are 64 KiB of 4-byte
/// elements.
fn feeds() -> [Feed; 4] {
    [(4096, 1), (4096, 3), (100_000, 2), (1 << 20, 4)]
        .map(|(bytes, buffers)| Feed::new(bytes, buffers).expect("a feed"))
}

/// Reduces, and checks the reports of progress.
fn sum(cuda: &Cuda, feed: &Feed, x: &[i32]) -> Result<i64, Error> {
    let mut last = None;
    let sum = cuda.reduce(
        Sum,
        host(x).with_feed(*feed).with_progress(|done, total| {
            assert!(
                total == x.len() as u64 && done <= total && last.is_none_or(|last| last < done),
                "{done} {total}"
            );
            last = Some(done);
            ControlFlow::Continue(())
        }),
    );
    assert!(sum.is_err() || last == Some(x.len() as u64));
    sum
}

#[test]
fn slices_of_every_length_are_folded() {
    leaves_nothing("slices_of_every_length_are_folded", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(9_000_001);
        for n in [0, 1, 4095, 4096, 4097, 16_383, 16_384, 16_385, 65_537, 262_144, 999_983, 9_000_001] {
            let expected = x[..n].iter().copied().map(i64::from).sum::<i64>();
            for feed in feeds() {
                assert_eq!(sum(&cuda, &feed, &x[..n]).expect("a sum"), expected, "{n}, {feed}");
            }
            assert_eq!(cuda.reduce(Sum, &x[..n]).expect("a sum"), expected, "{n}");
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

const CHUNKED: i32 = 1_000_003;

#[test]
fn chunks_are_the_slice_once_and_in_order() {
    const NAME: &str = "chunks_are_the_slice_once_and_in_order";
    let body = || {
        // SAFETY: this process has only one thread so far.
        unsafe { std::env::set_var("WARPFOLD_EMULATED_LOG", "1") }
        let (cuda, (x, expected)) = (Cuda::open(0).expect("the device"), numbers(CHUNKED));
        assert_eq!(sum(&cuda, &feeds()[1], &x).expect("a sum"), expected);
    };
    let Some(output) = with_emulated(NAME) else { return body() };
    let text = String::from_utf8_lossy(&output.stderr);
    let numbers = |start: &str| {
        let lines: Vec<_> = text.lines().filter_map(|line| line.strip_prefix(start)).collect();
        let words = |line: &&str| line.split(' ').filter_map(|word| word.parse().ok()).collect::<Vec<u64>>();
        lines.iter().map(words).collect::<Vec<_>>()
    };
    let mut next = 0;
    let folds = folds(&text);
    for &(first, len) in &folds {
        assert_eq!(first, next);
        next += len;
    }
    assert_eq!(next, CHUNKED as u64);
    assert_eq!(folds.len(), CHUNKED.unsigned_abs().div_ceil(16_384) as usize);
    let copied: u64 = numbers("emulated driver: copies ").iter().map(|copy| copy[0]).sum();
    assert!(copied >= 4 * CHUNKED as u64 && !text.contains("bytes of registered"), "{copied}");
    // Only the canary's operands.
    let pageable = text.lines().filter(|line| line.ends_with("bytes of pageable memory")).count();
    assert_eq!(pageable, 2, "{text}");
}

/// Page-locks the first `len` elements, until this is dropped.
struct Locked(*mut i32);

impl Locked {
    fn new(x: &mut [i32], len: usize) -> Self {
        // SAFETY: the emulated driver's context, and a slice that its tests keep for longer than this.
        unsafe {
            assert_eq!(cuCtxPushCurrent_v2(std::ptr::without_provenance_mut(0x1000)), 0);
            assert_eq!(cuMemHostRegister_v2(x.as_mut_ptr().cast(), size_of_val(&x[..len]), 0), 0);
        }
        Self(x.as_mut_ptr())
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // SAFETY: registered in `new`.
        unsafe { cuMemHostUnregister(self.0.cast()) };
    }
}

#[test]
fn a_page_locked_slice_is_the_callers_again_however_the_call_ends() {
    let body = || {
        let cuda = Cuda::open(0).expect("the device");
        let (mut x, _) = numbers(CHUNKED);
        let _locked = Locked::new(&mut x, CHUNKED as usize);
        let feed = feeds()[1];
        for round in 1..20 {
            // The emulated driver checks that the memory to copy was written.
            x.fill(round);
            match round % 3 {
                0 => {
                    let panicked = catch_unwind(|| {
                        cuda.reduce(Sum, host(&x).with_feed(feed).with_progress(|_, _| panic!("on purpose")))
                    });
                    assert!(panicked.is_err());
                }
                1 => {
                    let stopped = cuda
                        .reduce(Sum, host(&x).with_feed(feed).with_progress(|_, _| ControlFlow::Break(())));
                    assert!(matches!(stopped, Err(Error::Stopped { .. })));
                }
                _ => {
                    fail("cuLaunchKernel", round.unsigned_abs(), 801 + round.unsigned_abs());
                    sum(&cuda, &feed, &x).expect_err("a launch that fails");
                }
            }
        }
        x.fill(3);
        assert_eq!(sum(&cuda, &feed, &x).expect("a sum"), 3 * i64::from(CHUNKED));
    };
    with_emulated("a_page_locked_slice_is_the_callers_again_however_the_call_ends").map_or_else(body, drop);
}

#[test]
fn page_locked_slices_are_copied_from_where_they_lie() {
    const NAME: &str = "page_locked_slices_are_copied_from_where_they_lie";
    let body = || {
        let cuda = Cuda::open(0).expect("the device");
        let (mut x, _) = numbers(CHUNKED);
        let _locked = Locked::new(&mut x, 900_000);
        eprintln!("counted from here");
        for (range, chunks) in
            [(0..900_000, 55), (1..900_000, 55), (7..30, 1), (0..900_001, 0), (890_000..910_000, 0)]
        {
            let x = &x[range.clone()];
            let expected = x.iter().copied().map(i64::from).sum::<i64>();
            assert_eq!(sum(&cuda, &feeds()[1], x).expect("a sum"), expected, "{range:?}");
            eprintln!("expected: {chunks}");
        }
    };
    let Some(output) = with_emulated_and(NAME, &[("WARPFOLD_EMULATED_LOG", "1")]) else { return body() };
    let text = String::from_utf8_lossy(&output.stderr);
    let mut found = (0, 0);
    let mut checked = 0;
    for line in text.lines().skip_while(|line| !line.ends_with("counted from here")) {
        found.0 += usize::from(line.ends_with("bytes of registered memory"));
        found.1 += usize::from(line.ends_with("bytes of locked memory"));
        if let Some(chunks) = line.strip_prefix("expected: ") {
            let chunks: usize = chunks.parse().expect("a number");
            assert!(found.0 == chunks && (found.1 > 0) == (chunks == 0), "{found:?}, not {chunks}\n{text}");
            (found, checked) = ((0, 0), checked + 1);
        }
    }
    assert_eq!(checked, 5);
}

#[test]
fn a_callback_that_breaks_leaves_all_as_it_was() {
    leaves_nothing("a_callback_that_breaks_leaves_all_as_it_was", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, expected) = numbers(CHUNKED);
        for feed in feeds() {
            for n in [100, x.len()] {
                for calls in 1..6 {
                    let mut left = calls;
                    let stopped = cuda.reduce(
                        Sum,
                        host(&x[..n]).with_feed(feed).with_progress(|done, total| {
                            left -= 1;
                            if left == 0 || done == total {
                                ControlFlow::Break(())
                            } else {
                                ControlFlow::Continue(())
                            }
                        }),
                    );
                    let Err(Error::Stopped { done, total }) = stopped else { panic!("{stopped:?}") };
                    assert!(total == n as u64 && done > 0 && done <= total);
                }
            }
            let panicked = catch_unwind(|| {
                cuda.reduce(Sum, host(&x).with_feed(feed).with_progress(|_, _| panic!("on purpose")))
            });
            assert!(panicked.is_err());
            assert_eq!(sum(&cuda, &feed, &x).expect("a sum"), expected);
        }
        let of_nothing = cuda.reduce(Sum, host::<&[i32]>(&[]).with_progress(|_, _| ControlFlow::Break(())));
        assert!(matches!(of_nothing, Err(Error::Stopped { done: 0, total: 0 })));
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn a_callback_may_reduce() {
    leaves_nothing("a_callback_may_reduce", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, expected) = numbers(200_000);
        let mut inner = 0;
        let outer = cuda.reduce(
            Sum,
            host(&x).with_feed(feeds()[1]).with_progress(|_, _| {
                inner += i64::from(sum(&cuda, &feeds()[1], &x).expect("a sum") == expected);
                ControlFlow::Continue(())
            }),
        );
        assert_eq!((outer.expect("a sum"), inner), (expected, 13));
    });
}

#[test]
fn an_error_in_the_middle_leaves_all_usable() {
    leaves_nothing("an_error_in_the_middle_leaves_all_usable", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, expected) = numbers(CHUNKED);
        let feed = feeds()[1];
        assert_eq!(sum(&cuda, &feed, &x).expect("a sum"), expected);
        for function in ["cuMemcpyHtoDAsync_v2", "cuLaunchKernel", "cuEventRecord", "cuEventSynchronize"] {
            for count in [1, 2, 3, 4, 5, 6, 7, 30, 60] {
                // A code that says nothing about the device.
                fail(function, count, 801);
                let failed = sum(&cuda, &feed, &x);
                let is_said = matches!(failed, Err(Error::Driver { code: DriverCode(801), .. }));
                assert!(is_said, "{function} {count}: {failed:?}");
                assert_eq!(sum(&cuda, &feed, &x).expect("a sum"), expected, "after {function} {count}");
            }
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn too_little_memory_means_fewer_buffers() {
    leaves_nothing("too_little_memory_means_fewer_buffers", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, expected) = numbers(CHUNKED);
        let mut refused = Vec::new();
        for function in ["cuMemAlloc_v2", "cuMemHostAlloc"] {
            for count in 1..=10 {
                // New buffers: 4 queues with scratch, partial results, 4 places; 4 results and 4 page-locked
                // pieces.
                let feed = Feed::new(4096 + 16 * count as usize, 4).expect("a feed");
                fail(function, count, DriverCode::OUT_OF_MEMORY.0);
                match sum(&cuda, &feed, &x) {
                    Ok(found) => assert_eq!(found, expected, "{function} {count}"),
                    Err(
                        Error::OutOfMemory { .. } | Error::Driver { code: DriverCode::OUT_OF_MEMORY, .. },
                    ) => {
                        refused.push((function, count));
                    }
                    other => panic!("{function} {count}: {other:?}"),
                }
            }
        }
        // The first queue's scratch, the partial results, the first place; the first result, the first piece.
        let needed = [
            ("cuMemAlloc_v2", 1),
            ("cuMemAlloc_v2", 2),
            ("cuMemAlloc_v2", 6),
            ("cuMemHostAlloc", 1),
            ("cuMemHostAlloc", 5),
        ];
        assert_eq!(refused, needed);
        assert_eq!(sum(&cuda, &feeds()[1], &x).expect("a sum"), expected);
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn a_sticky_error_reaches_the_caller_and_stays() {
    let body = || {
        let cuda = Cuda::open(0).expect("the device");
        fail("run", 1, 700);
        let failed = cuda.reduce(Sum, &[1; 13]);
        assert!(matches!(failed, Err(Error::Driver { code: DriverCode::ILLEGAL_ADDRESS, .. })), "{failed:?}");
        assert!(matches!(cuda.reduce(Sum, &[1; 12]), Err(Error::Poisoned { .. })));
    };
    with_emulated("a_sticky_error_reaches_the_caller_and_stays").map_or_else(body, drop);
}

#[test]
fn threads_reduce_side_by_side() {
    leaves_nothing("threads_reduce_side_by_side", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(300_000);
        let (cuda, x) = (&cuda, &x);
        std::thread::scope(|scope| {
            for thread in 0..12 {
                scope.spawn(move || {
                    for round in 0..12 {
                        let x = &x[thread * 1000 + round..];
                        let expected = x.iter().copied().map(i64::from).sum::<i64>();
                        let feed = feeds()[(thread + round) % 4];
                        assert_eq!(sum(cuda, &feed, x).expect("a sum"), expected);
                    }
                });
            }
        });
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn buffers_are_used_again() {
    let body = || {
        let (cuda, (x, expected)) = (Cuda::open(0).expect("the device"), numbers(CHUNKED));
        let feed = feeds()[3];
        assert_eq!(sum(&cuda, &feed, &x).expect("a sum"), expected);
        for function in ["cuMemAlloc_v2", "cuMemHostAlloc", "cuEventCreate"] {
            fail(function, 1, 801);
            assert_eq!(sum(&cuda, &feed, &x).expect(function), expected);
            assert_eq!(sum(&cuda, &feed, &[1; 3]).expect(function), 3);
        }
    };
    with_emulated("buffers_are_used_again").map_or_else(body, drop);
}
