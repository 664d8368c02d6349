//! The streams that calls have used, each opened once.

use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use pyo3::prelude::*;
use warpfold::{Cuda, Error, Stream};

use super::lent::Lender;

/// A device, and a stream of it: a `cudaStream_t` as a number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) device: usize,
    pub(super) stream: usize,
}

/// The number of the default stream that each thread has for itself.
const PER_THREAD: usize = 2;

/// Most streams that stay open. Each has half a MiB of device memory. PyTorch has 32 in its pool.
const MOST: usize = 64;

struct Open {
    place: Place,
    /// The thread whose default stream it is.
    thread: Option<ThreadId>,
    stream: Arc<Mutex<Stream>>,
    _owner: Py<PyAny>,
}

/// The streams, the one opened last behind the others.
static STREAMS: Mutex<Vec<Open>> = Mutex::new(Vec::new());

/// The open devices. They stay open, so that each kernel is loaded once.
static DEVICES: Mutex<Vec<(usize, Cuda)>> = Mutex::new(Vec::new());

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a stream if it is open. Its lock is for one call.
pub(super) fn opened(place: Place) -> Result<Option<Arc<Mutex<Stream>>>, Error> {
    // Returns an error in a forked process, whose locks may never be released.
    Cuda::device_count()?;
    let thread = thread_of(place);
    let is_it = |open: &&Open| open.place == place && open.thread == thread;
    Ok(locked(&STREAMS).iter().find(is_it).map(|open| open.stream.clone()))
}

/// Returns this thread, if the stream is its default stream.
fn thread_of(place: Place) -> Option<ThreadId> {
    (place.stream == PER_THREAD).then(|| thread::current().id())
}

/// Has `request` recorded in the graph to which its library records a stream.
pub(super) fn record<R>(
    place: Place,
    lender: Lender,
    request: &dyn Fn(&Stream) -> Result<R, Error>,
) -> Result<R, Error> {
    Cuda::device_count()?;
    let cuda = device(place.device)?;
    // SAFETY: the library's graph keeps the memory that the library allocates while it records, and reuses it only behind what
    // is recorded. The device stays open. That other arrays live as long is what the library asks for its own functions.
    unsafe {
        cuda.record_raw(ptr::without_provenance_mut(place.stream), move |bytes| lender.lend(bytes), request)
    }
}

/// Opens a stream. `owner` is what keeps it.
pub(super) fn open(place: Place, owner: Py<PyAny>) -> Result<Arc<Mutex<Stream>>, Error> {
    let cuda = device(place.device)?;
    // SAFETY: `given` of warpfold/_gpu.py has the stream from its library, as the current one of the device. A stream of a library lives as long
    // as its object, which is kept beside it; one by its number alone, as the documentation of the package asks.
    let stream = unsafe { cuda.stream_from_raw(ptr::without_provenance_mut(place.stream)) }?;
    let new = Open { place, thread: thread_of(place), stream: Arc::new(Mutex::new(stream)), _owner: owner };
    let opened = new.stream.clone();
    let oldest = {
        let mut streams = locked(&STREAMS);
        streams.push(new);
        (streams.len() > MOST).then(|| streams.remove(0))
    };
    // Without the lock, because it waits for the stream's work.
    drop(oldest);
    Ok(opened)
}

fn device(ordinal: usize) -> Result<Cuda, Error> {
    let mut devices = locked(&DEVICES);
    if let Some((_, cuda)) = devices.iter().find(|(known, _)| *known == ordinal) {
        return Ok(cuda.clone());
    }
    let cuda = Cuda::open(ordinal)?;
    devices.push((ordinal, cuda.clone()));
    Ok(cuda)
}
