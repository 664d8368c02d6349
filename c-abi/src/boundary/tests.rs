//! The functions, called as from a C program.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use warpfold::kernels::{Storable, StoredOf};
use warpfold::{ArgMax, At, Cpu, Dot, Max, Mean, Min, Order, Scan, Sum, f16, groups, rows, zip};

use super::dot::{warpfold_dot, warpfold_dot_host};
use super::groups::{warpfold_groups, warpfold_groups_host};
use super::histogram::{warpfold_histogram, warpfold_histogram_host};
use super::median::{warpfold_median, warpfold_median_host};
use super::reduce::{warpfold_reduce, warpfold_reduce_host};
use super::rows::{warpfold_rows, warpfold_rows_host};
use super::scan::{warpfold_scan, warpfold_scan_host};
use super::sort::{warpfold_argsort, warpfold_argsort_host, warpfold_sort, warpfold_sort_host};
use super::stream::{warpfold_stream_close, warpfold_stream_open};
use super::*;
use crate::outcome::Outcome;

/// Returns the code and the message of a call with a buffer of `error_bytes` bytes.
fn called(error_bytes: usize, call: impl FnOnce(*mut c_char, usize) -> i32) -> (i32, String) {
    let mut error = [b'#'; 200];
    let code = call(error.as_mut_ptr().cast(), error_bytes);
    assert!(error[error_bytes..].iter().all(|&byte| byte == b'#'), "written past the end");
    let text = CStr::from_bytes_until_nul(&error[..error_bytes]).unwrap_or_default();
    (code, text.to_string_lossy().into_owned())
}

/// Returns the code, the result and the message of a reduction on the host.
fn reduce<T>(op: i32, kind: i32, x: *const T, len: u64, error_bytes: usize) -> (i32, Outcome, String) {
    let mut out = Outcome::default();
    // SAFETY: the arrays below have the lengths given, or are not read; the rest is writable.
    let (code, text) = called(error_bytes, |error, bytes| unsafe {
        warpfold_reduce_host(op, kind, x.cast(), len, &raw mut out, error, bytes)
    });
    (code, out, text)
}

/// Returns the results of an operation on the host with `count` results `V`.
fn results<V: Copy>(
    fill: V,
    count: usize,
    call: impl FnOnce(*mut c_void, *mut c_char, usize) -> i32,
) -> Vec<V> {
    let mut out = vec![fill; count];
    let place = out.as_mut_ptr().cast();
    assert_eq!(called(200, |error, bytes| call(place, error, bytes)), (0, String::new()));
    out
}

/// Elements whose order affects the bits of their sum.
fn floats(count: usize) -> Vec<f32> {
    (0..count).map(|i| if i % 97 == 5 { f32::NAN } else { 1e7 / (i as f32 - 300.3) }).collect()
}

fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn results_are_what_the_header_says() {
    let x = [3.0f32, f32::NAN, -1.0, -1.0];
    let of = |op| reduce(op, 4, x.as_ptr(), 4, 200);
    let value = |value: f32, index| Outcome { bits: value.to_bits().into(), index, kind: 4, present: 1 };
    assert_eq!(of(2), (0, value(-1.0, 0), String::new()));
    assert_eq!(of(6), (0, value(-1.0, 2), String::new()));
    assert_eq!(of(0).1, value(f32::from_bits(0x7fc0_0000), 0));
    assert_eq!(reduce::<f32>(6, 4, ptr::null(), 0, 200), (0, Outcome::default(), String::new()));
    let x = [i32::MIN, i32::MIN, 5];
    let sum = Outcome { bits: (2 * i64::from(i32::MIN) + 5) as u64, index: 0, kind: 2, present: 1 };
    assert_eq!(reduce(0, 0, x.as_ptr(), 3, 200), (0, sum, String::new()));
    // Integers have no NaN.
    for (skips_nan, keeps_nan, bits) in [(2, 4, u64::from(i32::MIN as u32)), (3, 5, 5)] {
        let found = (0, Outcome { bits, index: 0, kind: 0, present: 1 }, String::new());
        assert_eq!(
            [skips_nan, keeps_nan].map(|op| reduce(op, 0, x.as_ptr(), 3, 200)),
            [found.clone(), found]
        );
    }
}

#[test]
fn means_dots_and_medians_are_those_of_the_library() {
    let (cpu, x) = (Cpu::new(), floats(3001));
    let y: Vec<f32> = x.iter().rev().map(|x| x * 0.37).collect();
    let finite = |x: &[f32]| x.iter().map(|x| if x.is_nan() { 1.25 } else { *x }).collect::<Vec<_>>();
    let (x, y) = (finite(&x), finite(&y));
    let value = |value: f32| Outcome { bits: value.to_bits().into(), index: 0, kind: 4, present: 1 };
    let mean = cpu.reduce(Mean, &x).expect("a mean").expect("elements");
    assert_eq!(reduce(8, 4, x.as_ptr(), 3001, 200).1, value(mean));
    let whole: Vec<i32> = x.iter().map(|&x| x as i32).collect();
    let mean = cpu.reduce(Mean, &whole).expect("a mean").expect("elements");
    let of_integers = Outcome { bits: mean.to_bits(), index: 0, kind: 5, present: 1 };
    assert_eq!(reduce(8, 0, whole.as_ptr(), 3001, 200).1, of_integers);

    let (at, other, mut out) = (x.as_ptr().cast(), y.as_ptr().cast(), Outcome::default());
    let dot = |kind, out: &mut Outcome| {
        // SAFETY: both arrays have the length given, and the rest is writable.
        let call = |error, bytes| unsafe { warpfold_dot_host(kind, at, other, 3001, out, error, bytes) };
        called(200, call)
    };
    assert_eq!(dot(4, &mut out), (0, String::new()));
    assert_eq!(out, value(cpu.reduce(Dot, zip(&x, &y)).expect("a dot product")));
    assert_eq!(dot(6, &mut out), (1, "dot products have no type WARPFOLD_F16".to_owned()));

    let median = |at, len, out: &mut Outcome| {
        // SAFETY: the array has the length given, and the rest is writable.
        let call = |error, bytes| unsafe { warpfold_median_host(4, at, len, out, error, bytes) };
        called(200, call)
    };
    assert_eq!(median(at, 3000, &mut out), (0, String::new()));
    assert_eq!(out, value(cpu.median(&x[..3000]).expect("a median")));
    assert_eq!(median(ptr::null(), 0, &mut out).0, 1);
}

#[test]
fn histograms_count_each_element_once() {
    let mut x = floats(3001);
    x[17] = f32::NAN;
    let (mut out, mut outside) = ([7u64; 3], [7u64; 3]);
    let mut count = |edges: &[f32], bins| {
        let (edges, x) = (edges.as_ptr().cast(), x.as_ptr().cast());
        // SAFETY: the arrays have the lengths given, or are not read, and the rest is writable.
        let call = |error, bytes| unsafe {
            warpfold_histogram_host(4, edges, bins, x, 3001, out.as_mut_ptr(), &raw mut outside, error, bytes)
        };
        (called(200, call), out, outside)
    };
    let edges = [-1e6, -3.5e4, 4e3, 1e6];
    let (found, counts, [below, above, nan]) = count(&edges, 3);
    assert_eq!(found, (0, String::new()));
    let mut expected = [0; 5];
    for x in x.iter().filter(|x| !x.is_nan()) {
        expected[edges.iter().filter(|&edge| edge <= x).count()] += 1;
    }
    assert_eq!([below, counts[0], counts[1], counts[2], above], expected);
    assert_eq!(nan, x.iter().filter(|x| x.is_nan()).count() as u64);
    assert!(expected.iter().all(|&count| count > 0) && nan > 0, "{expected:?}");

    for (edges, bins, part) in [
        (&edges[..], 0, "1 edges were given"),
        (&[1.0, 3.0, 2.0], 2, "sort the edges"),
        (&[1.0, f32::INFINITY], 1, "infinite"),
        (&edges, u64::MAX, "more bytes"),
    ] {
        let ((code, text), ..) = count(edges, bins);
        assert!(code == 1 && text.contains(part), "{code}: {text}");
    }
}

#[test]
fn half_precision_has_sums_rows_and_sorts() {
    let x: Vec<f16> = floats(600).into_iter().map(|x| f16::from_f32(x / 1e6)).collect();
    let sum = Cpu::new().reduce(Sum, &x[..300]).expect("a sum");
    let of_sum = Outcome { bits: sum.to_bits().into(), index: 0, kind: 6, present: 1 };
    assert_eq!(reduce(0, 6, x.as_ptr(), 300, 200).1, of_sum);
    let at = x.as_ptr().cast();
    // SAFETY: `x` and the results have the lengths given.
    let sums = results(0u16, 2, |out, error, bytes| unsafe {
        warpfold_rows_host(0, 6, at, 2, 300, out, error, bytes)
    });
    let expected = Cpu::new().reduce(Sum, rows(&x, [2, 300])).expect("sums");
    assert_eq!(sums, expected.into_iter().map(f16::to_bits).collect::<Vec<_>>());
    // SAFETY: as above.
    let sorted = results(0u16, 600, |out, error, bytes| unsafe {
        warpfold_sort_host(6, 0, at, 600, out, error, bytes)
    });
    let mut expected = x.clone();
    expected.sort_by(f16::total_cmp);
    assert_eq!(sorted, expected.into_iter().map(f16::to_bits).collect::<Vec<_>>());
    let mean = Cpu::new().reduce(Mean, &x[..300]).expect("a mean").expect("elements");
    let of_mean = Outcome { bits: mean.to_bits().into(), index: 0, kind: 4, present: 1 };
    assert_eq!(reduce(8, 6, x.as_ptr(), 300, 200).1, of_mean);
    // SAFETY: as above: means are floats.
    let means = results(0f32, 2, |out, error, bytes| unsafe {
        warpfold_rows_host(8, 6, at, 2, 300, out, error, bytes)
    });
    assert_eq!(means[0].to_bits(), mean.to_bits());
    assert!(reduce(6, 6, x.as_ptr(), 300, 200).2.contains("no such operator for this type"));
}

#[test]
fn rows_and_groups_are_those_of_the_library() {
    let cpu = Cpu::new();
    let x = floats(3000);
    let at = x.as_ptr().cast();
    for [count, len] in [[3usize, 1000], [1000, 3], [1, 3000], [3000, 1], [5, 0], [0, 7]] {
        // SAFETY: `x` and the results have the lengths of the shape.
        let sums = results(0.0f32, count, |out, error, bytes| unsafe {
            warpfold_rows_host(0, 4, at, count as u64, len as u64, out, error, bytes)
        });
        let expected = cpu.reduce(Sum, rows(&x[..count * len], [count, len])).expect("sums");
        assert_eq!(bits(&sums), bits(&expected), "{count} rows of {len}");
        // SAFETY: as above.
        let greatest = results(f32::INFINITY, count, |out, error, bytes| unsafe {
            warpfold_rows_host(3, 4, at, count as u64, len as u64, out, error, bytes)
        });
        let expected = cpu.reduce(Max, rows(&x[..count * len], [count, len])).expect("maxima");
        let expected: Vec<_> = expected.into_iter().map(Storable::store).collect();
        assert_eq!(bits(&greatest), bits(&expected), "{count} rows of {len}");
    }
    let ids: Vec<u32> =
        (0..3000u32).map(|i| i.wrapping_mul(2_654_435_761) >> 26).map(|id| id.min(60)).collect();
    let none = None::<At<f32>>.store();
    // SAFETY: `x`, `ids` and the results have the lengths given.
    let found: Vec<StoredOf<f32, ArgMax>> = results(none, 64, |out, error, bytes| unsafe {
        warpfold_groups_host(7, 4, at, ids.as_ptr(), 3000, 64, out, error, bytes)
    });
    let expected = cpu.reduce(ArgMax, groups(&ids, &x, 64)).expect("indices");
    let expected: Vec<StoredOf<f32, ArgMax>> = expected.into_iter().map(Storable::store).collect();
    assert_eq!(bytemuck::cast_slice::<_, u64>(&found), bytemuck::cast_slice::<_, u64>(&expected));
    assert_eq!(found[63].index, u64::MAX);
}

#[test]
fn scans_and_sorts_are_those_of_the_library() {
    let cpu = Cpu::new();
    let x: Vec<i32> = (0..5000u32).map(|i| i.wrapping_mul(2_654_435_761) as i32).collect();
    let at = x.as_ptr().cast();
    for (number, scan) in [(0, Scan::inclusive()), (1, Scan::exclusive())] {
        // SAFETY: `x` and the results have 5000 values.
        let sums = results(0i64, 5000, |out, error, bytes| unsafe {
            warpfold_scan_host(0, 0, number, at, 5000, out, error, bytes)
        });
        assert_eq!(sums, cpu.scan(Sum, &x, scan).expect("sums"));
    }
    // SAFETY: as above.
    let least = results(7i32, 5000, |out, error, bytes| unsafe {
        warpfold_scan_host(2, 0, 0, at, 5000, out, error, bytes)
    });
    let expected = cpu.scan(Min, &x, Scan::inclusive()).expect("minima");
    assert_eq!(least, expected.into_iter().map(Storable::store).collect::<Vec<_>>());
    for (number, order) in [(0, Order::Ascending), (1, Order::Descending)] {
        // SAFETY: as above.
        let sorted = results(0i32, 5000, |out, error, bytes| unsafe {
            warpfold_sort_host(0, number, at, 5000, out, error, bytes)
        });
        let mut expected = x.clone();
        cpu.sort(&mut expected, order).unwrap();
        assert_eq!(sorted, expected);
        // SAFETY: as above.
        let indices = results(0u64, 5000, |out, error, bytes| unsafe {
            warpfold_argsort_host(0, number, at, 5000, out, error, bytes)
        });
        assert_eq!(
            indices,
            cpu.argsort(&x, order).expect("indices").into_iter().map(|i| i as u64).collect::<Vec<_>>()
        );
    }
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_written_past_the_buffer() {
    let x = [1i64, 2, 3];
    for (op, kind, at, len, part) in [
        (9, 2, x.as_ptr(), 3, "no such operator"),
        (-1, 2, x.as_ptr(), 3, "no such operator"),
        (0, 7, x.as_ptr(), 3, "no such type"),
        (0, 2, ptr::null(), 3, "null"),
        (0, 2, x.as_ptr().wrapping_byte_add(4), 2, "not aligned"),
        (0, 2, x.as_ptr(), u64::MAX / 8, "more bytes"),
    ] {
        let (code, out, text) = reduce(op, kind, at, len, 200);
        assert_eq!((code, out), (1, Outcome::default()));
        assert!(text.contains(part), "{text}");
        for bytes in 0..20 {
            let (_, _, short) = reduce(op, kind, at, len, bytes);
            assert_eq!(short, text[..bytes.saturating_sub(1)]);
        }
    }
    let (at, ids, mut out) = (x.as_ptr().cast(), [0u32, 1, 2], [0i64; 3]);
    let (out, none) = (out.as_mut_ptr().cast(), ptr::null_mut());
    let refused = |part: &str, call: &dyn Fn(*mut c_char, usize) -> i32| {
        let (code, text) = called(200, call);
        assert!(code == 1 && text.contains(part), "{code}: {text}");
    };
    // SAFETY: the arrays have the lengths given, or are not read.
    unsafe {
        refused("null", &|error, bytes| warpfold_rows_host(0, 2, at, 1, 3, none, error, bytes));
        refused("more bytes", &|error, bytes| {
            warpfold_rows_host(0, 2, at, 1 << 40, 1 << 40, out, error, bytes)
        });
        refused("group", &|error, bytes| {
            warpfold_groups_host(0, 2, at, ids.as_ptr(), 3, 2, out, error, bytes)
        });
        refused("initial value", &|error, bytes| warpfold_scan_host(3, 2, 1, at, 3, out, error, bytes));
        refused("no such scan", &|error, bytes| warpfold_scan_host(0, 2, 2, at, 3, out, error, bytes));
        refused("no such order", &|error, bytes| warpfold_sort_host(2, 2, at, 3, out, error, bytes));
        refused("no such type", &|error, bytes| warpfold_argsort_host(9, 0, at, 3, out.cast(), error, bytes));
    }
}

#[test]
fn null_is_allowed_everywhere() {
    let (no_stream, no_error) = (ptr::null(), ptr::null_mut());
    let (mut out, mut array) = (Outcome::default(), ptr::null_mut());
    // SAFETY: null for everything is allowed.
    unsafe {
        let x = [1i64, 2, 3];
        assert_eq!(warpfold_reduce_host(0, 2, x.as_ptr().cast(), 3, ptr::null_mut(), no_error, 0), 1);
        assert_eq!(warpfold_stream_open(0, ptr::null_mut(), ptr::null_mut(), no_error, 9), 1);
        assert_eq!(warpfold_reduce(no_stream, 0, 2, ptr::null(), 3, &raw mut out, no_error, 0), 1);
        assert_eq!(warpfold_rows(no_stream, 0, 2, ptr::null(), 3, 1, &raw mut array, no_error, 0), 1);
        assert_eq!(warpfold_dot(no_stream, 2, ptr::null(), ptr::null(), 3, &raw mut out, no_error, 0), 1);
        assert_eq!(warpfold_median(no_stream, 2, ptr::null(), 3, &raw mut out, no_error, 0), 1);
        let groups =
            warpfold_groups(no_stream, 0, 2, ptr::null(), ptr::null(), 3, 1, &raw mut array, no_error, 0);
        assert_eq!(groups, 1);
        assert_eq!(warpfold_scan(no_stream, 0, 2, 0, ptr::null(), 3, &raw mut array, no_error, 0), 1);
        assert_eq!(warpfold_sort(no_stream, 2, 0, ptr::null(), 3, &raw mut array, no_error, 0), 1);
        assert_eq!(warpfold_argsort(no_stream, 2, 0, ptr::null(), 3, ptr::null_mut(), no_error, 0), 1);
        let (x, out, nowhere) = (x.as_ptr().cast(), ptr::null_mut(), ptr::null_mut());
        assert_eq!(warpfold_histogram_host(2, ptr::null(), 2, x, 3, out, nowhere, no_error, 0), 1);
        assert_eq!(
            warpfold_histogram(no_stream, 2, x, 2, ptr::null(), 3, &raw mut array, nowhere, no_error, 0),
            1
        );
        assert!(array.is_null() && array::warpfold_array_data(array).is_null());
        assert_eq!(array::warpfold_array_len(array), 0);
        array::warpfold_array_free(array);
        warpfold_stream_close(ptr::null_mut());
    }
}

#[test]
fn a_panic_does_not_leave_the_library() {
    let mut out = 0u8;
    // SAFETY: `out` is writable, and the buffer is null.
    let code =
        unsafe { answer(|| std::panic::resume_unwind(Box::new(7)), &raw mut out, (ptr::null_mut(), 0)) };
    assert_eq!(code, 8);
}
