//! Arrays and streams of others; and an invalid pointer, in a separate process, which it kills.

use std::ffi::c_void;
use std::process::Command;
use std::ptr;
use std::time::{Duration, Instant};

use warpfold::{Cpu, Cuda, DeviceArray, DriverCode, Error, Mean, Pending, Scan, Sum, rows, segments};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, cuda, on_gpu_or_emulated, open, samples};

/// A view of another array's memory, by its address alone.
fn borrowed(array: &DeviceArray<f32>, first: usize, len: usize) -> DeviceArray<f32> {
    let address = array.as_device_ptr() + 4 * first as u64;
    // SAFETY: the callers keep the array longer than this, and nobody writes it.
    unsafe { cuda().borrow_raw(address, len) }.unwrap()
}

#[test]
fn memory_by_its_address_has_the_same_bits() {
    let longest = on_gpu_or_emulated(1_000_000, 30_000);
    let all = samples::<f32>(Ordinary, 61, longest as u64 + 100);
    let device = cuda().upload(&all).unwrap();
    let stream = cuda().stream().unwrap();
    for n in [0, 1, 1000, 16_385, longest] {
        for first in [0, 1, 2, 3, 5, 100] {
            let expected = Cpu::new().reduce(Sum, &all[first..first + n]).unwrap().bits();
            let view = borrowed(&device, first, n);
            assert_eq!(cuda().reduce(Sum, &view).unwrap().bits(), expected);
            let pending = stream.reduce_async(Sum, &view).unwrap();
            drop(view);
            assert_eq!(pending.wait().unwrap().bits(), expected);
        }
    }
    assert_eq!(device.to_vec().unwrap(), all);
}

/// Results go to another's memory on another's stream, call after call, and nothing of it is kept.
#[test]
fn results_go_to_the_memory_of_others() {
    const CALLS: usize = 100;
    let x = samples::<f32>(Ordinary, 63, 3000);
    let (device, owner) = (cuda().upload(&x).unwrap(), cuda().stream().unwrap());
    let theirs = cuda().zeroed::<f32>(2 * 3000).unwrap();
    // SAFETY: the owner outlives it.
    let stream = unsafe { cuda().stream_from_raw(owner.as_raw()) }.unwrap();
    let (address, accs) = (theirs.as_device_ptr(), theirs.as_device_ptr() + 4 * 3000);
    for _ in 0..CALLS {
        // SAFETY: `theirs` outlives them, and is used by this stream alone.
        let (mut sums, mut results, mut means) = unsafe {
            (
                cuda().borrow_values_raw::<f32>(address, 3000).unwrap(),
                cuda().borrow_results_raw::<f32, Mean>(accs, 30).unwrap(),
                cuda().borrow_values_raw::<f32>(accs + 4 * 1000, 30).unwrap(),
            )
        };
        stream.scan_into(Sum, &borrowed(&device, 0, 3000), &mut sums, Scan::inclusive()).unwrap();
        stream.reduce_into(Mean, rows(&borrowed(&device, 0, 3000), [30, 100]), &mut results).unwrap();
        results.check().unwrap();
        stream.finish_into(&results, &mut means).unwrap();
    }
    stream.synchronize().unwrap();
    let found = theirs.to_vec().unwrap();
    let means = Cpu::new().reduce(Mean, rows(&x, [30, 100])).unwrap();
    let sums = Cpu::new().scan(Sum, &x, Scan::inclusive()).unwrap();
    assert!(found[..3000].iter().map(Bits::bits).eq(sums.iter().map(Bits::bits)));
    assert!(found[4000..4030].iter().map(|&mean| Some(mean).bits()).eq(means.iter().map(Bits::bits)));
    // SAFETY: refused memory is not used.
    let refused = unsafe { cuda().borrow_values_raw::<f64>(address + 4, 1) };
    assert!(matches!(refused, Err(Error::Foreign { .. })), "{refused:?}");
    // SAFETY: as above.
    let refused = unsafe { cuda().borrow_results_raw::<f32, Mean>(0, 1) };
    assert!(matches!(refused, Err(Error::Foreign { .. })), "{refused:?}");
}

/// Who finishes results on the device learns by a check that offsets were wrong.
#[test]
fn a_check_of_results_reports_offsets() {
    let (stream, x) = (cuda().stream().unwrap(), cuda().upload(&[1.0f32, 2.0]).unwrap());
    let mut sums = cuda().results::<f32, Sum>(1).unwrap();
    for (offsets, is_right) in [([0u32, 2], true), ([0, 3], false), ([1, 1], true)] {
        let offsets = cuda().upload(&offsets).unwrap();
        stream.reduce_into(Sum, segments(&x, &offsets), &mut sums).unwrap();
        assert_eq!(sums.check().is_ok(), is_right);
        assert_eq!(sums.to_vec().is_ok(), is_right);
    }
}

/// A stream of ours used like another library's, and the default streams by their special numbers.
#[test]
fn streams_by_their_handles_run_in_order() {
    let [long, short, middle] = on_gpu_or_emulated([3_000_000, 1000, 2_000_000], [30_000, 1000, 20_000]);
    let all = samples::<f32>(Ordinary, 62, long as u64);
    let device = cuda().upload(&all).unwrap();
    let expected = |n: usize| Cpu::new().reduce(Sum, &all[..n]).unwrap().bits();
    let owner = cuda().stream().unwrap();
    let handles: [*mut c_void; 4] =
        [owner.as_raw(), ptr::null_mut(), ptr::without_provenance_mut(1), ptr::without_provenance_mut(2)];
    for handle in handles {
        // SAFETY: the owner outlives it; the default streams live as long as this thread.
        let stream = unsafe { cuda().stream_from_raw(handle) }.unwrap();
        let mut out = cuda().scalar::<f32, Sum>().unwrap();
        for n in [long, short, middle] {
            let slice = device.slice(..n).unwrap();
            stream.reduce_into(Sum, &slice, &mut out).unwrap();
            let pending = stream.reduce_async(Sum, &slice).unwrap();
            assert_eq!(stream.reduce(Sum, &slice).unwrap().bits(), expected(n));
            assert_eq!(
                (pending.wait().unwrap().bits(), out.get().unwrap().bits()),
                (expected(n), expected(n))
            );
        }
        drop(stream);
        assert_eq!(out.get().unwrap().bits(), expected(middle));
    }
    assert_eq!(owner.reduce(Sum, &device).unwrap().bits(), expected(long));
}

/// While its owner records a stream, none of our work is enqueued there.
#[test]
fn a_stream_that_its_owner_records_is_refused() {
    let device = cuda().upload(&[1.0f32; 100]).unwrap();
    let owner = cuda().stream().unwrap();
    // SAFETY: the owner outlives it.
    let stream = unsafe { cuda().stream_from_raw(owner.as_raw()) }.unwrap();
    owner
        .capture(|_| {
            let refused = stream.reduce(Sum, &device);
            assert!(matches!(refused, Err(Error::Capturing { .. })), "{refused:?}");
            Ok(())
        })
        .unwrap();
    assert_eq!(stream.reduce(Sum, &device).unwrap(), 100.0);
}

#[test]
fn pointers_to_other_memory_are_refused() {
    let device = cuda().upload(&[1.0f32; 1024]).unwrap();
    let (address, host) = (device.as_device_ptr(), [1.0f32; 16]);
    // SAFETY: refused arrays are not used.
    let refused = |address: u64, len: usize| unsafe { cuda().borrow_raw::<f32>(address, len) }.unwrap_err();
    for error in [
        refused(0, 1),
        refused(address + 1, 1),
        refused(address, usize::MAX / 2),
        refused(address, 1 << 45),
        refused(host.as_ptr().addr() as u64, 16),
        refused(1 << 20, 1),
    ] {
        assert!(matches!(error, Error::Foreign { .. }), "{error}");
    }
    assert_eq!(cuda().reduce(Sum, &device).unwrap(), 1024.0);
}

/// An array with a hole: its first and its last byte are mapped.
fn array_with_a_hole(cuda: &Cuda) -> DeviceArray<f32> {
    let bytes: u64 = on_gpu_or_emulated(64 << 20, 1 << 20);
    let mut arrays: Vec<_> = (0..3).map(|_| cuda.zeroed::<f32>(bytes as usize / 4).unwrap()).collect();
    arrays.sort_by_key(DeviceArray::as_device_ptr);
    let (first, last) = (arrays[0].as_device_ptr(), arrays[2].as_device_ptr());
    drop(arrays.remove(1));
    std::mem::forget(arrays);
    // SAFETY: none: this is the caller's mistake to test, in a separate process.
    unsafe { cuda.borrow_raw(first, ((last + bytes - first) / 4) as usize) }.unwrap()
}

/// Runs `get` in a separate process, which must end with the device's error within a second.
fn ends_with_the_error(name: &str, get: fn(&Cuda, &DeviceArray<f32>) -> Result<f32, Error>) {
    const INSIDE: &str = "WARPFOLD_WITH_A_HOLE";
    if std::env::var_os(INSIDE).is_none() {
        let test = format!("foreign::{name}");
        let child = Command::new(std::env::current_exe().unwrap())
            .args([&test, "--exact", "--nocapture", "--test-threads", "1"])
            .env(INSIDE, "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&child.stderr);
        assert!(child.status.success() && text.contains("within a second"), "{text}");
        return;
    }
    let cuda = open().unwrap();
    let array = array_with_a_hole(&cuda);
    cuda.prepare(Sum, &array).unwrap();
    let start = Instant::now();
    let failed = get(&cuda, &array);
    let took = start.elapsed();
    // An emulated kernel does not read there: its launch fails.
    let expected = on_gpu_or_emulated(DriverCode::ILLEGAL_ADDRESS, DriverCode(719));
    assert!(matches!(failed, Err(Error::Driver { code, .. }) if code == expected), "{failed:?}");
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert!(matches!(get(&cuda, &array), Err(Error::Poisoned { .. })));
    eprintln!("the error came within a second: {took:?}");
}

#[test]
fn a_sticky_error_ends_a_blocking_call() {
    ends_with_the_error("a_sticky_error_ends_a_blocking_call", |cuda, array| cuda.reduce(Sum, array));
}

#[test]
fn a_sticky_error_ends_a_wait() {
    ends_with_the_error("a_sticky_error_ends_a_wait", |cuda, array| {
        cuda.stream()?.reduce_async(Sum, array).and_then(Pending::wait)
    });
}
