//! NCCL without GPUs: ranks are threads of this process. A rank's stream goes on when what the others send it was sent by their
//! streams, and no earlier. Communicators start, and are split, after some questions how they go on. Split ones block, in their
//! first exchange until all ranks are there.

mod communicator;
mod exchange;

use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_char;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::failures::Failures;
use super::state::{self, Id};
use crate::nccl::SUCCESS;
use crate::sys::Handle;

pub(crate) use communicator::*;
pub(crate) use exchange::*;

/// `ncclInvalidArgument`.
const INVALID_ARGUMENT: u32 = 4;

/// The variable that says that NCCL is emulated, and its version.
const VARIABLE: &str = "WARPFOLD_EMULATED_NCCL";

/// The ranks that have the same id.
struct Ranks {
    size: usize,
    joined: usize,
    connected: usize,
    /// What is on its way from a rank to another, the oldest first.
    sent: BTreeMap<(usize, usize), VecDeque<Vec<u8>>>,
}

/// A rank's part in a communicator.
struct Communicator {
    ranks: u64,
    rank: usize,
    blocks: bool,
    asked: u32,
    has_moved: bool,
    is_finalized: bool,
    is_aborted: bool,
    has_left: bool,
    /// The communicator that is split off, and where its handle is written when all ranks have joined.
    split: Option<(Id, usize)>,
}

#[derive(Default)]
struct Library {
    failures: Failures,
    started: u64,
    ranks: BTreeMap<u64, Ranks>,
    communicators: BTreeMap<Id, Communicator>,
    aborted: usize,
}

fn lock() -> MutexGuard<'static, Library> {
    static LIBRARY: OnceLock<Mutex<Library>> = OnceLock::new();
    LIBRARY.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the code for a misuse of the library, after printing it.
fn fault(what: &str) -> u32 {
    state::say(&format!("fault: NCCL: {what}"));
    state::with(|driver| driver.dies(INVALID_ARGUMENT))
}

/// Fails if this call of `function` is to fail.
fn may_fail(function: &str) -> Result<(), u32> {
    lock().failures.next("WARPFOLD_EMULATED_NCCL_FAILURE", function).map_or(Ok(()), Err)
}

fn code(answer: Result<(), u32>) -> u32 {
    answer.err().unwrap_or(SUCCESS)
}

impl Library {
    fn of(&mut self, communicator: Handle) -> Result<&mut Communicator, u32> {
        self.communicators.get_mut(&communicator.addr()).ok_or(INVALID_ARGUMENT)
    }
}

/// Returns the version, if NCCL is emulated.
pub(crate) fn version() -> Option<u32> {
    let version = std::env::var(VARIABLE).ok()?;
    Some(version.parse().unwrap_or(22_203))
}

/// Returns a line that counts what is left.
pub(super) fn report() -> String {
    let library = lock();
    let left = library.communicators.values().filter(|communicator| !communicator.has_left).count();
    format!("NCCL: {left} communicators left, {} aborted", library.aborted)
}

pub(crate) unsafe extern "C" fn ncclGetErrorString(code: u32) -> *const c_char {
    let text = match code {
        2 => c"unhandled system error",
        6 => c"remote process exited",
        _ => c"some error",
    };
    text.as_ptr()
}
