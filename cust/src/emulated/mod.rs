//! A driver without a GPU, in this process: its devices' memory is the host's, and kernels run under the emulator of
//! [`cuda_std`]. It is slow, and checks what it runs.
//!
//! [`start`] puts it in the place of NVIDIA's driver, for all of the process and before the first call of any function. Then
//! everything of this crate works as with a GPU. A kernel runs if its [entry](cuda_std::emulator::Entry) was
//! [offered](offer) before its module was loaded.
//!
//! Work that was enqueued is done as late as the driver's rules allow: when its stream, or an event in it, is waited for; and one
//! piece at every third question whether it has ended. So memory that is freed or written too early is found. A kernel that has
//! written its results leaves the device only with the next piece of work: until then its code, and the memory that it wrote to, must
//! be there.
//!
//! The [order](cuda_std::emulator::Order) in which a kernel's threads run follows from a hash: of `WARPFOLD_TURN`, of the kernel's name,
//! and of the number of this run among all runs of the process. So each run has an order of its own, and a process whose threads
//! launch one after the other has the same orders again.
//!
//! Memory of a device may be read once it was written. Bytes that are written past the driver and the emulator, as by a kernel through
//! a raw pointer, count if they differ from what new memory is [filled with](cuda_std::emulator::Written::FILL).
//!
//! A misuse of the driver, and each [`Misuse`](cuda_std::emulator::Misuse) by a kernel, is printed to standard error, and ends the
//! device's work with code 719 (`CUDA_ERROR_LAUNCH_FAILED`), which no later call can mend.
//!
//! These environment variables have it do more, for tests:
//!
//! | variable | does |
//! |---|---|
//! | `WARPFOLD_EMULATED_DEVICES` | sets the number of devices. Each refuses what belongs to another. 1 by default |
//! | `WARPFOLD_EMULATED_MULTIPROCESSORS` | sets the number of multiprocessors; 4 by default |
//! | `WARPFOLD_EMULATED_CAPABILITY` | sets the compute capability's first number; 9 by default |
//! | `WARPFOLD_EMULATED_VERSION` | sets the driver's CUDA version; 12040 by default, which is 12.4 |
//! | `WARPFOLD_EMULATED_FAILURE` | `function count code`, or several with commas between: that call from now on answers the code. `run` for the function: that kernel from now on ends with the code; with code 0 it writes nothing |
//! | `WARPFOLD_EMULATED_CORRUPT` | `kernel argument offset`: adds 1 to the byte at this offset of the memory of that argument whenever the kernel has run |
//! | `WARPFOLD_EMULATED_CLOCK` | set: the clock counts launches, not pieces of work; one of 512 threads is half |
//! | `WARPFOLD_EMULATED_WAIT` | sets the milliseconds that a wait for a stream takes |
//! | `WARPFOLD_EMULATED_SHORT` | sets the most elements of an array that is moved as a short one, with positions of 4 bytes and in one launch: instead of 2^32 - 1 and 2^30 - 1 |
//! | `WARPFOLD_EMULATED_LOG` | set: prints what is loaded, allocated, copied and launched |
//! | `WARPFOLD_TURN` | any text, empty by default: other orders in which threads run. CI sets it to the number of its turn |
//! | `WARPFOLD_EMULATED_REPORT` | set: prints what is left when the process ends |
//! | `WARPFOLD_EMULATED_NCCL` | `version`, or empty: [NCCL](crate::nccl) is emulated too, as of that version, between threads of this process |
//! | `WARPFOLD_EMULATED_NCCL_FAILURE` | as `FAILURE`, of NCCL's functions |
#![allow(non_snake_case, reason = "the functions have the driver's names")]
#![allow(
    clippy::missing_safety_doc,
    missing_docs,
    reason = "NVIDIA's reference says what they do, and what must hold"
)]

mod context;
mod event;
mod failures;
mod graph;
mod launch;
mod memory;
mod module;
pub(crate) mod nccl;
mod settings;
mod state;
mod stream;
mod work;

use std::ffi::c_int;
use std::sync::Once;

use cuda_std::emulator::Entry;

use crate::error::{CudaError, CudaResult, DriverCode};
use crate::sys;

/// The driver's functions, for tests that are another library in the same process.
#[doc(hidden)]
pub mod functions {
    pub use super::context::*;
    pub use super::event::*;
    pub use super::graph::*;
    pub(crate) use super::launch::cuLaunchKernelEx;
    pub use super::launch::*;
    pub use super::memory::*;
    pub use super::module::*;
    pub use super::stream::*;
}

/// Puts this driver in the place of NVIDIA's. Repeated calls do nothing.
///
/// # Errors
/// [`CudaError::Driver`] with code 999 (`CUDA_ERROR_UNKNOWN`) if the process has used NVIDIA's driver, or looked for it.
pub fn start() -> CudaResult<()> {
    if sys::emulate() {
        static REPORTS: Once = Once::new();
        REPORTS.call_once(report_at_exit);
        return Ok(());
    }
    Err(CudaError::Driver {
        code: DriverCode(sys::UNKNOWN),
        during: "starting the emulated driver after NVIDIA's",
    })
}

/// Has the process say what is left when it ends, if the environment asks for it.
fn report_at_exit() {
    unsafe extern "C" {
        safe fn atexit(call: extern "C" fn()) -> c_int;
    }
    extern "C" fn report() {
        state::say(&state::with(|driver| driver.report()));
        state::say(&nccl::report());
    }
    if std::env::var_os("WARPFOLD_EMULATED_REPORT").is_some() {
        atexit(report);
    }
}

/// Returns whether this driver is in use.
#[must_use]
pub fn is_in_use() -> bool {
    sys::is_emulated()
}

/// Returns the most elements of an array that is moved as a short one, if this driver is in use and the environment sets it.
#[must_use]
pub fn most_short() -> Option<u64> {
    is_in_use().then(|| state::with(|driver| driver.settings.short))?
}

/// Has modules that are loaded from now on find `kernel` by `name`, unless there is one of this name.
pub fn offer(name: &str, kernel: Entry) {
    state::with(|driver| {
        driver.offered.entry(name.into()).or_insert(kernel);
    });
}

/// Returns the number of calls of the driver's functions.
#[must_use]
pub fn calls() -> usize {
    state::with(|driver| driver.calls)
}

/// Returns the number of allocations that are not freed.
#[must_use]
pub fn allocations() -> usize {
    state::with(|driver| driver.memory.len())
}

/// Returns whether this thread is in a call of the driver: for allocators that count what a program allocates.
#[must_use]
pub fn is_working() -> bool {
    state::IS_WORKING.try_with(std::cell::Cell::get).unwrap_or(false)
}

/// Sets whether work is done when it is enqueued, as by a device that is quicker than the host.
pub fn set_eager(eager: bool) {
    state::with(|driver| driver.eager = eager);
}
