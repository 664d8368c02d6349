//! Memory that runs out: each allocation of each function is refused once. The function returns its code, and nothing aborts.

use std::ffi::{c_char, c_void};

use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::failing::{Call, Failing, each_allocation_fails, tried};
use warpfold_tests::samples;

use super::groups::warpfold_groups_host;
use super::reduce::warpfold_reduce_host;
use super::rows::warpfold_rows_host;
use super::scan::warpfold_scan_host;
use super::sort::{warpfold_argsort_host, warpfold_sort_host};
use crate::outcome::Outcome;

#[global_allocator]
static MEMORY: Failing = Failing;

/// Two tasks of f32, and a part of one.
const N: usize = 600_000;

/// Returns a call with `count` results of 8 bytes. `call` gets their place and a buffer for the message.
fn call(name: &str, count: usize, call: impl Fn(*mut c_void, *mut c_char, usize) -> i32 + 'static) -> Call {
    let call = move || {
        let (mut out, mut error) = (vec![0_u64; count], [0 as c_char; 200]);
        let place = out.as_mut_ptr().cast();
        match tried(|| call(place, error.as_mut_ptr(), 200)) {
            0 => Some(bytemuck::cast_slice(&out).to_vec()),
            // WARPFOLD_OUT_OF_HOST_MEMORY
            9 => None,
            code => panic!("code {code}"),
        }
    };
    (name.to_owned(), Box::new(call))
}

#[test]
fn no_lack_of_memory_aborts() {
    let x = Vec::leak(samples::<f32>(Ordinary, 1, N as u64)).as_ptr();
    let ids = Vec::leak((0..N as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect()).as_ptr();
    let (at, len) = (x.cast(), N as u64);
    // SAFETY: the arrays have the lengths given, and the results have room.
    let calls = unsafe {
        vec![
            call("warpfold_reduce_host", 4, move |_, error, bytes| {
                let mut out = Outcome::default();
                warpfold_reduce_host(0, 4, at, len, &raw mut out, error, bytes)
            }),
            call("warpfold_rows_host", N / 100, move |out, error, bytes| {
                warpfold_rows_host(0, 4, at, len / 100, 100, out, error, bytes)
            }),
            call("warpfold_groups_host", 4096, move |out, error, bytes| {
                warpfold_groups_host(0, 4, at, ids, len, 4096, out, error, bytes)
            }),
            call("warpfold_scan_host", N, move |out, error, bytes| {
                warpfold_scan_host(0, 4, 0, at, len, out, error, bytes)
            }),
            call("warpfold_sort_host", N, move |out, error, bytes| {
                warpfold_sort_host(4, 0, at, len, out, error, bytes)
            }),
            call("warpfold_argsort_host", N, move |out, error, bytes| {
                warpfold_argsort_host(4, 1, at, len, out.cast(), error, bytes)
            }),
        ]
    };
    each_allocation_fails("boundary::memory::no_lack_of_memory_aborts", calls);
}
