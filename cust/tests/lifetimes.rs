//! The promises of a stream, on the emulated driver: nothing that unfinished work uses is freed, and
//! everything is freed in the end. Needs no GPU.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod emulated;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cust::context::Context;
use cust::device::{CudaApiVersion, Device, DeviceAttribute};
use cust::error::{CudaError, DriverCode};
use cust::event::Event;
use cust::graph::Recording;
use cust::memory::{Lent, LockedBuffer, Memory};
use cust::stream::Stream;
use emulated::{leaves_nothing, with_emulated, with_emulated_and};

/// The device of the emulated driver, opened.
fn open() -> (Arc<Context>, Stream) {
    cust::init().expect("a driver");
    let context = Context::open(Device::get_device(0).expect("a device")).expect("its context");
    let stream = Stream::new(&context).expect("a stream");
    (context, stream)
}

#[test]
fn a_device_says_what_it_is() {
    leaves_nothing("a_device_says_what_it_is", || {
        cust::init().expect("a driver");
        assert!(CudaApiVersion::get().expect("a version") >= CudaApiVersion { major: 11, minor: 0 });
        assert_eq!(Device::num_devices().expect("a number"), 1);
        let device = Device::get_device(0).expect("a device");
        assert!(device.name().expect("a name").contains("no GPU"));
        assert!(device.total_memory().expect("a size") > 0);
        assert_eq!(device.get_attribute(DeviceAttribute::ComputeCapabilityMajor).expect("a number"), 9);
        let missing = Device::get_device(1);
        assert!(matches!(missing, Err(CudaError::NoSuchDevice { ordinal: 1, count: 1 })), "{missing:?}");
    });
}

#[test]
fn memory_goes_there_and_comes_back() {
    leaves_nothing("memory_goes_there_and_comes_back", || {
        let (context, stream) = open();
        let x: Vec<u32> = (0..1000).map(|i| i * 7919).collect();
        let memory = Memory::uploaded(&stream, &x).expect("memory");
        assert_eq!(memory.download::<u32>(&stream, 0, x.len()).expect("the elements"), x);
        let middle = memory.region(400, 80).expect("a region");
        assert_eq!(middle.download::<u32>(&stream, 20).expect("some"), x[100..120]);
        middle.copy_from(&stream, &[1u32, 2]).expect("two elements");
        assert_eq!(middle.copy_to(&stream, vec![0u32; 3]).expect("three elements"), [1, 2, x[102]]);
        stream.fill(middle, 0xff).expect("a fill");
        assert_eq!(middle.download::<u32>(&stream, 20).expect("some"), [u32::MAX; 20]);
        let mut buffer = LockedBuffer::zeroed(&context, 80).expect("a buffer");
        buffer.receive(&stream, middle, 0).expect("a copy");
        assert_eq!(buffer.received::<u32>(0, 20).expect("some"), [u32::MAX; 20]);
    });
}

/// Under the thread sanitizer too (`.ci/sanitize thread driver`).
#[test]
fn threads_share_a_context() {
    leaves_nothing("threads_share_a_context", || {
        let (context, _) = open();
        std::thread::scope(|scope| {
            for thread in 0..4_u32 {
                let context = &context;
                scope.spawn(move || {
                    let stream = Stream::new(context).expect("a stream");
                    for round in 0..20 {
                        let values = [thread, round, thread ^ round];
                        let memory = Memory::uploaded(&stream, &values).expect("memory");
                        // The context keeps one allocation for whichever thread needs it next.
                        let scratch = Memory::scratch(&stream, 64 << (round % 5)).expect("scratch memory");
                        scratch
                            .whole()
                            .part(0, 3, 4)
                            .and_then(|part| part.copy_from(&stream, &values))
                            .expect("a copy");
                        let events = [(); 2].map(|()| Event::record(&stream).expect("an event"));
                        assert!(events[0].elapsed_ms(&events[1]).expect("a time") >= 0.0);
                        assert_eq!(memory.download::<u32>(&stream, 0, 3).expect("the elements"), values);
                        assert_eq!(scratch.download::<u32>(&stream, 0, 3).expect("the elements"), values);
                    }
                });
            }
        });
        assert_eq!(context.failed_frees(), 0);
    });
}

#[test]
fn ranges_beyond_the_end_are_refused() {
    leaves_nothing("ranges_beyond_the_end_are_refused", || {
        let (context, stream) = open();
        let memory = Memory::zeroed(&stream, 64).expect("memory");
        let refused = |answer: Result<(), CudaError>| {
            assert!(matches!(answer, Err(CudaError::OutOfBounds { .. })), "{answer:?}");
        };
        refused(memory.region(60, 5).map(drop));
        refused(memory.region(usize::MAX, 2).map(drop));
        refused(memory.download::<u8>(&stream, 1, 64).map(drop));
        refused(memory.download::<u64>(&stream, 0, usize::MAX).map(drop));
        refused(memory.whole().array_of::<*mut u64>(9).map(drop));
        refused(memory.region(4, 60).and_then(|region| region.array_of::<*mut u64>(1)).map(drop));
        refused(memory.whole().copy_from(&stream, &[0u8; 65]));
        let mut buffer = LockedBuffer::new(&context, 64).expect("a buffer");
        refused(buffer.send(&stream, 65, &memory, 0));
        refused(buffer.receive(&stream, memory.whole(), 1));
        // The memory to read was never written.
        refused(buffer.received::<u8>(0, 1).map(drop));
    });
}

#[test]
fn what_is_dropped_is_freed_when_its_work_has_ended() {
    leaves_nothing("what_is_dropped_is_freed_when_its_work_has_ended", || {
        let (_, stream) = open();
        let memory = Memory::zeroed(&stream, 1 << 16).expect("memory");
        let kept = Arc::downgrade(&memory);
        // The emulated driver does this when the stream is waited for, and checks that the memory still exists.
        stream.fill(memory.whole(), 1).expect("a fill");
        drop(memory);
        assert!(kept.upgrade().is_some());
        stream.wait().expect("the end");
        assert!(kept.upgrade().is_none());
    });
}

#[test]
fn a_graph_keeps_what_it_was_recorded_with() {
    leaves_nothing("a_graph_keeps_what_it_was_recorded_with", || {
        let (context, stream) = open();
        let memory = Memory::zeroed(&stream, 256).expect("memory");
        let kept = Arc::downgrade(&memory);
        let recording = Recording::start(&stream).expect("a recording");
        stream.fill(memory.whole(), 1).expect("a fill");
        let refused = |answer: Result<(), CudaError>| {
            assert!(matches!(answer, Err(CudaError::Capturing { .. })), "{answer:?}");
        };
        // Calls that wait, and those that a graph would repeat while the host uses the result.
        refused(stream.wait());
        refused(Event::record(&stream).map(drop));
        refused(memory.download::<u8>(&stream, 0, 1).map(drop));
        refused(LockedBuffer::new(&context, 256).expect("a buffer").send(&stream, 256, &memory, 0));
        let mut graph = recording.end().expect("a graph");
        drop(memory);
        for _ in 0..3 {
            graph.launch(&stream).expect("a launch");
        }
        stream.wait().expect("the end");
        assert!(kept.upgrade().is_some());
        drop(graph);
        stream.wait().expect("the end");
        assert!(kept.upgrade().is_none());
    });
}

#[test]
fn a_code_that_nobody_knows_is_a_number() {
    const NAME: &str = "a_code_that_nobody_knows_is_a_number";
    let Some(_) = with_emulated_and(NAME, &[("WARPFOLD_EMULATED_FAILURE", "cuMemAlloc_v2 1 54321")]) else {
        let (context, stream) = open();
        let refused = Memory::allocate(&context, 1);
        assert!(matches!(refused, Err(CudaError::Driver { code: DriverCode(54321), .. })), "{refused:?}");
        assert!(refused.expect_err("a code").to_string().contains("54321"));
        // Not sticky: the next call works.
        Memory::zeroed(&stream, 1).expect("memory");
        return;
    };
}

#[test]
fn after_a_sticky_error_no_call_reaches_the_driver() {
    const NAME: &str = "after_a_sticky_error_no_call_reaches_the_driver";
    let Some(_) = with_emulated_and(NAME, &[("WARPFOLD_EMULATED_FAILURE", "cuMemAlloc_v2 2 700")]) else {
        let (context, stream) = open();
        let memory = Memory::zeroed(&stream, 64).expect("memory");
        stream.fill(memory.whole(), 1).expect("a fill");
        let dead = Memory::allocate(&context, 1);
        assert!(matches!(dead, Err(CudaError::Driver { code: DriverCode(700), .. })), "{dead:?}");
        assert!(matches!(stream.wait(), Err(CudaError::Poisoned { .. })));
        let refused = Memory::allocate(&context, 1);
        assert!(matches!(refused, Err(CudaError::Poisoned { .. })), "{refused:?}");
        drop((memory, stream));
        assert!(context.failed_frees() > 0);
        return;
    };
}

#[test]
fn a_function_that_the_driver_lacks_is_an_error() {
    let body = || {
        let (_, stream) = open();
        // The emulated driver has no names of codes, like drivers before CUDA 6.
        assert_eq!(DriverCode(2).to_string(), "driver code 2");
        stream.wait().expect("nothing");
    };
    with_emulated("a_function_that_the_driver_lacks_is_an_error").map_or_else(body, drop);
}

/// The stream is another library's; a wait in another thread keeps it from being released.
#[test]
fn a_forked_child_drops_a_stream_that_another_thread_waits_for() {
    const NAME: &str = "a_forked_child_drops_a_stream_that_another_thread_waits_for";
    const NO_HANG: i32 = 1;
    const SIGKILL: i32 = 9;
    unsafe extern "C" {
        fn fork() -> i32;
        fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
        fn kill(pid: i32, signal: i32) -> i32;
        fn _exit(status: i32) -> !;
    }
    if with_emulated_and(NAME, &[("WARPFOLD_EMULATED_WAIT", "1000")]).is_some() {
        return;
    }
    let (context, _own) = open();
    // SAFETY: the legacy default stream always exists.
    let lent = unsafe { Stream::borrow(&context, std::ptr::null_mut()) }.expect("the default stream");
    let handle = lent.handle().clone();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(move || handle.wait());
        std::thread::sleep(Duration::from_millis(200));
        // SAFETY: the child drops a stream and exits.
        let pid = unsafe { fork() };
        if pid == 0 {
            drop(lent);
            // SAFETY: ends the child at once.
            unsafe { _exit(42) }
        }
        assert!(!waiting.is_finished(), "nobody waited at the fork: this test would not notice");
        let (mut status, start) = (0, Instant::now());
        // SAFETY: asks about the child made above, and writes to a local.
        while unsafe { waitpid(pid, &raw mut status, NO_HANG) } == 0 {
            if start.elapsed() > Duration::from_secs(5) {
                // SAFETY: the child made above, which was not waited for yet.
                unsafe { kill(pid, SIGKILL) };
                panic!("the child hangs");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(status >> 8 & 0xff, 42, "exit status {status:#x}");
        waiting.join().expect("the thread").expect("the parent goes on");
    });
}

/// Has the driver fail from now on, as WARPFOLD_EMULATED_FAILURE says.
fn have_fail(what: &str) {
    // SAFETY: the driver reads the environment on this thread alone; the test has no other.
    unsafe { std::env::set_var("WARPFOLD_EMULATED_FAILURE", what) }
}

/// The driver reports bytes that were written before they were copied.
#[test]
fn a_buffer_of_two_streams_waits_for_the_copies_of_both() {
    leaves_nothing("a_buffer_of_two_streams_waits_for_the_copies_of_both", || {
        let (context, stream) = open();
        let other = Stream::new(&context).expect("a stream");
        let [x, y] = [1_u8, 2].map(|byte| Memory::uploaded(&stream, &[byte; 64]).expect("memory"));
        let mut buffer = LockedBuffer::zeroed(&context, 64).expect("a buffer");
        buffer.send(&stream, 64, &x, 0).expect("a copy");
        buffer.send(&other, 64, &y, 0).expect("a copy");
        buffer.room().expect("the memory").fill(std::mem::MaybeUninit::new(9));
        for (stream, memory) in [(&stream, &x), (&other, &y)] {
            assert_eq!(memory.download::<u8>(stream, 0, 64).expect("the bytes"), [0; 64]);
        }

        let [x, y] = [1_u8, 2].map(|byte| Memory::uploaded(&stream, &[byte; 64]).expect("memory"));
        let mut buffer = LockedBuffer::zeroed(&context, 64).expect("a buffer");
        buffer.receive(&stream, x.whole(), 0).expect("a copy");
        buffer.receive(&other, y.whole(), 0).expect("a copy");
        let received = buffer.received::<u8>(0, 64).expect("the bytes");
        let before = received.to_vec();
        stream.wait().expect("the end");
        assert_eq!((received, &before[..]), (&[2; 64][..], &[2; 64][..]));
    });
}

#[test]
fn a_buffer_whose_copy_has_no_mark_waits_for_the_stream() {
    leaves_nothing("a_buffer_whose_copy_has_no_mark_waits_for_the_stream", || {
        let (context, stream) = open();
        let memory = Memory::uploaded(&stream, &[1_u8; 64]).expect("memory");
        let mut buffer = LockedBuffer::zeroed(&context, 64).expect("a buffer");
        have_fail("cuEventRecord 1 2, cuStreamSynchronize 1 2");
        buffer.receive(&stream, memory.whole(), 0).expect_err("no mark");
        // The first wait fails, and gives no memory.
        buffer.received::<u8>(0, 64).expect_err("no wait");
        let received = buffer.received::<u8>(0, 64).expect("the bytes");
        let before = received.to_vec();
        stream.wait().expect("the end");
        assert_eq!((received, &before[..]), (&[1; 64][..], &[1; 64][..]));
        buffer.send(&stream, 64, &memory, 0).expect("a copy");
        buffer.room().expect("the memory").fill(std::mem::MaybeUninit::new(9));
    });
}

#[test]
fn lent_bytes_are_copied_before_they_are_given_back() {
    leaves_nothing("lent_bytes_are_copied_before_they_are_given_back", || {
        let (context, stream) = open();
        let other = Stream::new(&context).expect("a stream");
        let memory = Memory::zeroed(&stream, 64).expect("memory");
        let mut bytes = vec![1_u8; 64];
        // The stream records when the bytes are given back.
        let recording = Lent::to(&bytes, &[&stream], |lent| {
            lent.send(0, 0..32, &memory, 0).expect("a copy");
            lent.send(0, 32..64, &memory, 32).expect("a copy");
            Recording::start(&stream).expect("a recording")
        });
        bytes.fill(2);
        drop(recording);
        assert_eq!(memory.download::<u8>(&stream, 0, 64).expect("the bytes"), [1; 64]);
        // Waits fail: that for the stream, and that for the mark.
        for what in [
            "cuStreamSynchronize 1 2",
            "cuStreamSynchronize 1 2, cuEventSynchronize 1 2",
            "cuStreamSynchronize 1 2, cuEventRecord 1 2",
        ] {
            bytes.fill(3);
            Lent::to(&bytes, &[&other, &stream], |lent| {
                have_fail(what);
                let _ = lent.send(0, 0..64, &memory, 0);
                let _ = lent.send(1, 0..64, &memory, 0);
            });
            bytes.fill(4);
            assert_eq!(memory.download::<u8>(&stream, 0, 64).expect("the bytes"), [3; 64], "{what}");
            other.wait().expect("the end");
        }
        assert_eq!(context.failed_frees(), 0);
    });
}

#[test]
fn a_copy_whose_wait_fails_has_ended_when_the_error_is_returned() {
    leaves_nothing("a_copy_whose_wait_fails_has_ended_when_the_error_is_returned", || {
        let (context, stream) = open();
        let memory = Memory::zeroed(&stream, 64).expect("memory");
        let mut bytes = vec![1_u8; 64];
        have_fail("cuStreamSynchronize 1 2");
        memory.whole().copy_from(&stream, &bytes).expect_err("a wait that fails");
        bytes.fill(2);
        assert_eq!(memory.download::<u8>(&stream, 0, 64).expect("the bytes"), [1; 64]);
        have_fail("cuStreamSynchronize 1 3");
        Memory::uploaded(&stream, &bytes).expect_err("a wait that fails");
        bytes.fill(3);
        stream.wait().expect("the end");
        assert_eq!(context.failed_frees(), 0);
    });
}

/// Nothing is known of the work then, and nothing uses what it may give.
#[test]
fn a_device_of_which_every_wait_fails_counts_as_dead() {
    const NAME: &str = "a_device_of_which_every_wait_fails_counts_as_dead";
    let Some(_) = with_emulated_and(NAME, &[]) else {
        let (context, stream) = open();
        let memory = Memory::zeroed(&stream, 64).expect("memory");
        let bytes = [1_u8; 64];
        have_fail("cuStreamSynchronize 1 2, cuCtxSynchronize 1 2");
        memory.whole().copy_from(&stream, &bytes).expect_err("a wait that fails");
        assert!(matches!(context.usable(), Err(CudaError::Poisoned { .. })));
        assert!(matches!(memory.download::<u8>(&stream, 0, 64), Err(CudaError::Poisoned { .. })));
        return;
    };
}
