//! Operations over arrays in device memory, in the order of another library's stream.

mod array;
mod operations;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpfold::Cuda;

pub(crate) use self::array::Array;
pub(crate) use self::operations::Input;
use crate::dispatch::{OfOperator, OfPairs, OfType, of_dot, of_operator, of_type};
use crate::failure::Failure;

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

    /// Runs `request` with the operator and type of numbers of `warpfold.h`.
    pub(crate) fn of_operator<A, R>(&self, op: i32, kind: i32, request: R) -> Result<A, Failure>
    where
        R: for<'a> OfOperator<&'a warpfold::Stream, Answer = A>,
    {
        of_operator(op, kind, request, &*self.turn()?)
    }

    /// Runs `request` with `Dot` over elements of the type of a number of `warpfold.h`.
    pub(crate) fn of_dot<A, R>(&self, kind: i32, request: R) -> Result<A, Failure>
    where
        R: for<'a> OfPairs<&'a warpfold::Stream, Answer = A>,
    {
        of_dot(kind, request, &*self.turn()?)
    }

    /// Runs `request` with the type of a number of `warpfold.h`.
    pub(crate) fn of_type<A, R>(&self, kind: i32, request: R) -> Result<A, Failure>
    where
        R: for<'a> OfType<&'a warpfold::Stream, Answer = A>,
    {
        of_type(kind, request, &*self.turn()?)
    }
}
