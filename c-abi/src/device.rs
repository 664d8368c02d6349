//! Another library's stream, made ready for reductions.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use warpfold::{Cuda, Element, Kernel};

use crate::dispatch::{self, Fold};
use crate::failure::Failure;
use crate::outcome::Outcome;

/// `warpfold_stream`: threads that share it take turns.
pub(crate) struct Stream {
    stream: Mutex<warpfold::Stream>,
}

/// The devices that were opened, by number. They stay open: kernels once loaded are loaded.
static DEVICES: Mutex<BTreeMap<usize, Cuda>> = Mutex::new(BTreeMap::new());

impl Stream {
    /// Makes it ready.
    ///
    /// # Safety
    /// `stream` is a stream of the device until this was dropped.
    pub(crate) unsafe fn open(device: i32, stream: *mut c_void) -> Result<Self, Failure> {
        let Ok(ordinal) = usize::try_from(device) else {
            return Err(Failure::invalid("devices are counted from 0"));
        };
        // Fails in a forked process, whose locks may be held for ever.
        Cuda::count()?;
        let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
        let cuda = match devices.get(&ordinal) {
            Some(cuda) => cuda.clone(),
            None => devices.entry(ordinal).or_insert(Cuda::open(ordinal)?).clone(),
        };
        drop(devices);
        // SAFETY: the caller's promise.
        Ok(Self { stream: Mutex::new(unsafe { cuda.stream_from_raw(stream) }?) })
    }

    /// Reduces what is at `x`, and waits.
    ///
    /// # Safety
    /// The device can read `len` elements of the type there, and nobody writes them meanwhile.
    pub(crate) unsafe fn reduce(&self, op: i32, kind: i32, x: u64, len: u64) -> Result<Outcome, Failure> {
        Cuda::count()?;
        let stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        dispatch::reduce(op, kind, &DeviceArray { stream: &stream, x, len })
    }
}

/// An array in device memory: made by [`Stream::reduce`] alone, whose caller says that it is one.
struct DeviceArray<'a> {
    stream: &'a warpfold::Stream,
    x: u64,
    len: u64,
}

impl Fold for DeviceArray<'_> {
    fn fold<T: Element, O: Kernel<T> + Default>(&self) -> Result<O::Out, Failure> {
        let Ok(len) = usize::try_from(self.len) else {
            return Err(Failure::invalid("the array has more bytes than there are addresses"));
        };
        // SAFETY: readable and unwritten (`Stream::reduce`) until the result is there, below.
        let array = unsafe { self.stream.cuda().borrow_raw::<T>(self.x, len) }?;
        Ok(self.stream.reduce(O::default(), &array)?)
    }
}
