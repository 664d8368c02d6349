//! The GPU backend's promises for memory, streams and errors, on a driver  that does its work as
//! late as possible and detects memory that was freed too early. Needs no GPU; other tests run the kernels on
//! real ones.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use std::ptr;

use cuda_std::memory::Readable;
use emulated::{LEFT_NOTHING, fail, leaves_nothing, numbers, with_emulated, with_emulated_and};
use warpfold::gpu_kernels::canary::{ARITHMETIC, Case, ROOTS, Row};
use warpfold::kernels::{Entry, FoldEntries, Kernel};
use warpfold::plans::{Passes, Plan};
use warpfold::{Cuda, DriverCode, Error, Op, Sum, Unavailable, Version, rows};

#[test]
fn reductions_take_every_plan() {
    leaves_nothing("reductions_take_every_plan", || {
        let cuda = Cuda::open(0).expect("the device");
        let device = cuda.properties();
        assert_eq!(
            (&device.name[..], device.multiprocessors, device.ordinal),
            ("emulated 7 (no GPU)", 132, 0)
        );
        assert_eq!(device.compute_capability.to_string(), "9.0");
        assert_eq!(device.driver.to_string(), "12.4");
        let none = cuda.upload::<i32>(&[]).expect("an upload");
        cuda.prepare(Sum, &none).expect("kernels");
        for n in [0, 1, 2, 4095, 4096, 4097, 100_000, 9_000_001] {
            let (x, sum) = numbers(n);
            let array = cuda.upload(&x).expect("an upload");
            assert_eq!(array.to_vec().expect("a download"), x);
            assert_eq!(cuda.reduce(Sum, &array).expect("a sum"), sum);
            for passes in [Passes::Grid, Passes::Recursive { fan_in: 2 }, Passes::Recursive { fan_in: 2048 }]
            {
                for threads in [256, 1024] {
                    let plan = Plan::with_config::<i32>(n as u64, passes, threads, 3).expect("a plan");
                    let found = cuda.reduce(Sum, array.as_slice().with_plan(plan));
                    assert_eq!(found.expect("a sum"), sum, "{plan}");
                }
            }
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn slices_are_checked_and_plans_must_fit() {
    leaves_nothing("slices_are_checked_and_plans_must_fit", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(10_000);
        let array = cuda.upload(&x).expect("an upload");
        let slice = array.slice(1234..=4321).and_then(|slice| slice.slice(3..)).expect("a slice");
        assert_eq!(slice.to_vec().expect("a download"), x[1237..=4321]);
        let sum: i64 = x[1237..=4321].iter().copied().map(i64::from).sum();
        assert_eq!(cuda.reduce(Sum, slice).expect("a sum"), sum);
        assert!(matches!(array.slice(1..10_001), Err(Error::OutOfBounds { len: 10_000, .. })));
        let other = cuda.plan::<i32, Sum>(9_999).expect("a plan");
        assert!(matches!(cuda.reduce(Sum, array.as_slice().with_plan(other)), Err(Error::Plan { .. })));
    });
}

#[test]
fn what_unfinished_work_uses_may_be_dropped() {
    leaves_nothing("what_unfinished_work_uses_may_be_dropped", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, sum) = numbers(100_000);
        let mut kept = cuda.scalar::<i32, Sum>().expect("a scalar");
        assert_eq!(kept.get().expect("of nothing"), 0);
        for _ in 0..200 {
            // More arrays than a queue keeps, each dropped before its reduction has run.
            let array = cuda.upload(&x).expect("an upload");
            let mut dropped = cuda.scalar::<i32, Sum>().expect("a scalar");
            stream.reduce_into(Sum, &array, &mut dropped).expect("to enqueue");
            stream.reduce_into(Sum, &array, &mut kept).expect("to enqueue");
        }
        // The stream and the device are dropped first: the result outlives them.
        drop((stream, cuda));
        assert_eq!(kept.get().expect("a sum"), sum);
    });
}

#[test]
fn a_result_takes_writers_in_order() {
    leaves_nothing("a_result_takes_writers_in_order", || {
        let cuda = Cuda::open(0).expect("the device");
        let (one, two) = (cuda.stream().expect("a stream"), cuda.stream().expect("a stream"));
        let array = cuda.upload(&[1i32, 10, 100, 1000]).expect("an upload");
        let mut out = cuda.scalar::<i32, Sum>().expect("a scalar");
        one.reduce_into(Sum, array.slice(..2).expect("a slice"), &mut out).expect("to enqueue");
        two.reduce_into(Sum, array.slice(2..).expect("a slice"), &mut out).expect("to enqueue");
        one.synchronize().expect("to wait");
        assert_eq!(out.get().expect("a sum"), 1100);
        two.reduce_into(Sum, array.slice(..0).expect("a slice"), &mut out).expect("to enqueue");
        assert_eq!(out.get().expect("a sum"), 0);
    });
}

#[test]
fn graphs_keep_what_they_use() {
    leaves_nothing("graphs_keep_what_they_use", || {
        let cuda = Cuda::open(0).expect("the device");
        let (stream, other) = (cuda.stream().expect("a stream"), cuda.stream().expect("a stream"));
        let (x, sum) = numbers(1_000_000);
        let array = cuda.upload(&x).expect("an upload");
        let mut out = cuda.scalar::<i32, Sum>().expect("a scalar");
        let mut graph = stream
            .capture(|stream| {
                assert!(matches!(stream.reduce(Sum, &array), Err(Error::Capturing { .. })));
                assert!(matches!(stream.synchronize(), Err(Error::Capturing { .. })));
                assert!(matches!(stream.record(), Err(Error::Capturing { .. })));
                assert!(matches!(stream.capture(|_| Ok(())), Err(Error::Capturing { .. })));
                // Others continue meanwhile.
                assert_eq!(cuda.reduce(Sum, &array)?, sum);
                stream.reduce_into(Sum, array.slice(..10)?, &mut out)?;
                stream.reduce_into(Sum, &array, &mut out)
            })
            .expect("a graph");
        assert_eq!(out.get().expect("recording runs nothing"), 0);
        drop(array);
        for _ in 0..3 {
            graph.launch(&stream).expect("to launch");
            graph.launch(&other).expect("to launch");
        }
        // Its launches on `other` have not run yet.
        drop(graph);
        assert_eq!(out.get().expect("a sum"), sum);

        // A failed recording leaves the stream unchanged.
        let failed = stream.capture(|_| Err(Error::Forked));
        assert!(matches!(failed, Err(Error::Forked)));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            stream.capture(|_| panic!("on purpose"))
        }));
        assert!(panicked.is_err());
        let array = cuda.upload(&x).expect("an upload");
        assert_eq!(stream.reduce(Sum, &array).expect("a sum"), sum);
    });
}

#[test]
fn threads_share_a_device() {
    leaves_nothing("threads_share_a_device", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, sum) = numbers(50_000);
        let array = cuda.upload(&x).expect("an upload");
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    let stream = cuda.stream().expect("a stream");
                    let mut out = cuda.scalar::<i32, Sum>().expect("a scalar");
                    for _ in 0..50 {
                        assert_eq!(cuda.reduce(Sum, &array).expect("a sum"), sum);
                        assert_eq!(stream.reduce(Sum, &array).expect("a sum"), sum);
                        stream.reduce_into(Sum, &array, &mut out).expect("to enqueue");
                        assert_eq!(out.get().expect("a sum"), sum);
                    }
                });
            }
        });
    });
}

#[test]
fn anothers_context_stays_current() {
    use cust::emulated::functions::{cuCtxGetCurrent, cuCtxPushCurrent_v2};
    const OTHER: usize = 0x2000;
    let body = || {
        // SAFETY: the emulated driver takes any number for a context.
        assert_eq!(unsafe { cuCtxPushCurrent_v2(ptr::without_provenance_mut(OTHER)) }, 0);
        let still = || {
            let mut current = ptr::null_mut();
            // SAFETY: writes one handle to a local.
            assert_eq!(unsafe { cuCtxGetCurrent(&raw mut current) }, 0);
            assert_eq!(current.addr(), OTHER);
        };
        let cuda = Cuda::open(0).expect("the device");
        still();
        let array = cuda.upload(&[1i32, 2, 3]).expect("an upload");
        still();
        assert_eq!(cuda.reduce(Sum, &array).expect("a sum"), 6);
        still();
        drop((array, cuda));
        still();
    };
    with_emulated("anothers_context_stays_current").map_or_else(body, drop);
}

#[test]
fn a_sticky_error_is_remembered_with_its_first_cause() {
    let body = || {
        let cuda = Cuda::open(0).expect("the device");
        let (array, unused) =
            (cuda.upload(&[1i32; 20]).expect("an upload"), cuda.upload(&[1u8]).expect("an upload"));
        fail("run", 1, 700);
        let failed = cuda.reduce(Sum, &array);
        assert!(matches!(failed, Err(Error::Driver { code: DriverCode::ILLEGAL_ADDRESS, .. })), "{failed:?}");
        for _ in 0..2 {
            let Err(Error::Poisoned { first_cause }) = cuda.reduce(Sum, &array) else {
                panic!("the device is dead");
            };
            assert!(matches!(*first_cause, Error::Driver { code: DriverCode(700), .. }));
        }
        assert!(matches!(cuda.stream(), Err(Error::Poisoned { .. })));
        assert!(matches!(array.to_vec(), Err(Error::Poisoned { .. })));
        // The array of the failed work was leaked with its stream; the other array cannot be freed any more.
        let before = cuda.failed_frees();
        assert!(before > 0);
        drop((array, unused));
        assert_eq!(cuda.failed_frees(), before + 1);
    };
    with_emulated("a_sticky_error_is_remembered_with_its_first_cause").map_or_else(body, drop);
}

#[test]
fn too_large_an_upload_leaves_all_as_it_was() {
    leaves_nothing("too_large_an_upload_leaves_all_as_it_was", || {
        let cuda = Cuda::open(0).expect("the device");
        let bytes = (1usize << 30) + 4;
        let refused = cuda.upload(&vec![0u8; bytes]);
        assert!(matches!(refused, Err(Error::OutOfMemory { bytes: found }) if found == bytes as u64));
        assert_eq!(cuda.upload(&[5i32]).and_then(|x| cuda.reduce(Sum, &x)).expect("a sum"), 5);
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// What is on the device can be read when it has no memory left for a lane.
#[test]
fn results_are_read_on_a_full_device() {
    leaves_nothing("results_are_read_on_a_full_device", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, sum) = numbers(10_000);
        let array = cuda.upload(&x).expect("an upload");
        let sums = cuda.reduce(Sum, rows(&array, [10, 1000])).expect("sums");
        let total = cuda.reduce(Sum, rows(&array, [1, 10_000])).expect("a sum");
        let mut scalar = cuda.scalar::<i32, Sum>().expect("a scalar");
        cuda.stream().expect("a stream").reduce_into(Sum, &array, &mut scalar).expect("to enqueue");
        let of_rows: Vec<i64> = x.chunks(1000).map(|row| row.iter().copied().map(i64::from).sum()).collect();
        let reads: [&dyn Fn() -> Result<bool, Error>; 4] = [
            &|| Ok(array.to_vec()? == x),
            &|| Ok(sums.to_vec()? == of_rows),
            &|| Ok(total.to_vec()? == [sum]),
            &|| Ok(scalar.get()? == sum),
        ];
        for read in reads {
            // A lane is a stream and memory.
            for function in ["cuStreamCreate", "cuMemAlloc_v2"] {
                // After an error a lane is not lent again.
                let refused = cuda.upload(&vec![0u8; (1 << 30) + 4]);
                assert!(matches!(refused, Err(Error::OutOfMemory { .. })), "{refused:?}");
                fail(function, 1, 2);
                assert!(read().expect("a read"), "other bits without {function}");
            }
        }
    });
}

/// A sum whose kernels cannot be loaded, with three reasons.
#[derive(Clone, Copy, Default)]
struct Unloadable<const REASON: usize>;

const TEXTS: [&str; 3] = [".version 99.1\n.entry reduce_sum_i32_block", ".version 7.0\n", ".version 7.0\n\0"];

impl<const REASON: usize> Op<i32> for Unloadable<REASON> {
    type Acc = i64;
    type Out = i64;
    const IDENTITY: i64 = 0;
    fn lift(self, x: i32, _index: u64) -> i64 {
        x.into()
    }
    fn combine(left: i64, right: i64) -> i64 {
        left + right
    }
    fn finish(acc: i64, _len: u64) -> i64 {
        acc
    }
}

// SAFETY: none of these can be launched.
unsafe impl<const REASON: usize> Kernel<i32> for Unloadable<REASON> {
    const FOLD: FoldEntries<Readable<i32>, i32, Self> =
        FoldEntries { block: unloadable(REASON), grid: unloadable(REASON), partials: unloadable(REASON) };
}

const fn unloadable<A>(reason: usize) -> Entry<A> {
    Entry::new("unloadable", "reduce_sum_i32_block", TEXTS[reason])
}

#[test]
fn kernels_that_cannot_be_loaded_say_why() {
    leaves_nothing("kernels_that_cannot_be_loaded_say_why", || {
        let cuda = Cuda::open(0).expect("the device");
        let array = cuda.upload(&[1i32]).expect("an upload");
        let too_new = cuda.reduce(Unloadable::<0>, &array).expect_err("too new");
        assert!(matches!(too_new, Error::PtxTooNew { .. }));
        let text = too_new.to_string();
        assert!(
            text.contains("PTX 99.1") && text.contains("CUDA 12.4") && text.contains("update the driver"),
            "{text}"
        );
        let text = cuda.prepare(Unloadable::<1>, &array).expect_err("no entry").to_string();
        assert!(text.contains("218") && text.contains("log: line 1: no entry"), "{text}");
        let text = cuda.prepare(Unloadable::<2>, &array).expect_err("a NUL").to_string();
        assert!(text.contains("NUL"), "{text}");
        // The device still works.
        assert_eq!(cuda.reduce(Sum, &array).expect("a sum"), 1);
    });
}

/// Sums on a device of this compute capability, and returns the driver's output.
fn summed_on(name: &str, capability: &str) -> Option<String> {
    let variables = [("WARPFOLD_EMULATED_CAPABILITY", capability), ("WARPFOLD_EMULATED_LOG", "1")];
    let Some(output) = with_emulated_and(name, &variables) else {
        let (x, sum) = numbers(100_000);
        let array = Cuda::open(0).and_then(|cuda| cuda.upload(&x)).expect("an upload");
        assert_eq!(array.cuda().reduce(Sum, &array).expect("a sum"), sum);
        return None;
    };
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains(LEFT_NOTHING), "{text}");
    Some(text)
}

#[test]
fn launches_overlap_on_a_device_that_can() {
    if let Some(text) = summed_on("launches_overlap_on_a_device_that_can", "9") {
        assert!(text.contains("overlaps a launch"), "{text}");
    }
}

#[test]
fn an_older_device_gets_the_text_as_it_is() {
    if let Some(text) = summed_on("an_older_device_gets_the_text_as_it_is", "8") {
        assert!(!text.contains("overlaps a launch"), "{text}");
    }
}

/// Returns why the device cannot be used, from a process in which the variable has this value.
fn refused_by(name: &str, variable: (&str, &str), is_the_reason: fn(&Unavailable) -> bool) {
    let body = || match Cuda::open(0) {
        Err(Error::Unavailable { reason }) => {
            assert!(is_the_reason(&reason), "{reason}");
            // The call that chooses a backend chooses the CPU.
            assert_eq!(warpfold::reduce::<i32, Sum>(&[1, 2]).expect("a sum"), 3);
        }
        other => panic!("{other:?}"),
    };
    with_emulated_and(name, &[variable]).map_or_else(body, drop);
}

#[test]
fn a_driver_that_is_too_old_is_refused() {
    refused_by("a_driver_that_is_too_old_is_refused", ("WARPFOLD_EMULATED_VERSION", "10020"), |reason| {
        matches!(reason, Unavailable::DriverTooOld { found: Version { major: 10, minor: 2 } })
    });
}

#[test]
fn a_device_that_is_too_old_is_refused() {
    refused_by(
        "a_device_that_is_too_old_is_refused",
        ("WARPFOLD_EMULATED_CAPABILITY", "7"),
        |reason| matches!(reason, Unavailable::DeviceTooOld { name, found: Version { major: 7, minor: 0 } } if name == "emulated 7 (no GPU)"),
    );
}

/// The sum with another name.
#[derive(Clone, Copy, Default)]
struct Total;

impl Op<i32> for Total {
    type Acc = i64;
    type Out = i64;
    const IDENTITY: i64 = 0;
    fn lift(self, x: i32, _index: u64) -> i64 {
        x.into()
    }
    fn combine(left: i64, right: i64) -> i64 {
        left.wrapping_add(right)
    }
    fn finish(acc: i64, _len: u64) -> i64 {
        acc
    }
}

// SAFETY: the same operator as `Sum`, whose kernels these are.
unsafe impl Kernel<i32> for Total {
    const FOLD: FoldEntries<Readable<i32>, i32, Self> = FoldEntries {
        block: named("reduce_total_i32_block", <Sum as Kernel<i32>>::FOLD.block),
        grid: named("reduce_total_i32_grid", <Sum as Kernel<i32>>::FOLD.grid),
        partials: named("reduce_total_i32_partials", <Sum as Kernel<i32>>::FOLD.partials),
    };
}

const fn named<A, B>(name: &'static str, entry: Entry<A>) -> Entry<B> {
    entry.named(name)
}

#[test]
fn kernels_of_the_same_code_are_loaded_once() {
    match with_emulated_and("kernels_of_the_same_code_are_loaded_once", &[("WARPFOLD_EMULATED_LOG", "1")]) {
        None => {
            let cuda = Cuda::open(0).expect("the device");
            let array = cuda.upload(&[1i32, 2]).expect("an upload");
            cuda.prepare(Sum, &array).expect("the kernels of the sum");
            cuda.prepare(Total, &array).expect("the same kernels");
            assert_eq!(cuda.reduce(Total, &array).expect("a sum"), 3);
        }
        // Two of the canary, and three of the sum.
        Some(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            assert_eq!(text.matches("loads a module").count(), 5, "{text}");
        }
    }
}

#[test]
fn a_kernel_known_to_need_a_few_registers_too_many_is_compiled_once() {
    const NAME: &str = "a_kernel_known_to_need_a_few_registers_too_many_is_compiled_once";
    let variables = [("WARPFOLD_EMULATED_LOG", "1"), ("WARPFOLD_JIT_LEVEL", "1")];
    match with_emulated_and(NAME, &variables) {
        None => {
            let cuda = Cuda::open(0).expect("the device");
            let x = cuda.upload(&[1.0f32, 2.0]).expect("an upload");
            cuda.prepare(Sum, &x).expect("three kernels");
            cuda.prepare(Sum, rows(&x, [1, 2])).expect("kernels of rows");
        }
        // Two of the canary, three of the sum, and the kernels of rows. Two of the latter need 69 and 71 registers, and
        // two need more than 128.
        Some(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let count = |what| text.matches(what).count();
            let capped = [count("option 0 is 64"), count("option 0 is 128")];
            assert_eq!((count("loads a module"), count("option 7 is 1"), capped), (13, 13, [2, 2]), "{text}");
        }
    }
}

#[test]
fn a_level_of_optimisation_that_does_not_exist_is_told() {
    const NAME: &str = "a_level_of_optimisation_that_does_not_exist_is_told";
    if with_emulated_and(NAME, &[("WARPFOLD_JIT_LEVEL", "fast")]).is_none() {
        let error = Cuda::open(0).expect_err("no level").to_string();
        assert!(error.contains("WARPFOLD_JIT_LEVEL") && error.contains("fast"), "{error}");
    }
}

#[test]
fn threads_that_ask_at_once_load_a_kernel_once() {
    const NAME: &str = "threads_that_ask_at_once_load_a_kernel_once";
    match with_emulated_and(NAME, &[("WARPFOLD_EMULATED_LOG", "1")]) {
        None => {
            let cuda = Cuda::open(0).expect("the device");
            let array = cuda.upload(&[1i32, 2]).expect("an upload");
            let start = std::sync::Barrier::new(16);
            std::thread::scope(|scope| {
                for _ in 0..16 {
                    scope.spawn(|| {
                        start.wait();
                        assert_eq!(cuda.reduce(Sum, &array).expect("a sum"), 3);
                    });
                }
            });
        }
        // Two of the canary, and one of the sum.
        Some(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            assert_eq!(text.matches("loads a module").count(), 3, "{text}");
        }
    }
}

#[test]
fn a_forked_child_is_refused() {
    unsafe extern "C" {
        fn fork() -> i32;
        fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
        fn _exit(status: i32) -> !;
    }
    let body = || {
        let cuda = Cuda::open(0).expect("the device");
        let array = cuda.upload(&[1i32, 2]).expect("an upload");
        // SAFETY: one thread uses the device; the child exits below.
        let pid = unsafe { fork() };
        if pid == 0 {
            let refused = matches!(cuda.reduce(Sum, &array), Err(Error::Forked))
                && matches!(Cuda::open(0), Err(Error::Forked));
            drop(array);
            // SAFETY: ends the child at once.
            unsafe { _exit(if refused && cuda.failed_frees() == 1 { 42 } else { 1 }) }
        }
        let mut status = 0;
        // SAFETY: waits for the child made above, and writes to a local.
        assert_eq!(unsafe { waitpid(pid, &raw mut status, 0) }, pid);
        assert_eq!(status >> 8 & 0xff, 42);
        assert_eq!(cuda.reduce(Sum, &array).expect("the parent goes on"), 3);
    };
    with_emulated("a_forked_child_is_refused").map_or_else(body, drop);
}

/// Opens the device twice, and reduces if that succeeds.
fn open_twice() -> [Option<Error>; 2] {
    std::array::from_fn(|_| {
        let array = Cuda::open(0).and_then(|cuda| cuda.upload(&[1i32, 2]));
        array.and_then(|array| array.cuda().reduce(Sum, &array)).err()
    })
}

#[test]
fn a_device_is_asked_once_how_it_computes() {
    match with_emulated("a_device_is_asked_once_how_it_computes") {
        None => assert!(matches!(open_twice(), [None, None])),
        // Two kernels of the canary, and one of each reduction.
        Some(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(text.contains("0 contexts left; current context none; 4 launches"), "{text}");
        }
    }
}

/// Each kind has a separate test, because the answer is kept for a process.
fn another_arithmetic_is_refused(name: &str, kernel: &str, rows: &[Case], reveals: &str) {
    let row = rows.iter().position(|row| row.reveals == reveals).expect("a row that reveals it");
    // The kernel writes its rows to the memory of its argument 2.
    let corrupt = format!("{kernel} 2 {}", row * size_of::<Row>());
    match with_emulated_and(name, &[("WARPFOLD_EMULATED_CORRUPT", &corrupt)]) {
        None => {
            for error in open_twice() {
                let is_said = matches!(error, Some(Error::FloatEnvironment { found, device: Some(0) }) if found == reveals);
                assert!(is_said, "{error:?}");
            }
            // The call that chooses a backend chooses the CPU.
            let x = vec![0.1f32; 1 << 23];
            let cpu = warpfold::Cpu::new().reduce(Sum, &x).expect("a sum");
            assert_eq!(warpfold::reduce::<f32, Sum>(&x).expect("a sum").to_bits(), cpu.to_bits());
        }
        Some(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(text.contains(LEFT_NOTHING) && text.contains("; 2 launches"), "{text}");
        }
    }
}

#[test]
fn a_device_that_fuses_is_refused() {
    another_arithmetic_is_refused(
        "a_device_that_fuses_is_refused",
        "float_canary",
        ARITHMETIC,
        "products fused with sums",
    );
}

#[test]
fn a_device_that_flushes_is_refused() {
    let name = "a_device_that_flushes_is_refused";
    another_arithmetic_is_refused(name, "float_canary", ARITHMETIC, "subnormal results flushed to zero");
}

#[test]
fn a_device_with_approximate_roots_is_refused() {
    let name = "a_device_with_approximate_roots_is_refused";
    another_arithmetic_is_refused(name, "float_canary_roots", ROOTS, "roots not rounded to nearest");
}
