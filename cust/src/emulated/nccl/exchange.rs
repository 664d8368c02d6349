//! What ranks send each other, in groups of calls.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::super::state::{self, Driver, Id, handle};
use super::super::stream;
use super::super::work::Work;
use super::{INVALID_ARGUMENT, Library, fault, lock, may_fail};
use crate::nccl::SUCCESS;
use crate::sys::Handle;

/// A send or a receive.
#[derive(Clone, Copy)]
struct Move {
    is_send: bool,
    peer: usize,
    at: usize,
    bytes: usize,
    is_done: bool,
}

/// What one group of calls enqueues.
struct Group {
    communicator: Id,
    stream: Id,
    moves: Vec<Move>,
}

thread_local! {
    /// The groups that this thread has started and not ended, and what the outermost enqueues.
    static OPEN: RefCell<(usize, Option<Group>)> = const { RefCell::new((0, None)) };
}

impl Library {
    /// Sends once, then receives what has arrived. Returns whether all has.
    fn exchange(&mut self, driver: &mut Driver, group: &mut Group, has_sent: &mut bool) -> Result<bool, u32> {
        let communicator = self.of(handle(group.communicator))?;
        if communicator.is_aborted {
            // Whatever lies there: what comes behind it runs, and its results are nobody's.
            for received in group.moves.iter().filter(|movement| !movement.is_send) {
                driver.wrote(received.at, received.bytes);
            }
            return Ok(true);
        }
        let (rank, number) = (communicator.rank, communicator.ranks);
        let Some(ranks) = self.ranks.get_mut(&number) else { return Err(INVALID_ARGUMENT) };
        if !*has_sent {
            for movement in &mut group.moves {
                movement.is_done = movement.is_send;
                if movement.is_send {
                    driver.touch(movement.at, movement.bytes)?;
                    driver.reads(movement.at, movement.bytes)?;
                    let from = ptr::with_exposed_provenance::<u8>(movement.at);
                    // SAFETY: just checked.
                    let message = unsafe { std::slice::from_raw_parts(from, movement.bytes) }.to_vec();
                    ranks.sent.entry((rank, movement.peer)).or_default().push_back(message);
                }
            }
            *has_sent = true;
        }
        // The exchanges with one peer, in order.
        let mut waits_for = Vec::new();
        for movement in group.moves.iter_mut().filter(|movement| !movement.is_done) {
            let sent = ranks.sent.entry((movement.peer, rank)).or_default();
            let Some(message) = sent.front().filter(|_| !waits_for.contains(&movement.peer)) else {
                waits_for.push(movement.peer);
                continue;
            };
            if message.len() != movement.bytes {
                return Err(driver.fault("NCCL: another number of bytes was sent than is received"));
            }
            driver.touch(movement.at, movement.bytes)?;
            driver.wrote(movement.at, movement.bytes);
            let to = ptr::with_exposed_provenance_mut::<u8>(movement.at);
            // SAFETY: just checked.
            unsafe { to.copy_from_nonoverlapping(message.as_ptr(), message.len()) };
            sent.pop_front();
            movement.is_done = true;
        }
        let is_done = waits_for.is_empty();
        if is_done {
            *has_sent = false;
        }
        Ok(is_done)
    }
}

pub(crate) unsafe extern "C" fn ncclGroupStart() -> u32 {
    OPEN.with_borrow_mut(|(depth, _)| *depth += 1);
    SUCCESS
}

pub(crate) unsafe extern "C" fn ncclGroupEnd() -> u32 {
    let (depth, group) = OPEN.with_borrow_mut(|(depth, group)| {
        let before = *depth;
        *depth = before.saturating_sub(1);
        (before, group.take())
    });
    if depth == 0 {
        return fault("a group that was not started");
    }
    if let Err(code) = may_fail("ncclGroupEnd") {
        return code;
    }
    let Some(group) = group else { return SUCCESS };
    connect(group.communicator);
    let stream = group.stream;
    let state = Mutex::new((group, false));
    let is_done = move |driver: &mut Driver| {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let (group, has_sent) = &mut *state;
        lock().exchange(driver, group, has_sent)
    };
    state::answer(|driver| {
        let stream = stream::of(driver, handle(stream))?;
        driver.push(stream, Work::Others(Arc::new(is_done)))
    })
}

/// Waits in a communicator's first exchange until all ranks are there.
fn connect(communicator: Id) {
    let number = {
        let mut library = lock();
        let Ok(found) = library.of(handle(communicator)) else { return };
        let (number, had_moved) = (found.ranks, found.has_moved);
        found.has_moved = true;
        if had_moved {
            return;
        }
        if let Some(ranks) = library.ranks.get_mut(&number) {
            ranks.connected += 1;
        }
        number
    };
    while lock().ranks.get(&number).is_some_and(|ranks| ranks.connected < ranks.size) {
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Adds a send or a receive to the open group.
fn moves(
    is_send: bool,
    at: usize,
    bytes: usize,
    kind: c_int,
    peer: c_int,
    communicator: Handle,
    stream: Handle,
) -> u32 {
    let size = {
        let mut library = lock();
        let Ok(found) = library.of(communicator) else { return INVALID_ARGUMENT };
        let (is_odd, number) =
            (kind != 1 || !found.blocks || found.is_aborted || found.is_finalized, found.ranks);
        if is_odd {
            drop(library);
            return fault("an odd call");
        }
        library.ranks.get(&number).map_or(0, |ranks| ranks.size)
    };
    let Some(peer) = usize::try_from(peer).ok().filter(|&peer| peer < size) else { return INVALID_ARGUMENT };
    let touched = state::with(|driver| driver.touch(at, bytes));
    if let Err(code) = touched {
        return code;
    }
    OPEN.with_borrow_mut(|(_, group)| {
        let new = || Group { communicator: communicator.addr(), stream: stream.addr(), moves: Vec::new() };
        let group = group.get_or_insert_with(new);
        if group.communicator != communicator.addr() || group.stream != stream.addr() {
            return fault("a group of two communicators or streams");
        }
        group.moves.push(Move { is_send, peer, at, bytes, is_done: false });
        SUCCESS
    })
}

pub(crate) unsafe extern "C" fn ncclSend(
    at: *const c_void,
    bytes: usize,
    kind: c_int,
    peer: c_int,
    communicator: Handle,
    stream: Handle,
) -> u32 {
    match may_fail("ncclSend") {
        Ok(()) => moves(true, at.addr(), bytes, kind, peer, communicator, stream),
        Err(code) => code,
    }
}

pub(crate) unsafe extern "C" fn ncclRecv(
    at: *mut c_void,
    bytes: usize,
    kind: c_int,
    peer: c_int,
    communicator: Handle,
    stream: Handle,
) -> u32 {
    match may_fail("ncclRecv") {
        Ok(()) => moves(false, at.addr(), bytes, kind, peer, communicator, stream),
        Err(code) => code,
    }
}

pub(crate) unsafe extern "C" fn ncclAllGather(
    from: *const c_void,
    to: *mut c_void,
    bytes: usize,
    kind: c_int,
    communicator: Handle,
    stream: Handle,
) -> u32 {
    if let Err(code) = may_fail("ncclAllGather") {
        return code;
    }
    let size = {
        let mut library = lock();
        let Ok(number) = library.of(communicator).map(|found| found.ranks) else { return INVALID_ARGUMENT };
        library.ranks.get(&number).map_or(0, |ranks| ranks.size)
    };
    // SAFETY: no arguments.
    unsafe { ncclGroupStart() };
    for rank in 0..size {
        let to = to.addr() + rank * bytes;
        for failed in [
            moves(true, from.addr(), bytes, kind, rank as c_int, communicator, stream),
            moves(false, to, bytes, kind, rank as c_int, communicator, stream),
        ] {
            if failed != SUCCESS {
                return failed;
            }
        }
    }
    // SAFETY: no arguments.
    unsafe { ncclGroupEnd() }
}
