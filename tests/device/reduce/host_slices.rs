//! Slices in host memory: the bits of the CPU, with any feed.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use rayon::prelude::*;
use test_kernels::{MatrixProduct, Ordered, Strided, mix};
use warpfold::kernels::Kernel;
use warpfold::{ArgMin, Cpu, Cuda, Element, Error, Feed, Op, Sum, host, reference, tree};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, each_pair, is_emulated, on_gpu_or_emulated, samples, sizes};

use crate::another_library::driver_functions;

/// The default, and others with many chunks.
fn feeds() -> [Feed; 4] {
    let feed = |bytes, buffers| Feed::new(bytes, buffers).unwrap();
    [Feed::default(), feed(4096, 1), feed(64 << 10, 3), feed(1 << 20, 2).with_threads(NonZeroUsize::MIN)]
}

/// Reduces by a feed, and checks its reports of progress.
fn fold<T: Element, O: Kernel<T> + Default + Op<T, Out: Bits>>(feed: &Feed, x: &[T]) -> String {
    let mut last = None;
    let input = host(x).with_feed(*feed).with_progress(|done, total| {
        assert!(total == x.len() as u64 && done <= total && last.is_none_or(|last| last < done));
        last = Some(done);
        ControlFlow::Continue(())
    });
    let found = cuda().reduce(O::default(), input).unwrap().bits();
    assert_eq!(last, Some(x.len() as u64));
    found
}

fn check<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(limit: u64) {
    let tile = tree::tile_len::<T>(0);
    let of_a_gpu = sizes::up_to::<T>(limit).into_iter().filter(|n| n % 3 == 0 || *n > 60_000);
    let sizes = on_gpu_or_emulated(of_a_gpu.collect(), vec![0, 1, 999, tile + 1, 17 * tile + 5]);
    let all = samples::<T>(Special, 21, sizes.iter().copied().max().unwrap_or(0));
    for n in sizes {
        let x = &all[..n as usize];
        let expected = reference::reduce::<T, O>(x).bits();
        for feed in feeds() {
            assert_eq!(fold::<T, O>(&feed, x), expected, "{n} elements, {feed}");
        }
    }
}

fn pair<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>() {
    check::<T, O>(300_000);
}

each_pair! {
    pair of gpu_kernels::for_each_kernel, or takes_of_many_kernels of warpfold_tests::for_each_sampled_kernel
}

#[test]
fn fingerprints_equal_the_cpus() {
    check::<u32, Strided>((1 << 23) + 5000);
    check::<u32, Ordered>((1 << 23) + 5000);
    check::<u32, MatrixProduct>((1 << 23) + 5000);
}

/// Chunks of the default length, and a slice that starts at an odd element.
#[test]
fn long_slices_give_the_cpus_bits() {
    let len = on_gpu_or_emulated(50_000_001, 200_001);
    let all = samples::<f32>(Ordinary, 22, len as u64);
    for x in [&all[..], &all[1..], &all[3..len / 5 * 4]] {
        let expected = Cpu::new().reduce(Sum, x).unwrap().bits();
        for feed in feeds() {
            assert_eq!(fold::<f32, Sum>(&feed, x), expected, "{} elements, {feed}", x.len());
        }
        assert_eq!(cuda().reduce(Sum, x).unwrap().bits(), expected);
    }
}

/// 5 GiB of elements, then as many of another type, at offsets beyond 32 bits.
#[test]
fn beyond_4_gib() {
    // An emulated device would take hours.
    if is_emulated() {
        return;
    }
    fn all<T: Element + Sample>(n: usize) -> Vec<T> {
        (0..n as u64).into_par_iter().map(|i| T::ordinary(mix(i))).collect()
    }
    let x = all::<u32>((5 << 30) / 4 + 7);
    let expected = Cpu::new().reduce(Sum, &x).unwrap().bits();
    assert_eq!(fold::<u32, Sum>(&Feed::default(), &x), expected);
    let floats: &[f32] = bytemuck::cast_slice(&x);
    let expected = Cpu::new().reduce(ArgMin, floats).unwrap().bits();
    assert_eq!(fold::<f32, ArgMin>(&Feed::default(), floats), expected);
    drop(x);
    let x = all::<f32>((1 << 30) + 3);
    let expected = Cpu::new().reduce(Sum, &x).unwrap().bits();
    for feed in [Feed::default(), Feed::new(100 << 20, 2).unwrap()] {
        assert_eq!(fold::<f32, Sum>(&feed, &x), expected, "{feed}");
    }
}

#[test]
fn threads_feed_one_device() {
    let (len, threads) = on_gpu_or_emulated((3_000_000, 8), (20_000, 4));
    let all = samples::<f64>(Ordinary, 23, len);
    let expected = Cpu::new().reduce(Sum, &all).unwrap().bits();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (all, expected) = (&all, &expected);
            scope.spawn(move || {
                for round in 0..threads {
                    assert_eq!(&fold::<f64, Sum>(&feeds()[(thread + round) % 4], all), expected);
                }
            });
        }
    });
}

#[test]
fn a_callback_that_breaks_leaves_the_device_usable() {
    let len = on_gpu_or_emulated(2_000_000, 50_000);
    let x = samples::<f32>(Ordinary, 24, len);
    let expected = Cpu::new().reduce(Sum, &x).unwrap().bits();
    for feed in feeds() {
        let stopped =
            cuda().reduce(Sum, host(&x).with_feed(feed).with_progress(|_, _| ControlFlow::Break(())));
        assert!(matches!(stopped, Err(Error::Stopped { done: 1.., total }) if total == len), "{stopped:?}");
        assert_eq!(fold::<f32, Sum>(&feed, &x), expected);
    }
}

/// The chosen backend, with speeds that this test may be the first to measure.
#[test]
fn the_call_that_chooses_gives_the_cpus_bits() {
    let x = samples::<f32>(Ordinary, 26, 40_000_000);
    for n in [0, 1000, 8_000_000, 9_000_000, x.len()] {
        let expected = Cpu::new().reduce(Sum, &x[..n]).unwrap().bits();
        assert_eq!(warpfold::reduce::<f32, Sum>(&x[..n]).unwrap().bits(), expected, "{n}");
        let chosen = Cuda::chosen_for(4 * n).unwrap();
        assert!(chosen.is_none_or(|cuda| cuda.properties().ordinal == 0 && 4 * n >= 32 << 20));
    }
    println!("{}", warpfold::about().auto);
}

/// Page-locks a slice until this is dropped.
struct Locked<'a> {
    x: &'a [f32],
    /// Locking needs a context; this one is the device's own.
    context: *mut std::ffi::c_void,
    device: i32,
}

driver_functions! {
    fn cuDeviceGet(device: *mut i32, ordinal: i32) -> u32;
    fn cuDevicePrimaryCtxRetain(context: *mut *mut std::ffi::c_void, device: i32) -> u32;
    fn cuDevicePrimaryCtxRelease_v2(device: i32) -> u32;
    fn cuCtxPushCurrent_v2(context: *mut std::ffi::c_void) -> u32;
    fn cuCtxPopCurrent_v2(context: *mut *mut std::ffi::c_void) -> u32;
    fn cuMemHostRegister_v2(at: *mut std::ffi::c_void, bytes: usize, flags: u32) -> u32;
    fn cuMemHostUnregister(at: *mut std::ffi::c_void) -> u32;
}

impl<'a> Locked<'a> {
    fn new(x: &'a [f32]) -> Self {
        let (mut context, mut device) = (std::ptr::null_mut(), 0);
        // SAFETY: writes handles to locals; `cuda()` has initialised the driver; the slice is borrowed until it is
        // unregistered.
        unsafe {
            assert_eq!(cuDeviceGet(&raw mut device, 0), 0);
            assert_eq!(cuDevicePrimaryCtxRetain(&raw mut context, device), 0);
            assert_eq!(cuCtxPushCurrent_v2(context), 0);
            // The emulated driver locks for one context alone.
            let flags = on_gpu_or_emulated(1, 0);
            assert_eq!(cuMemHostRegister_v2(x.as_ptr().cast_mut().cast(), size_of_val(x), flags), 0);
        }
        Self { x, context, device }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: undoes the work of `new`, on the same thread.
        unsafe {
            cuMemHostUnregister(self.x.as_ptr().cast_mut().cast());
            cuCtxPopCurrent_v2(&raw mut self.context);
            cuDevicePrimaryCtxRelease_v2(self.device);
        }
    }
}

#[test]
fn page_locked_slices_give_the_cpus_bits() {
    let len = on_gpu_or_emulated(20_000_003, 60_003);
    let end = len / 4 * 3;
    let x = samples::<f32>(Ordinary, 25, len as u64);
    cuda();
    let locked = Locked::new(&x[..end]);
    // All of it; from an odd element on; partly locked; a few elements.
    for part in [0..end, 1..end - 1, len / 4..len, 17..1000] {
        let x = &x[part.clone()];
        let expected = Cpu::new().reduce(Sum, x).unwrap().bits();
        for feed in feeds() {
            assert_eq!(fold::<f32, Sum>(&feed, x), expected, "{part:?}, {feed}");
        }
    }
    drop(locked);
    let expected = Cpu::new().reduce(Sum, &x).unwrap().bits();
    assert_eq!(fold::<f32, Sum>(&Feed::default(), &x), expected);
}
