//! Memory that runs out.
//!
//! Allocations whose size the input chooses are tried with the functions here; their errors say what they are for. Other crates
//! read the other formats, and do not try their allocations. If one fails, the allocator prints an error and ends the program
//! with code 1. Without this, Rust would abort the program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Write, stderr};
use std::process;

use bytemuck::Zeroable;
use bytemuck::allocation::try_zeroed_vec;

use crate::failure::Failure;

/// The system's allocator, which ends the program if there is no memory, unless the allocation is [tried].
struct OrEnd;

// The fuzzer watches memory itself.
#[cfg_attr(not(fuzzing), global_allocator)]
static ALLOCATOR: OrEnd = OrEnd;

/// What a thread does if there is no memory.
#[derive(Clone, Copy)]
enum Without {
    End,
    /// The allocation is tried, or the program is ending already.
    Return,
}

thread_local! {
    // Neither allocates nor is dropped, so that an allocator may use it.
    static WITHOUT: Cell<Without> = const { Cell::new(Without::End) };
}

/// Passes on what the system's allocator returned for `bytes` bytes.
fn or_end(given: *mut u8, bytes: usize) -> *mut u8 {
    let without = WITHOUT.try_with(Cell::get).unwrap_or(Without::End);
    if !given.is_null() || matches!(without, Without::Return) {
        return given;
    }
    // If printing needs memory, the program is aborted.
    let _ = WITHOUT.try_with(|without| without.set(Without::Return));
    let _ = writeln!(
        stderr(),
        "error: no memory for {bytes} bytes more: give the program more (ulimit -v), or a file that holds less"
    );
    process::exit(1)
}

// SAFETY: each method calls the system allocator's with the same arguments, whose contract is the same, and returns what that
// returned, or does not return. It does not unwind: printing to standard error does not panic.
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's.
        or_end(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's.
        or_end(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: the caller's.
        or_end(unsafe { System.realloc(block, layout, bytes) }, bytes)
    }
}

/// Runs an allocation that reports its failure.
fn tried<R>(allocation: impl FnOnce() -> R) -> R {
    let before = WITHOUT.replace(Without::Return);
    let result = allocation();
    WITHOUT.set(before);
    result
}

/// The least bytes for which the system is asked how many are free. Asking takes as long as filling 64 KiB.
const ASKED: u128 = 64 << 20;

/// Whether the system has `bytes` bytes. Linux grants more than it has, and kills programs that use them.
fn is_promise_kept(bytes: u128) -> bool {
    bytes < ASKED || available().is_none_or(|available| bytes <= available)
}

/// The bytes that are free, or would be without copies of files, if the system says so.
fn available() -> Option<u128> {
    let said = std::fs::read_to_string("/proc/meminfo").ok()?;
    let of = |name: &str| -> Option<u128> {
        let kib = said.lines().find_map(|line| line.strip_prefix(name))?;
        Some(kib.trim().strip_suffix("kB")?.trim().parse::<u128>().ok()? << 10)
    };
    Some(of("MemAvailable:")? + of("SwapFree:").unwrap_or(0))
}

/// An empty vector with room for `entries` entries.
pub(crate) fn with_room<N>(entries: usize, what: &'static str) -> Result<Vec<N>, Failure> {
    let mut room = Vec::new();
    let bytes = entries as u128 * size_of::<N>() as u128;
    if !is_promise_kept(bytes) {
        return Err(Failure::Memory { bytes, what });
    }
    tried(|| room.try_reserve_exact(entries)).map_err(|_| Failure::Memory { bytes, what })?;
    Ok(room)
}

/// `len` zeros.
pub(crate) fn zeroed<N: Zeroable>(len: usize, what: &'static str) -> Result<Vec<N>, Failure> {
    let bytes = len as u128 * size_of::<N>() as u128;
    if !is_promise_kept(bytes) {
        return Err(Failure::Memory { bytes, what });
    }
    tried(|| try_zeroed_vec(len)).map_err(|()| Failure::Memory { bytes, what })
}

/// Whether there are `bytes` bytes now.
#[cfg(feature = "arrow")]
pub(crate) fn is_there(bytes: usize) -> bool {
    tried(|| Vec::<u8>::new().try_reserve_exact(bytes)).is_ok()
}
