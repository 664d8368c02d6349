//! Events.

use std::ffi::c_uint;

use super::state::{Driver, Id, answer, handle};
use super::stream;
use super::work::{self, Work};
use crate::sys::{self, Handle};

/// An event.
#[derive(Default)]
pub(super) struct Event {
    /// The time when it was recorded last; 0 if never.
    time: f32,
    /// The stream where it was recorded last, and the work before it.
    pub(super) recorded: (Option<Id>, u64),
    /// How often it was recorded without having happened yet.
    pub(super) pending: usize,
    pub(super) is_destroyed: bool,
}

impl Driver {
    /// Returns an event.
    pub(super) fn event(&mut self, event: Handle) -> Result<&mut Event, u32> {
        let id = event.addr();
        if self.events.get(&id).is_none_or(|event| event.is_destroyed) {
            return Err(self.fault("used an event that there is not"));
        }
        self.events.get_mut(&id).ok_or(sys::INVALID_VALUE)
    }
}

pub unsafe extern "system" fn cuEventCreate(event: *mut Handle, flags: c_uint) -> u32 {
    answer(|driver| {
        driver.may_fail("cuEventCreate")?;
        if ![sys::EVENT_DEFAULT, sys::EVENT_DISABLE_TIMING].contains(&flags) {
            return Err(sys::INVALID_VALUE);
        }
        let id = driver.next();
        driver.events.insert(id, Event::default());
        // SAFETY: the caller's promise.
        unsafe { *event = handle(id) };
        Ok(())
    })
}

pub unsafe extern "system" fn cuEventRecord(event: Handle, stream: Handle) -> u32 {
    answer(|driver| {
        driver.may_fail("cuEventRecord")?;
        let id = stream::of(driver, stream)?;
        driver.event(event)?;
        driver.push(id, Work::Event(event.addr()))?;
        let stream = driver.stream(id)?;
        let (time, pushed, is_run) = (1.0 + stream.time, stream.pushed, !stream.is_capturing());
        let event = driver.event(event)?;
        (event.time, event.recorded) = (time, (Some(id), pushed));
        event.pending += usize::from(is_run);
        Ok(())
    })
}

pub unsafe extern "system" fn cuEventSynchronize(event: Handle) -> u32 {
    let mut recorded = None;
    let checked = answer(|driver| {
        driver.may_fail("cuEventSynchronize")?;
        let event = driver.event(event)?;
        recorded = event.recorded.0;
        if event.time == 0.0 { Err(sys::INVALID_VALUE) } else { Ok(()) }
    });
    let Some(stream) = recorded.filter(|_| checked == sys::SUCCESS) else { return checked };
    // Does the work before the event, and no more.
    let waited = work::finish_while(stream, |driver| {
        let pends = driver.events.get(&event.addr()).is_some_and(|event| event.pending > 0);
        pends && driver.streams.get(&stream).is_some_and(|stream| !stream.work.is_empty())
    });
    waited.err().unwrap_or(sys::SUCCESS)
}

pub unsafe extern "system" fn cuEventElapsedTime(milliseconds: *mut f32, start: Handle, end: Handle) -> u32 {
    answer(|driver| {
        let elapsed = driver.event(end)?.time - driver.event(start)?.time;
        // SAFETY: the caller's promise.
        unsafe { *milliseconds = elapsed };
        Ok(())
    })
}

pub unsafe extern "system" fn cuEventDestroy_v2(event: Handle) -> u32 {
    answer(|driver| {
        let found = driver.event(event)?;
        found.is_destroyed = true;
        if found.pending == 0 {
            driver.events.remove(&event.addr());
        }
        Ok(())
    })
}
