//! A planted bug for each report of the emulator, and beside it the same kernel without the bug.
#![cfg(feature = "emulator")]
#![expect(clippy::expect_used, reason = "a test may")]

use core::panic::Location;

use std::sync::Arc;

use cuda_std::emulator::{Launch, Misuse, Order, Site, Written};
use cuda_std::global::{CacheHint, GlobalCells, GlobalSlice, Vector, load_vector};
use cuda_std::{thread, warp};

cuda_std::shared_bytes! {
    /// One word for each of 64 threads.
    fn words: 256
}

/// The report for a kernel run by one block of 64 threads: the same kind, or none, in all orders.
fn report(kernel: impl Fn()) -> Option<Misuse> {
    let mut reports = [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)]
        .map(|order| Launch::new(1, 64).order(order).run(&kernel).err());
    let kind = |report: &Option<Misuse>| report.as_ref().map(core::mem::discriminant);
    for other in &reports[1..] {
        assert_eq!(kind(other), kind(&reports[0]), "{other:?} and {:?}", reports[0]);
    }
    reports[0].take()
}

/// The line of a site in this file.
fn line(site: Site) -> u32 {
    let at = site.at.expect("the thread called something");
    assert_eq!(at.file(), file!());
    at.line()
}

/// The line of the call.
#[track_caller]
fn here() -> u32 {
    Location::caller().line()
}

#[test]
fn stacks_that_no_machine_has_room_for() {
    for bytes in [usize::MAX, usize::MAX - 5000, isize::MAX as usize, 1 << 50] {
        let found = Launch::new(1, 32).stack_bytes(bytes).run(|| ());
        let Err(Misuse::Refused { reason }) = found else { panic!("{bytes}: {found:?}") };
        assert!(reason.contains("stack"), "{reason}");
    }
}

/// Kernels that are compiled without optimisation have frames of some hundred KiB.
#[test]
fn stacks_have_room_for_frames_of_half_a_mebibyte() {
    let run = Launch::new(1, 32).run(|| {
        let frame = std::hint::black_box([7u8; 512 * 1024]);
        assert_eq!(frame[thread::thread_idx_x() as usize], 7);
    });
    run.expect("a launch");
}

/// Ends the process, as a panic within another one does: the report is printed before.
#[test]
fn a_destructor_that_panics_while_its_thread_is_unwound() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("a destructor");
        }
    }
    const WITHIN: &str = "CUDA_STD_TEST_DESTRUCTOR";
    if std::env::var_os(WITHIN).is_some() {
        let _ = report(|| {
            let t = thread::thread_idx_x();
            let _panics = (t == 0).then(|| Panics);
            if t < 32 {
                thread::sync_threads();
            }
        });
        return;
    }
    let name = "a_destructor_that_panics_while_its_thread_is_unwound";
    let program = std::env::current_exe().expect("this test");
    let ended =
        std::process::Command::new(program).args(["--exact", "--nocapture", name]).env(WITHIN, "1").output();
    let ended = ended.expect("this test, once more");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success());
    assert!(said.contains("unwinds its threads: a barrier is not reached by all threads"), "{said}");
}

/// Not while it is unwound: an ordinary panic.
#[test]
fn a_destructor_that_panics_at_the_end_of_its_thread() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("a destructor");
        }
    }
    let found = report(|| drop(Panics));
    assert!(
        matches!(&found, Some(Misuse::Panicked { message, .. }) if message == "a destructor"),
        "{found:?}"
    );
}

#[test]
fn a_barrier_that_some_threads_never_reach() {
    let found = report(|| {
        if thread::thread_idx_x() < 50 {
            thread::sync_threads();
        }
    });
    let before = here();
    let Some(Misuse::BarrierMissed { waiting, ended }) = found else { panic!("{found:?}") };
    assert_eq!(line(waiting), before - 3);
    assert!(waiting.thread[0] < 50 && ended.thread[0] >= 50);
    assert_eq!((waiting.call, ended.at), ("sync_threads", None));
}

#[test]
fn threads_that_end_a_barrier_early() {
    let found = report(|| {
        thread::sync_threads();
        if thread::thread_idx_x() != 7 {
            thread::sync_threads();
        }
    });
    let before = here();
    let Some(Misuse::BarrierMissed { waiting, ended }) = found else { panic!("{found:?}") };
    assert_eq!((line(waiting), line(ended)), (before - 3, before - 5));
    assert_eq!(ended.thread, [7, 0, 0]);
    assert!(Misuse::BarrierMissed { waiting, ended }.to_string().contains(&format!(":{}:", before - 3)));
}

#[test]
fn two_barriers() {
    let found = report(|| {
        match thread::thread_idx_x() / 32 {
            0 => thread::sync_threads(),
            _ => thread::sync_threads(),
        };
    });
    let before = here();
    let Some(Misuse::DifferentCollectives { first, second }) = found else { panic!("{found:?}") };
    let mut lines = [line(first), line(second)];
    lines.sort_unstable();
    assert_eq!(lines, [before - 4, before - 3]);
}

#[test]
fn a_barrier_and_a_vote() {
    let found = report(|| {
        if thread::thread_idx_x() % 32 == 5 {
            thread::sync_threads();
        } else {
            // SAFETY: none, this is the bug.
            let _ = unsafe { warp::warp_vote_any(warp::ALL, true) };
        }
    });
    let before = here();
    let Some(Misuse::DifferentCollectives { first, second }) = found else { panic!("{found:?}") };
    let mut calls = [(first.call, line(first)), (second.call, line(second))];
    calls.sort_unstable();
    assert_eq!(calls, [("sync_threads", before - 6), ("warp_vote", before - 3)]);
}

#[test]
fn two_shuffles() {
    let found = report(|| {
        let lane = warp::lane_id();
        // SAFETY: none, this is the bug.
        let _ = unsafe {
            match lane {
                0..8 => warp::warp_shuffle_down(warp::ALL, lane, 1, 32),
                _ => warp::warp_shuffle_up(warp::ALL, lane, 1, 32),
            }
        };
    });
    let before = here();
    let Some(Misuse::DifferentCollectives { first, second }) = found else { panic!("{found:?}") };
    let mut calls = [(first.call, line(first)), (second.call, line(second))];
    calls.sort_unstable();
    assert_eq!(calls, [("warp_shuffle_down", before - 5), ("warp_shuffle_up", before - 4)]);
}

#[test]
fn masks_that_cross() {
    let found = report(|| {
        let mask = if warp::lane_id() == 0 { 0xffff_ffff } else { 0x0000_ffff };
        if warp::lane_id() < 16 {
            // SAFETY: none, this is the bug.
            unsafe { warp::sync_warp(mask) };
        }
        thread::sync_threads();
    });
    assert!(matches!(found, Some(Misuse::DifferentCollectives { .. })), "{found:?}");
}

#[test]
fn masks_that_wait_in_a_circle() {
    let found = report(|| {
        let lane = warp::lane_id();
        if lane < 3 {
            let next = (lane + 1) % 3;
            // SAFETY: none, this is the bug.
            unsafe { warp::sync_warp(1 << lane | 1 << next) };
        }
        thread::sync_threads();
    });
    assert!(matches!(found, Some(Misuse::DifferentCollectives { .. })), "{found:?}");
}

#[test]
fn a_lane_that_has_ended() {
    let found = report(|| {
        let t = thread::thread_idx_x();
        thread::sync_threads();
        if t == 40 {
            return;
        }
        // SAFETY: none, this is the bug.
        let _ = unsafe { warp::warp_shuffle_down(warp::ALL, t, 1, 32) };
    });
    let before = here();
    let Some(Misuse::LaneAbsent { waiting, lane, ended: Some(ended) }) = found else { panic!("{found:?}") };
    assert_eq!((waiting.call, lane, ended.thread), ("warp_shuffle_down", 8, [40, 0, 0]));
    assert_eq!((line(waiting), line(ended)), (before - 2, before - 7));
}

#[test]
fn a_lane_that_never_was() {
    let found = Launch::new(1, 48).run(|| {
        // SAFETY: none, this is the bug, in the second warp.
        let _ = unsafe { warp::warp_vote_ballot(warp::ALL, true) };
    });
    let Err(Misuse::LaneAbsent { waiting, lane: 16, ended: None }) = found else { panic!("{found:?}") };
    assert!(waiting.thread[0] >= 32);
}

#[test]
fn a_caller_that_its_mask_does_not_name() {
    let found = report(|| {
        // SAFETY: none, this is the bug.
        let _ = unsafe { warp::warp_vote_all(0x7fff_ffff, true) };
    });
    let before = here();
    let Some(Misuse::CallerNotInMask { at, mask: 0x7fff_ffff }) = found else { panic!("{found:?}") };
    assert_eq!((at.thread[0] % 32, line(at)), (31, before - 2));
}

#[test]
fn a_shuffle_from_a_lane_outside_its_mask() {
    let shuffle = |delta: u32| {
        report(move || {
            if warp::lane_id() < 16 {
                // SAFETY: the lanes named take part; the bug is that they read from the others.
                let _ = unsafe { warp::warp_shuffle_down(0xffff, 1u32, delta, 32) };
            }
        })
    };
    let before = here();
    assert_eq!(shuffle(0), None);
    let Some(Misuse::ShuffleFromOutside { at, lane, mask: 0xffff }) = shuffle(2) else { panic!() };
    assert_eq!((at.thread[0] % 32, lane, line(at)), (14, 16, before - 4));
}

/// Thread `t` writes word `t` and reads word `t ^ distance`, with `order` in between.
fn exchange(distance: usize, order: fn()) -> Option<Misuse> {
    report(move || {
        let t = thread::thread_idx_x() as usize;
        let words = words().array::<u32, 64>();
        words.write(t, 1);
        thread::sync_threads();
        words.write(t, t as u32);
        order();
        let _ = words.read(t ^ distance);
    })
}

#[test]
fn a_missing_barrier_is_a_race() {
    let nothing = || ();
    let vote = || {
        // SAFETY: every lane takes part.
        let _ = unsafe { warp::warp_vote_all(warp::ALL, true) };
    };
    // SAFETY: every lane takes part.
    let sync_warp = || unsafe { warp::sync_warp(warp::ALL) };
    let sync_halves = || {
        // SAFETY: every lane of each half takes part.
        unsafe { warp::sync_warp(if warp::lane_id() < 16 { 0xffff } else { 0xffff_0000 }) };
    };
    for distance in [1, 16, 32] {
        assert_eq!(exchange(distance, thread::sync_threads), None);
    }
    assert_eq!(exchange(0, nothing), None);
    assert_eq!(exchange(16, sync_warp), None);
    assert_eq!(exchange(8, sync_halves), None);
    // Shuffles and votes do not order memory; a sync of one warp does not order the other, nor does a sync of
    // half a warp order the other half.
    for found in [
        exchange(1, nothing),
        exchange(32, nothing),
        exchange(1, vote),
        exchange(32, sync_warp),
        exchange(16, sync_halves),
    ] {
        let Some(Misuse::SharedRace { first, second, variable, offset }) = found else { panic!("{found:?}") };
        assert!(variable.ends_with("::words"), "{variable}");
        assert_ne!(line(first), line(second));
        assert_ne!(first.thread, second.thread);
        let text = Misuse::SharedRace { first, second, variable, offset }.to_string();
        for site in [first, second] {
            assert!(text.contains(&format!("misuse.rs:{}:", line(site))), "{text}");
        }
    }
}

#[test]
fn a_write_after_somebody_elses_read_is_a_race() {
    let found = |barrier: bool| {
        report(move || {
            let t = thread::thread_idx_x() as usize;
            let words = words().array::<u32, 64>();
            words.write(t, t as u32);
            thread::sync_threads();
            let next = words.read((t + 1) % 64);
            if barrier {
                thread::sync_threads();
            }
            words.write(t, next);
        })
    };
    assert_eq!(found(true), None);
    let before = here();
    let Some(Misuse::SharedRace { first, second, .. }) = found(false) else { panic!() };
    let lines = [line(first), line(second)];
    assert!(lines == [before - 8, before - 4] || lines == [before - 4, before - 8], "{lines:?}");
}

#[test]
fn many_readers_and_a_writer() {
    let found = |writer: u32, barrier: bool| {
        report(move || {
            let t = thread::thread_idx_x();
            let words = words().array::<u32, 64>();
            if t == 0 {
                words.write(9, 5);
            }
            thread::sync_threads();
            assert_eq!(words.read(9), 5);
            // SAFETY: every lane takes part.
            unsafe { warp::sync_warp(warp::ALL) };
            if barrier {
                thread::sync_threads();
            }
            if t == writer {
                words.write(9, 5);
            }
        })
    };
    for writer in [0, 31, 32, 63] {
        assert_eq!(found(writer, true), None);
        let Some(Misuse::SharedRace { first, second, offset, .. }) = found(writer, false) else { panic!() };
        assert_eq!(offset, 36);
        // The sync orders the readers of its own warp. The race is with the readers of the other warp.
        assert_ne!(first.thread[0] / 32, second.thread[0] / 32);
    }
}

#[test]
fn two_writers_of_one_word() {
    let found = report(|| words().array::<u32, 64>().write(0, 1));
    let Some(Misuse::SharedRace { first, second, offset: 0, .. }) = found else { panic!("{found:?}") };
    assert_eq!((first.call, second.call, first.at), ("shared write", "shared write", second.at));
}

#[test]
fn shared_memory_that_nobody_wrote() {
    let found = report(|| {
        let t = thread::thread_idx_x() as usize;
        let words = words().array::<u32, 64>();
        if t != 63 {
            words.write(t, 0);
        }
        thread::sync_threads();
        let _ = words.read(t);
    });
    let before = here();
    let Some(Misuse::SharedUninitialised { at, offset, .. }) = found else { panic!("{found:?}") };
    assert_eq!((at.thread[0], offset, line(at)), (63, 252, before - 2));
}

#[test]
fn the_next_block_finds_shared_memory_unwritten() {
    let found = Launch::new(2, 1).run(|| {
        let words = words().array::<u32, 64>();
        if thread::block_idx_x() == 0 {
            words.write(0, 1);
        }
        let _ = words.read(0);
    });
    let before = here();
    let Err(Misuse::SharedUninitialised { at, .. }) = found else { panic!("{found:?}") };
    assert_eq!((at.block, line(at)), ([1, 0, 0], before - 2));
}

#[test]
fn memory_that_was_never_written_is_not_read() {
    let mut cells = [0xa5a5_a5a5u32; 40];
    let written = Arc::new(Written::nothing(160));
    written.add(0..128);
    let address = cells.as_mut_ptr();
    let launch = |ends: u64| {
        let bytes = std::ptr::slice_from_raw_parts(address, 40);
        Launch::new(1, 1).register_unwritten(bytes, &written).run(|| {
            // SAFETY: there are 40 cells, which live as long as the launch.
            let (cells, input) =
                unsafe { (GlobalCells::new(address, 40), GlobalSlice::new(address.cast_const(), 40)) };
            cells.write(33, 7);
            for i in 0..ends {
                let _ = input.read(i);
            }
        })
    };
    launch(32).expect("all of it was written");
    let found = launch(34);
    let Err(Misuse::GlobalUninitialised { address: found, .. }) = found else { panic!("{found:?}") };
    assert_eq!(found, address.addr() + 128);
    // Written past the emulator.
    // SAFETY: there are 40 cells, and no launch is under way.
    unsafe { address.add(32).write(5) };
    launch(34).expect("it has another value than unwritten memory");
}

#[test]
fn an_index_beyond_a_shared_array() {
    let found = report(|| {
        let t = thread::thread_idx_x() as usize;
        words().array::<u32, 63>().write(t, 0);
    });
    let before = here();
    let Some(Misuse::OutOfBounds { at }) = found else { panic!("{found:?}") };
    assert_eq!((at.thread[0], line(at)), (63, before - 2));
}

#[test]
fn more_shared_memory_than_a_block_has() {
    cuda_std::shared_bytes! {
        /// All shared memory.
        fn all: 49152
    }
    let fits = report(|| {
        if thread::thread_idx_x() == 0 {
            all().array::<u32, 12288>().write(12287, 1);
        }
    });
    assert_eq!(fits, None);
    let found = report(|| {
        let _ = words();
        let _ = all();
    });
    let Some(Misuse::Refused { reason }) = found else { panic!("{found:?}") };
    assert!(reason.contains("49408") && reason.contains("::all"), "{reason}");
}

cuda_std::dynamic_shared! {
    /// One word for each of 64 threads, if the launch gives that many.
    fn given
}

#[test]
fn an_index_beyond_dynamic_shared_memory() {
    let run = |bytes: u32| {
        Launch::new(1, 64)
            .shared_bytes(bytes)
            .run(|| given().slice::<u32>().write(thread::thread_idx_x() as usize, 0))
    };
    run(256).expect("64 words");
    for (bytes, thread) in [(255, 63), (100, 25), (0, 0)] {
        let found = run(bytes);
        let before = here();
        let Err(Misuse::OutOfBounds { at }) = found else { panic!("{found:?}") };
        assert_eq!((at.thread[0], line(at)), (thread, before - 5));
    }
}

#[test]
fn dynamic_shared_memory_is_watched_as_static_is() {
    let run = |skipped: u32, barrier: bool| {
        Launch::new(1, 64).shared_bytes(256).run(|| {
            let (t, words) = (thread::thread_idx_x(), given().slice::<u32>());
            if t != skipped {
                words.write(t as usize, t);
            }
            if barrier {
                thread::sync_threads();
            }
            let _ = words.read(63 - t as usize);
        })
    };
    let before = here();
    run(64, true).expect("the kernel is correct");
    let found = run(9, true);
    let Err(Misuse::SharedUninitialised { at, variable, offset: 36 }) = found else { panic!("{found:?}") };
    assert!(at.thread == [54, 0, 0] && variable.ends_with("::given"), "{at} {variable}");
    assert_eq!(line(at), before - 3);
    let found = run(64, false);
    let Err(Misuse::SharedUninitialised { offset: 252, .. }) = found else { panic!("{found:?}") };
    let race = report_dynamic(|| {
        let (t, words) = (thread::thread_idx_x() as usize, given().slice::<u32>());
        words.write(t, 1);
        thread::sync_threads();
        words.write(t, 2);
        let _ = words.read(63 - t);
    });
    let before = here();
    let Some(Misuse::SharedRace { first, second, variable, .. }) = race else { panic!("{race:?}") };
    assert_eq!((line(first), line(second)), (before - 2, before - 3));
    assert!(variable.ends_with("::given"), "{variable}");
}

/// The report for a block of 64 threads with 64 words of dynamic shared memory.
fn report_dynamic(kernel: impl Fn()) -> Option<Misuse> {
    Launch::new(1, 64).shared_bytes(256).run(kernel).err()
}

#[test]
fn more_dynamic_shared_memory_than_a_block_has() {
    let run = |bytes: u32| {
        Launch::new(1, 1).shared_bytes(bytes).run(|| words().array::<u32, 64>().write(0, 1)).err()
    };
    assert_eq!(run(227 * 1024 - 256), None);
    for bytes in [227 * 1024 - 255, 227 * 1024 + 1, u32::MAX] {
        let found = run(bytes);
        let Some(Misuse::Refused { reason }) = found else { panic!("{found:?}") };
        assert!(reason.contains(&bytes.to_string()) && reason.contains("232448"), "{reason}");
    }
}

#[test]
fn an_index_beyond_a_global_slice() {
    let data = [1u32; 63];
    let from = data.as_ptr();
    let found = report(|| {
        // SAFETY: the slice has 63 integers.
        let slice = unsafe { GlobalSlice::new(from, 63) };
        let _ = slice.read(u64::from(thread::thread_idx_x()));
    });
    let before = here();
    let Some(Misuse::OutOfBounds { at }) = found else { panic!("{found:?}") };
    assert_eq!((at.thread[0], line(at)), (63, before - 2));
}

#[test]
fn memory_that_the_launch_does_not_have() {
    let mut data = [1u32; 64];
    let to = data.as_mut_ptr();
    let run = |registered: usize| {
        Launch::new(1, 64).register(core::ptr::slice_from_raw_parts(to, registered)).run(|| {
            // SAFETY: the cells are 64 integers; the bug is that not all are registered.
            let cells = unsafe { GlobalCells::new(to, 64) };
            cells.write(u64::from(thread::thread_idx_x()), 7);
        })
    };
    let before = here();
    run(64).expect("all are registered");
    let found = run(60);
    let Err(Misuse::GlobalOutOfBounds { at, address, bytes: 4 }) = found else { panic!("{found:?}") };
    assert_eq!((at.thread[0], address, line(at)), (60, to.addr() + 240, before - 3));
}

#[test]
fn a_vector_load_that_is_not_aligned() {
    #[repr(align(16))]
    struct Aligned([u32; 64]);
    let data = Aligned(core::array::from_fn(|i| i as u32));
    let start = data.0.as_ptr();
    let run = |offset: usize| {
        Launch::new(1, 1).run(|| {
            // SAFETY: `offset` and 4 more integers are in the array; a misaligned vector is not read.
            let vector: [u32; 4] = unsafe { load_vector(start.add(offset), CacheHint::Stream) };
            assert_eq!((vector[0], vector[3]), (offset as u32, offset as u32 + 3));
        })
    };
    let before = here();
    run(0).expect("aligned");
    run(4).expect("aligned");
    let found = run(3);
    let Err(Misuse::GlobalMisaligned { at, address, align: 16 }) = found else { panic!("{found:?}") };
    assert_eq!((address, line(at)), (start.addr() + 12, before - 4));
}

#[test]
fn neighbours_are_written_wherever_they_lie_but_beyond_the_end() {
    #[repr(align(16))]
    struct Aligned([u32; 16]);
    let write = |first: usize| {
        let mut data = Aligned([0; 16]);
        let to = data.0.as_mut_ptr();
        let run = Launch::new(1, 1).register(core::ptr::slice_from_raw_parts(to, 16)).run(|| {
            // SAFETY: the cells are 16 integers.
            let cells = unsafe { GlobalCells::new(to, 16) };
            cells.write_neighbours(first as u64, [1u32, 2, 3, 4]);
        });
        run.map(|_| data.0)
    };
    for first in 0..=12 {
        let mut expected = [0; 16];
        expected[first..first + 4].copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(write(first).expect("within the cells"), expected);
    }
    assert!(write(13).is_err() && write(17).is_err());
}

#[test]
fn sleepers_that_nobody_wakes() {
    let found = report(|| {
        while thread::thread_idx_x() != 64 {
            thread::nanosleep(1);
        }
    });
    let before = here();
    let Some(Misuse::Spinning { at }) = found else { panic!("{found:?}") };
    assert_eq!(line(at), before - 3);
}

#[test]
fn a_panic_is_reported_and_the_rest_unwound() {
    /// Counts its drops.
    struct Dropped<'a>(&'a std::cell::Cell<u32>);
    impl Drop for Dropped<'_> {
        fn drop(&mut self) {
            // A destructor may call `thread_idx_x`.
            assert!(thread::thread_idx_x() < 64);
            self.0.set(self.0.get() + 1);
        }
    }
    let count = std::cell::Cell::new(0);
    let found = Launch::new(1, 64).run(|| {
        let _dropped = Dropped(&count);
        thread::sync_threads();
        assert!(thread::thread_idx_x() != 5, "thread five");
        thread::sync_threads();
    });
    let Err(Misuse::Panicked { at, message }) = found else { panic!("{found:?}") };
    assert_eq!((at.thread[0], message.as_str(), count.get()), (5, "thread five", 64));
}

#[test]
fn launches_that_no_gpu_takes() {
    for launch in [
        Launch::new(1, 1025),
        Launch::new(1, (32, 33)),
        Launch::new(1, (1, 1, 65)),
        Launch::new(1, 0),
        Launch::new(0, 32),
        Launch::new((1, 65536), 32),
        Launch::new(u32::MAX, 32),
        Launch::new(1, (1 << 31, 2)),
    ] {
        assert!(matches!(launch.run(|| ()), Err(Misuse::Refused { .. })), "{launch:?}");
    }
}

#[test]
#[should_panic = "outside `cuda_std::emulator::Launch::run`"]
fn a_device_function_outside_a_launch() {
    let _ = thread::thread_idx_x();
}

#[test]
fn a_column_that_is_not_all_there() {
    let memory: [u32; 20] = core::array::from_fn(|i| i as u32);
    let start = memory.as_ptr();
    // SAFETY: `memory` has 20 integers and lives as long as the launch.
    let slice = || unsafe { GlobalSlice::new(start, 20) };
    let found = report(|| {
        assert_eq!(slice().read_column::<3>(1, 9), [1, 10, 19]);
        assert_eq!(slice().read_column::<1>(19, u32::MAX), [19]);
    });
    assert!(found.is_none(), "{found:?}");
    for (first, step) in [(2, 9), (20, 0), (u64::MAX, 1), (0, u32::MAX)] {
        let found = report(|| {
            let _ = slice().read_column::<3>(first, step);
        });
        assert!(matches!(found, Some(Misuse::OutOfBounds { .. })), "{found:?}");
    }
    let found = report(|| {
        let _ = slice().window(0, 0).read_column::<1>(0, 1);
    });
    assert!(matches!(found, Some(Misuse::OutOfBounds { .. })), "{found:?}");
}

#[test]
fn a_column_of_vectors_that_is_not_all_there() {
    #[repr(align(16))]
    struct Aligned([u32; 22]);
    let memory = Aligned(core::array::from_fn(|i| i as u32));
    let start = memory.0.as_ptr();
    // SAFETY: `memory` has 22 integers and lives as long as the launch: five vectors, and two integers beyond
    // them.
    let vectors = || unsafe { GlobalSlice::new(start, 22) }.vectors::<4>().unwrap();
    let found = report(|| {
        let column = vectors().read_column::<3>(0, 2).map(Vector::elements);
        assert_eq!(column, [[0, 1, 2, 3], [8, 9, 10, 11], [16, 17, 18, 19]]);
        assert_eq!(vectors().read_column::<2>(4, 0).map(Vector::elements), [[16, 17, 18, 19]; 2]);
    });
    assert!(found.is_none(), "{found:?}");
    for (first, step) in [(1, 2), (0, 3), (5, 0), (u64::MAX, 1), (0, u64::MAX), (1, u64::MAX / 2 + 1)] {
        let found = report(|| {
            let _ = vectors().read_column::<3>(first, step);
        });
        assert!(matches!(found, Some(Misuse::OutOfBounds { .. })), "{first}, {step}: {found:?}");
    }
}
