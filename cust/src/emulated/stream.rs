//! Streams.

use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::{c_int, c_uint};
use std::thread::{self, ThreadId};
use std::time::Duration;

use super::launch::Call;
use super::state::{self, Driver, Id, answer, handle};
use super::work::{self, Work};
use crate::sys::{self, Handle};

/// A queue of work.
#[derive(Default)]
pub(super) struct Stream {
    pub(super) work: VecDeque<Work>,
    /// The first of the work, if it is a kernel that has written its results.
    pub(super) leaving: Option<Call>,
    /// What is recorded instead of run.
    pub(super) recorded: Option<Vec<Work>>,
    /// The stream into whose recording the calls go.
    pub(super) into: Option<Id>,
    pub(super) asked: u32,
    pub(super) time: f32,
    /// Counts of pieces of work.
    pub(super) pushed: u64,
    pub(super) done: u64,
    /// The context. It is 0 for default streams, since they belong to any context.
    pub(super) context: Id,
    /// Whether it is one that was created, and not a default stream.
    pub(super) is_created: bool,
    /// Whether it is a thread's default stream.
    pub(super) is_of_thread: bool,
}

impl Stream {
    pub(super) fn is_capturing(&self) -> bool {
        self.recorded.is_some() || self.into.is_some()
    }
}

/// The number of the legacy default stream.
const LEGACY: Id = 1;

impl Driver {
    /// Returns a stream by its number.
    pub(super) fn stream(&mut self, id: Id) -> Result<&mut Stream, u32> {
        if !self.streams.contains_key(&id) {
            return Err(self.fault("used a stream that there is not"));
        }
        self.streams.get_mut(&id).ok_or(sys::INVALID_VALUE)
    }
}

/// Returns the number of the stream that a handle means on this thread.
pub(super) fn of(driver: &mut Driver, stream: Handle) -> Result<Id, u32> {
    let id = match stream.addr() {
        0 | LEGACY => LEGACY,
        sys::STREAM_PER_THREAD => default_of(thread::current().id()),
        id => {
            return match driver.streams.contains_key(&id) {
                true => Ok(id),
                false => Err(driver.fault("used a stream that there is not")),
            };
        }
    };
    driver.streams.entry(id).or_insert_with(|| Stream { is_of_thread: id != LEGACY, ..Stream::default() });
    Ok(id)
}

/// Returns the number of a thread's default stream.
fn default_of(thread: ThreadId) -> Id {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    thread.hash(&mut hasher);
    (hasher.finish() as usize) | 1 << 62
}

pub unsafe extern "system" fn cuStreamCreate(stream: *mut Handle, flags: c_uint) -> u32 {
    answer(|driver| {
        driver.may_fail("cuStreamCreate")?;
        if flags != sys::STREAM_NON_BLOCKING {
            return Err(sys::INVALID_VALUE);
        }
        let (id, context) = (driver.next(), driver.current());
        driver.streams.insert(id, Stream { context, is_created: true, ..Stream::default() });
        // SAFETY: the caller's promise.
        unsafe { *stream = handle(id) };
        Ok(())
    })
}

pub unsafe extern "system" fn cuStreamCreateWithPriority(
    stream: *mut Handle,
    flags: c_uint,
    priority: c_int,
) -> u32 {
    if priority > 0 {
        return sys::INVALID_VALUE;
    }
    // SAFETY: the caller's promise.
    unsafe { cuStreamCreate(stream, flags) }
}

pub unsafe extern "system" fn cuStreamDestroy_v2(stream: Handle) -> u32 {
    let id = stream.addr();
    let checked = answer(|driver| {
        let context = driver.stream(id)?.context;
        driver.is_of(context)
    });
    if checked != sys::SUCCESS {
        return checked;
    }
    let finished = work::finish(id);
    state::with(|driver| driver.streams.remove(&id));
    finished.err().unwrap_or(sys::SUCCESS)
}

pub unsafe extern "system" fn cuStreamSynchronize(stream: Handle) -> u32 {
    let wait = state::with(|driver| driver.settings.wait_ms);
    if wait > 0 {
        thread::sleep(Duration::from_millis(wait));
    }
    let mut found = 0;
    let checked = answer(|driver| {
        driver.may_fail("cuStreamSynchronize")?;
        found = of(driver, stream)?;
        match driver.stream(found)?.is_capturing() {
            true => Err(driver.fault("waited for a stream that captures")),
            false => Ok(()),
        }
    });
    if checked != sys::SUCCESS {
        return checked;
    }
    work::finish(found).err().unwrap_or(sys::SUCCESS)
}

pub unsafe extern "system" fn cuStreamQuery(stream: Handle) -> u32 {
    answer(|driver| {
        let id = of(driver, stream)?;
        if driver.stream(id)?.is_capturing() {
            return Err(driver.fault("asked a stream that captures"));
        }
        work::ask(driver, id)
    })
}

pub unsafe extern "system" fn cuThreadExchangeStreamCaptureMode(mode: *mut c_uint) -> u32 {
    thread_local! {
        static MODE: Cell<c_uint> = const { Cell::new(0) };
    }
    // SAFETY: the caller's promise.
    unsafe { *mode = MODE.replace(*mode) };
    sys::SUCCESS
}

pub unsafe extern "system" fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint) -> u32 {
    answer(|driver| {
        if flags != 0 {
            return Err(sys::INVALID_VALUE);
        }
        let id = of(driver, stream)?;
        let (recorded, done) = driver.event(event)?.recorded;
        let Some(recorded) = recorded else { return Ok(()) };
        let Some(other) = driver.streams.get(&recorded) else { return Ok(()) };
        // A stream that waits for one that records is recorded with it, in the order of the calls.
        let (other, captures) = (other.into.unwrap_or(recorded), other.is_capturing());
        let stream = driver.stream(id)?;
        if other == id || stream.into == Some(other) {
            return Ok(());
        }
        if stream.is_capturing() {
            return Err(driver.fault("a recording waits for what is not recorded"));
        }
        if captures {
            stream.into = Some(other);
            return Ok(());
        }
        driver.push(id, Work::Await { stream: other, done })
    })
}

pub unsafe extern "system" fn cuStreamGetCtx(stream: Handle, context: *mut Handle) -> u32 {
    answer(|driver| {
        let id = of(driver, stream)?;
        let found = match driver.stream(id)?.context {
            0 => driver.current(),
            context => context,
        };
        // SAFETY: the caller's promise.
        unsafe { *context = handle(found) };
        Ok(())
    })
}

pub unsafe extern "system" fn cuStreamIsCapturing(stream: Handle, status: *mut c_uint) -> u32 {
    answer(|driver| {
        let id = of(driver, stream)?;
        // SAFETY: the caller's promise.
        unsafe { *status = driver.stream(id)?.is_capturing().into() };
        Ok(())
    })
}
