//! Operations over arrays in device memory, in the order of another library's stream.

mod array;
mod operations;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpfold::{Cuda, Order};

pub(crate) use self::array::Array;
pub(crate) use self::operations::Input;
use self::operations::{Argsort, Groups, Reduce, Rows, Scans, Sort};
use crate::dispatch::{of_operator, of_type};
use crate::failure::Failure;
use crate::outcome::Outcome;

/// `warpfold_stream`: threads that share it take turns.
pub(crate) struct Stream {
    stream: Mutex<warpfold::Stream>,
}

/// The open devices by number. They stay open, so that each kernel is loaded once.
static DEVICES: Mutex<BTreeMap<usize, Cuda>> = Mutex::new(BTreeMap::new());

impl Stream {
    /// Opens a handle to a stream.
    ///
    /// # Safety
    /// `stream` is a stream of the device until the result is dropped.
    pub(crate) unsafe fn open(device: i32, stream: *mut c_void) -> Result<Self, Failure> {
        let Ok(ordinal) = usize::try_from(device) else {
            return Err(Failure::invalid("devices are counted from 0"));
        };
        // Returns an error in a forked process, whose locks may never be released.
        Cuda::device_count()?;
        let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
        let cuda = match devices.get(&ordinal) {
            Some(cuda) => cuda.clone(),
            None => devices.entry(ordinal).or_insert(Cuda::open(ordinal)?).clone(),
        };
        drop(devices);
        // SAFETY: the caller's promise.
        Ok(Self { stream: Mutex::new(unsafe { cuda.stream_from_raw(stream) }?) })
    }

    /// Waits for this thread's turn.
    fn turn(&self) -> Result<MutexGuard<'_, warpfold::Stream>, Failure> {
        // Returns an error in a forked process, whose locks may never be released.
        Cuda::device_count()?;
        Ok(self.stream.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// `warpfold_reduce`.
    pub(crate) fn reduce(&self, op: i32, kind: i32, x: Input) -> Result<Outcome, Failure> {
        of_operator(op, kind, Reduce { stream: &*self.turn()?, x })
    }

    /// `warpfold_rows`.
    pub(crate) fn rows(&self, op: i32, kind: i32, x: Input, shape: [u64; 2]) -> Result<Array, Failure> {
        of_operator(op, kind, Rows { stream: &*self.turn()?, x, shape })
    }

    /// `warpfold_groups`.
    pub(crate) fn groups(
        &self,
        op: i32,
        kind: i32,
        x: Input,
        ids: Input,
        groups: u64,
    ) -> Result<Array, Failure> {
        of_operator(op, kind, Groups { stream: &*self.turn()?, x, ids, groups })
    }

    /// `warpfold_scan`.
    pub(crate) fn scan(&self, op: i32, kind: i32, x: Input, is_exclusive: bool) -> Result<Array, Failure> {
        of_operator(op, kind, Scans { stream: &*self.turn()?, x, is_exclusive })
    }

    /// `warpfold_sort`.
    pub(crate) fn sort(&self, kind: i32, x: Input, order: Order) -> Result<Array, Failure> {
        of_type(kind, Sort { stream: &*self.turn()?, x, order })
    }

    /// `warpfold_argsort`.
    pub(crate) fn argsort(&self, kind: i32, x: Input, order: Order) -> Result<Array, Failure> {
        of_type(kind, Argsort { stream: &*self.turn()?, x, order })
    }
}
