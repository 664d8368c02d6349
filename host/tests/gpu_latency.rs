//! The GPU backend's promises for pending results, and for other libraries' memory and streams, on the emulated
//! driver.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_void;
use std::future::Future;
use std::pin::pin;
use std::ptr;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use cust::emulated::functions::{
    cuCtxPopCurrent_v2, cuCtxPushCurrent_v2, cuGraphDestroy, cuMemAlloc_v2, cuMemFree_v2, cuMemFreeHost,
    cuMemHostAlloc, cuMemsetD8Async, cuStreamBeginCapture_v2, cuStreamCreate, cuStreamDestroy_v2,
    cuStreamEndCapture,
};
use cust::emulated::{allocations, calls, is_working, set_eager as eager};
use emulated::{fail, leaves_nothing, leaves_nothing_and, numbers, with_emulated};
use warpfold::plans::{Passes, Plan};
use warpfold::{Cuda, DriverCode, Error, Order, Pending, Sum};

/// The host's allocator with a count per thread, since the test harness has threads of its own.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: all calls go to the system's allocator; only a count is added.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is ending has no count. The driver's own memory is not ours.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + usize::from(!is_working())));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The primary contexts of the emulated driver's devices.
const CONTEXTS: [usize; 2] = [0x1000, 0x1001];

/// Runs `body` with the device's context current, as in a program that uses CUDA itself.
fn in_context<R>(body: impl FnOnce() -> R) -> R {
    in_context_of(0, body)
}

/// As [`in_context`], of this device.
fn in_context_of<R>(device: usize, body: impl FnOnce() -> R) -> R {
    let mut popped = ptr::null_mut();
    // SAFETY: the emulated driver takes any number for a context; writes one handle to a local.
    assert_eq!(unsafe { cuCtxPushCurrent_v2(ptr::without_provenance_mut(CONTEXTS[device])) }, 0);
    let answer = body();
    // SAFETY: as above.
    assert_eq!((unsafe { cuCtxPopCurrent_v2(&raw mut popped) }, popped.addr()), (0, CONTEXTS[device]));
    answer
}

/// Calls to the driver and allocations on the host by `body`, per round of a few.
fn per_round(body: impl Fn()) -> (usize, usize) {
    const ROUNDS: usize = 20;
    let before = (calls(), ALLOCATIONS.get());
    (0..ROUNDS).for_each(|_| body());
    let (calls, allocated) = (calls() - before.0, ALLOCATIONS.get() - before.1);
    assert_eq!((calls % ROUNDS, allocated % ROUNDS), (0, 0), "{calls} calls, {allocated} allocations");
    (calls / ROUNDS, allocated / ROUNDS)
}

/// Polls until there is a result, with sleeps in between.
fn block_on<F: Future>(future: F) -> (F::Output, usize) {
    struct Thread(std::thread::Thread);
    impl Wake for Thread {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Thread(std::thread::current())));
    let (mut future, mut polls) = (pin!(future), 0);
    loop {
        polls += 1;
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => return (answer, polls),
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn a_blocking_reduction_is_one_launch_and_a_look() {
    leaves_nothing("a_blocking_reduction_is_one_launch_and_a_look", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, sum) = numbers(100_000);
        let array = cuda.upload(&x).expect("an upload");
        eager(true);
        for n in [5, 10_000, 16_384, 100_000] {
            let slice = array.slice(..n).expect("a slice");
            let expected: i64 = x[..n].iter().copied().map(i64::from).sum();
            let on_device = || assert_eq!(cuda.reduce(Sum, slice).expect("a sum"), expected);
            let on_stream = || assert_eq!(stream.reduce(Sum, slice).expect("a sum"), expected);
            on_device();
            on_stream();
            // One call gets the current context, one launches.
            in_context(|| assert_eq!([per_round(on_device), per_round(on_stream)], [(2, 0); 2]));
            // If no context is current, ours is made current and removed again.
            assert_eq!([per_round(on_device), per_round(on_stream)], [(4, 0); 2]);
        }
        // Results that are waited for later need no more calls; each needs one allocation.
        let later = || {
            let (one, two) = (stream.reduce_async(Sum, &array), stream.reduce_async(Sum, &array));
            let (one, two): (Pending<i32, Sum>, Pending<i32, Sum>) =
                (one.expect("to start"), two.expect("to start"));
            assert_eq!((two.wait().expect("a sum"), one.wait().expect("a sum")), (sum, sum));
        };
        later();
        in_context(|| assert_eq!(per_round(later), (4, 2)));
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// The reduction neither keeps the array's memory longer than needed nor frees it too early: the emulated driver
/// checks.
#[test]
fn an_array_is_freed_once_its_result_was_got() {
    leaves_nothing("an_array_is_freed_once_its_result_was_got", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, sum) = numbers(100_000);
        let mut out = cuda.scalar::<i32, Sum>().expect("a scalar");
        let plan =
            Plan::with_config::<i32>(100_000, Passes::Recursive { fan_in: 2 }, 256, 3).expect("a plan");
        for is_eager in [false, true] {
            eager(is_eager);
            // Their memory is allocated by then.
            let array = cuda.upload(&x).expect("an upload");
            assert_eq!(cuda.reduce(Sum, &array).expect("a sum"), sum);
            assert_eq!(stream.reduce(Sum, &array).expect("a sum"), sum);
            drop(array);
            let before = allocations();
            for way in 0..6 {
                let array = cuda.upload(&x).expect("an upload");
                let slice = array.as_slice();
                let found = match way {
                    0 => cuda.reduce(Sum, slice),
                    1 => stream.reduce(Sum, slice),
                    2 => stream.reduce(Sum, slice.with_plan(plan)),
                    3 => {
                        // Earlier work is known to have ended, too.
                        stream.reduce_into(Sum, slice, &mut out).expect("to enqueue");
                        stream.reduce(Sum, slice)
                    }
                    4 => stream.reduce_async(Sum, slice).and_then(Pending::wait),
                    _ => {
                        // The first result was dropped: its slot is free for the next.
                        drop(stream.reduce_async(Sum, slice));
                        let found = stream.reduce_async(Sum, slice).and_then(Pending::wait);
                        stream.synchronize().expect("to wait");
                        found
                    }
                };
                assert_eq!(found.expect("a sum"), sum);
                drop(array);
                assert_eq!(allocations(), before, "way {way}");
            }
        }
    });
}

#[test]
fn results_on_their_way_may_be_got_dropped_and_outlived_in_any_order() {
    leaves_nothing("results_on_their_way_may_be_got_dropped_and_outlived_in_any_order", || {
        let cuda = Cuda::open(0).expect("the device");
        for is_eager in [false, true] {
            eager(is_eager);
            let streams = [cuda.stream().expect("a stream"), cuda.stream().expect("a stream")];
            // More than the slots of a page; some are dropped before their reductions have run.
            let mut pending = Vec::new();
            for i in 0..200usize {
                let (x, sum) = numbers(1 + 37 * i as i32);
                let array = cuda.upload(&x).expect("an upload");
                let one = streams[i % 2].reduce_async(Sum, &array);
                let one = one.expect("to start");
                if i % 3 != 0 {
                    pending.push((one, sum));
                }
            }
            let nothing = cuda.upload::<i32>(&[]).expect("an upload");
            let none = streams[0].reduce_async(Sum, &nothing).expect("to start");
            assert!(none.is_ready());
            pending.push((none, 0));
            // In reverse, some on another thread; the streams are dropped before the last results are got.
            for _ in 0..40 {
                let (one, sum) = pending.pop().expect("enough");
                assert_eq!(one.wait().expect("a sum"), sum);
            }
            std::thread::scope(|scope| {
                for (one, sum) in pending.drain(20..40) {
                    scope.spawn(move || assert_eq!(one.wait().expect("a sum"), sum));
                }
            });
            drop(streams);
            for (one, sum) in pending {
                assert!(one.is_ready());
                for _ in 0..2 {
                    assert_eq!(one.try_get().expect("no error"), Some(sum));
                }
                assert_eq!(block_on(one).0.expect("a sum"), sum);
            }
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn a_leaked_result_costs_its_slot_and_nothing_else() {
    let body = || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, sum) = numbers(5000);
        let mut held = Vec::new();
        for round in 0..200 {
            let array = cuda.upload(&x).expect("an upload");
            let leaked = stream.reduce_async(Sum, &array).expect("to start");
            std::mem::forget(leaked);
            let one = stream.reduce_async(Sum, &array).expect("to start");
            if round % 2 == 0 { held.push(one) } else { assert_eq!(one.wait().expect("a sum"), sum) }
        }
        stream.synchronize().expect("to wait");
        for one in held {
            assert_eq!(one.wait().expect("a sum"), sum);
        }
        // The arrays are freed; scratch memory of an executor and of the stream, and pages of 64 slots, remain.
        assert!(allocations() <= 2 + 1 + 300 / 64 + 1, "{}", allocations());
    };
    with_emulated("a_leaked_result_costs_its_slot_and_nothing_else").map_or_else(body, drop);
}

/// Work on a stream is done in order, so the memory of a sort is the next one's before anybody waits.
#[test]
fn sorts_on_a_stream_share_their_memory() {
    leaves_nothing("sorts_on_a_stream_share_their_memory", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(20_000);
        let mut sorted = x.clone();
        sorted.sort_unstable();
        let (on, mut out) = (cuda.upload(&x).expect("an upload"), cuda.values(x.len()).expect("room"));
        let (mut positions, few) =
            (cuda.values::<u64>(x.len()).expect("room"), on.slice(..9000).expect("some"));
        let mut few_out = cuda.values(9000).expect("room");
        let before = allocations();
        for _ in 0..20 {
            stream.argsort_into(&on, &mut positions, Order::Descending).expect("indices");
            stream.sort_into(&on, &mut out, Order::Ascending).expect("a sort");
            stream.sort_into(few, &mut few_out, Order::Ascending).expect("a shorter one");
        }
        assert_eq!(allocations() - before, 1);
        assert_eq!(out.to_vec().expect("a copy"), sorted);
    });
}

#[test]
fn an_awaited_result_wakes_its_task() {
    leaves_nothing("an_awaited_result_wakes_its_task", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, sum) = numbers(5000);
        let array = cuda.upload(&x).expect("an upload");
        eager(true);
        let soon = stream.reduce_async(Sum, &array).expect("to start");
        let (found, polls) = block_on(soon);
        assert_eq!((found.expect("a sum"), polls), (sum, 1));
        eager(false);
        // Each poll is one more step of the emulated driver, so this takes many polls.
        let mut out = cuda.scalar::<i32, Sum>().expect("a scalar");
        for _ in 0..100 {
            stream.reduce_into(Sum, &array, &mut out).expect("to enqueue");
        }
        let late = stream.reduce_async(Sum, &array).expect("to start");
        let waited = stream.reduce_async(Sum, &array).expect("to start");
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                assert_eq!(waited.wait().expect("a sum"), sum);
            });
            assert_eq!(block_on(late).0.expect("a sum"), sum);
        });
    });
}

#[test]
fn a_recording_stream_sends_no_results_to_the_host() {
    leaves_nothing("a_recording_stream_sends_no_results_to_the_host", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, sum) = numbers(5000);
        let array = cuda.upload(&x).expect("an upload");
        let mut out = cuda.scalar::<i32, Sum>().expect("a scalar");
        let earlier = stream.reduce_async(Sum, &array).expect("to start");
        let mut graph = stream
            .capture(|stream| {
                let refused = stream.reduce_async(Sum, &array);
                assert!(matches!(refused, Err(Error::Capturing { .. })));
                // Work that was started before returns its result, without an error: the stream is not asked
                // now.
                assert_eq!(earlier.try_get()?, Some(sum));
                stream.reduce_into(Sum, &array, &mut out)
            })
            .expect("a graph");
        // Replays and reductions for the host take turns.
        for _ in 0..5 {
            graph.launch(&stream).expect("to launch");
            assert_eq!(stream.reduce(Sum, array.slice(..7).expect("a slice")).ok(), numbers(7).1.into());
            assert_eq!(out.get().expect("a sum"), sum);
        }
    });
}

/// The error of a dead device, for each way to get a result, within a second.
fn ends_with_the_error(name: &str, get: fn(Pending<i32, Sum>) -> Result<i64, Error>) {
    let body = || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let array = cuda.upload(&[1i32; 13]).expect("an upload");
        fail("run", 1, 700);
        let pending = stream.reduce_async(Sum, &array).expect("to start");
        let start = Instant::now();
        let failed = get(pending);
        assert!(matches!(failed, Err(Error::Driver { code: DriverCode::ILLEGAL_ADDRESS, .. })), "{failed:?}");
        assert!(start.elapsed() < Duration::from_secs(1));
        assert!(matches!(stream.reduce(Sum, &array), Err(Error::Poisoned { .. })));
        let before = cuda.failed_frees();
        // Its memory may still be in use: it is never freed, and counted with the stream's.
        drop((array, stream));
        assert!(cuda.failed_frees() > before);
    };
    with_emulated(name).map_or_else(body, drop);
}

#[test]
fn waiting_ends_with_a_sticky_error() {
    ends_with_the_error("waiting_ends_with_a_sticky_error", Pending::wait);
}

#[test]
fn asking_ends_with_a_sticky_error() {
    ends_with_the_error("asking_ends_with_a_sticky_error", |pending| {
        loop {
            if let Some(sum) = pending.try_get()? {
                return Ok(sum);
            }
        }
    });
}

#[test]
fn awaiting_ends_with_a_sticky_error() {
    ends_with_the_error("awaiting_ends_with_a_sticky_error", |pending| block_on(pending).0);
}

#[test]
fn kernels_that_write_no_result_are_an_error() {
    leaves_nothing("kernels_that_write_no_result_are_an_error", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let array = cuda.upload(&[1i32; 20]).expect("an upload");
        let forgets = || fail("run", 1, 0);
        for is_eager in [false, true] {
            eager(is_eager);
            forgets();
            assert!(matches!(cuda.reduce(Sum, &array), Err(Error::NoResult)));
            forgets();
            assert!(matches!(stream.reduce(Sum, &array), Err(Error::NoResult)));
            forgets();
            let pending = stream.reduce_async(Sum, &array).expect("to start");
            assert!(!pending.is_ready());
            assert!(matches!(pending.wait(), Err(Error::NoResult)));
            // It did no harm.
            assert_eq!(cuda.reduce(Sum, &array).expect("a sum"), 20);
            assert_eq!(stream.reduce(Sum, &array).expect("a sum"), 20);
        }
    });
}

#[test]
fn memory_of_others_is_reduced_where_it_is() {
    let two = [("WARPFOLD_EMULATED_DEVICES", "2")];
    leaves_nothing_and("memory_of_others_is_reduced_where_it_is", &two, || {
        let cuda = Cuda::open(0).expect("the device");
        let (mut theirs, mut elsewhere, mut host) = (0, 0, ptr::null_mut());
        // SAFETY: each writes one address to a local; the context is current.
        in_context(|| unsafe {
            assert_eq!(cuMemAlloc_v2(&raw mut theirs, 4000), 0);
            assert_eq!(cuMemHostAlloc(&raw mut host, 64, 2), 0);
        });
        // SAFETY: as above.
        in_context_of(1, || assert_eq!(unsafe { cuMemAlloc_v2(&raw mut elsewhere, 4000) }, 0));
        // SAFETY: the memory stays until the end of this test; refused arrays are not used.
        let lend = |address, len| unsafe { cuda.borrow_raw::<i32>(address, len) };
        let refused = |address, len, why: &str| match lend(address, len) {
            Err(Error::Foreign { address: found, why: found_why }) => {
                assert!(found >= address && found_why.contains(why), "{found:#x}: {found_why}");
            }
            other => panic!("{other:?}"),
        };
        refused(0, 1, "null");
        refused(theirs + 2, 1, "aligned");
        refused(theirs, usize::MAX / 2, "length");
        refused(u64::MAX - 3, 2, "last address");
        refused(theirs + 4, 1000, "knows of no such memory");
        refused(0x1_0000, 1, "knows of no such memory");
        refused(host.addr() as u64, 1, "not device memory");
        assert!(matches!(lend(elsewhere, 1), Err(Error::OtherDevice { array: 1, stream: 0 })));
        assert_eq!(lend(0, 0).and_then(|none| cuda.reduce(Sum, &none)).expect("a sum"), 0);

        let (mut stream, mut out) = (ptr::null_mut(), cuda.scalar::<i32, Sum>().expect("a scalar"));
        // SAFETY: writes one handle to a local; the memory has as many bytes; the context is current.
        in_context(|| unsafe {
            assert_eq!(cuStreamCreate(&raw mut stream, 1), 0);
            assert_eq!(cuMemsetD8Async(theirs, 1, 4000, stream), 0);
        });
        let array = lend(theirs, 1000).expect("an array");
        assert_eq!((array.as_device_ptr(), array.len()), (theirs, 1000));
        // SAFETY: the stream is destroyed after the answer was dropped.
        let borrowed = unsafe { cuda.stream_from_raw(stream) }.expect("a stream");
        // After the work that was enqueued there.
        let slice = array.slice(1..).expect("a slice");
        let pending = borrowed.reduce_async(Sum, slice).expect("to start");
        borrowed.reduce_into(Sum, array.slice(..3).expect("a slice"), &mut out).expect("to enqueue");
        assert_eq!(borrowed.reduce(Sum, slice).expect("a sum"), 999 * 0x0101_0101);
        drop(borrowed);
        drop(array);
        // SAFETY: nobody uses them any more; the context is current.
        in_context(|| unsafe {
            assert_eq!(cuStreamDestroy_v2(stream), 0);
            assert_eq!((cuMemFree_v2(theirs), cuMemFreeHost(host)), (0, 0));
        });
        // SAFETY: as above.
        in_context_of(1, || assert_eq!(unsafe { cuMemFree_v2(elsewhere) }, 0));
        // The stream is gone; its results are there.
        assert_eq!(out.get().expect("a sum"), 3 * 0x0101_0101);
        assert_eq!(pending.wait().expect("a sum"), 999 * 0x0101_0101);
    });
}

#[test]
fn streams_of_others_are_used_as_they_may_be() {
    let two = [("WARPFOLD_EMULATED_DEVICES", "2")];
    leaves_nothing_and("streams_of_others_are_used_as_they_may_be", &two, || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, sum) = numbers(5000);
        let array = cuda.upload(&x).expect("an upload");
        // SAFETY: the default streams live as long as their thread, the others as long as they are used.
        let lend = |handle: *mut c_void| unsafe { cuda.stream_from_raw(handle) };
        // The legacy stream by both names, and this thread's own.
        for special in 0..3 {
            let stream = lend(ptr::without_provenance_mut(special)).expect("a stream");
            let mut out = cuda.scalar::<i32, Sum>().expect("a scalar");
            stream.reduce_into(Sum, &array, &mut out).expect("to enqueue");
            assert_eq!(stream.reduce(Sum, &array).expect("a sum"), sum);
            assert_eq!(out.get().expect("a sum"), sum);
            let pending = stream.reduce_async(Sum, &array).expect("to start");
            if special == 2 {
                // The emulated driver cannot run this thread's own work from another thread.
                stream.synchronize().expect("to wait");
                // On another thread the same number is another stream: that is refused, and leaves nothing in
                // flight.
                std::thread::scope(|scope| {
                    scope.spawn(move || {
                        let refused = stream.reduce(Sum, &array);
                        assert!(matches!(refused, Err(Error::Foreign { address: 2, .. })), "{refused:?}");
                        assert_eq!(pending.wait().expect("a sum"), sum);
                        stream.synchronize().expect("to wait for all");
                    });
                });
                break;
            }
        }
        // A stream of another context.
        let mut elsewhere = ptr::null_mut();
        // SAFETY: writes one handle to a local; the context is current.
        in_context_of(1, || assert_eq!(unsafe { cuStreamCreate(&raw mut elsewhere, 1) }, 0));
        let other = lend(elsewhere);
        assert!(matches!(other, Err(Error::Foreign { .. })), "{other:?}");
        // SAFETY: nobody uses it; the context is current.
        in_context_of(1, || assert_eq!(unsafe { cuStreamDestroy_v2(elsewhere) }, 0));

        // A stream that its owner records.
        let array = cuda.upload(&x).expect("an upload");
        let (mut theirs, mut graph) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: writes one handle to a local; the context is current.
        in_context(|| assert_eq!(unsafe { cuStreamCreate(&raw mut theirs, 1) }, 0));
        let stream = lend(theirs).expect("a stream");
        let mut out = cuda.scalar::<i32, Sum>().expect("a scalar");
        // SAFETY: the stream exists; the context is current.
        in_context(|| assert_eq!(unsafe { cuStreamBeginCapture_v2(theirs, 2) }, 0));
        assert!(matches!(stream.reduce(Sum, &array), Err(Error::Capturing { .. })));
        assert!(matches!(stream.reduce_async(Sum, &array), Err(Error::Capturing { .. })));
        assert!(matches!(stream.reduce_into(Sum, &array, &mut out), Err(Error::Capturing { .. })));
        assert!(matches!(stream.synchronize(), Err(Error::Capturing { .. })));
        // SAFETY: the stream exists and is capturing; writes one handle to a local; the context is current.
        in_context(|| unsafe {
            assert_eq!(cuStreamEndCapture(theirs, &raw mut graph), 0);
            assert_eq!(cuGraphDestroy(graph), 0);
        });
        assert_eq!(stream.reduce(Sum, &array).expect("a sum"), sum);
        // We can record it ourselves.
        let mut graph = stream.capture(|stream| stream.reduce_into(Sum, &array, &mut out)).expect("a graph");
        graph.launch(&stream).expect("to launch");
        assert_eq!(out.get().expect("a sum"), sum);
        drop(stream);
        // SAFETY: nobody uses it any more; the context is current.
        in_context(|| assert_eq!(unsafe { cuStreamDestroy_v2(theirs) }, 0));
    });
}
