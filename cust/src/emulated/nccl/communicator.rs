//! Communicators: how ranks join, split off others and leave.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::ptr;

use super::super::state::{self, Driver, Id, handle};
use super::{Communicator, INVALID_ARGUMENT, Library, Ranks, code, fault, lock, may_fail};
use crate::nccl::{Config, IN_PROGRESS, SUCCESS, UniqueId};
use crate::sys::Handle;

/// Most ranks.
const MOST: c_int = 64;

impl Library {
    /// Adds one of the ranks that have an id.
    fn join(&mut self, id: Id, number: u64, (size, rank): (usize, usize), blocks: bool) {
        let ranks = Ranks { size, joined: 0, connected: 0, sent: BTreeMap::new() };
        self.ranks.entry(number).or_insert(ranks).joined += 1;
        let communicator = Communicator {
            ranks: number,
            rank,
            blocks,
            asked: 0,
            has_moved: false,
            is_finalized: false,
            is_aborted: false,
            has_left: false,
            split: None,
        };
        self.communicators.insert(id, communicator);
    }
}

pub(crate) unsafe extern "C" fn ncclGetUniqueId(id: *mut UniqueId) -> u32 {
    let failed = may_fail("ncclGetUniqueId");
    let mut library = lock();
    library.started += 1;
    // SAFETY: the caller's promise; an id has 128 bytes.
    unsafe {
        id.cast::<u8>().write_bytes(0, size_of::<UniqueId>());
        id.cast::<u64>().write_unaligned(library.started);
    }
    code(failed)
}

pub(crate) unsafe extern "C" fn ncclCommInitRankConfig(
    communicator: *mut Handle,
    size: c_int,
    id: UniqueId,
    rank: c_int,
    config: *mut Config,
) -> u32 {
    // SAFETY: the caller's promise.
    if !unsafe { &*config }.is(&Config::NON_BLOCKING) {
        return fault("an odd configuration");
    }
    if let Err(code) = may_fail("ncclCommInitRankConfig") {
        return code;
    }
    if !(1..=MOST).contains(&size) || !(0..size).contains(&rank) {
        return INVALID_ARGUMENT;
    }
    // SAFETY: an id has 128 bytes.
    let number = unsafe { (&raw const id).cast::<u64>().read_unaligned() };
    let joined = state::with(Driver::next);
    lock().join(joined, number, (size as usize, rank as usize), false);
    // SAFETY: the caller's promise.
    unsafe { *communicator = handle(joined) };
    IN_PROGRESS
}

/// All ranks have one color, and keep their order. Answers before it has ended, and writes the communicator then.
pub(crate) unsafe extern "C" fn ncclCommSplit(
    communicator: Handle,
    color: c_int,
    key: c_int,
    split: *mut Handle,
    config: *mut Config,
) -> u32 {
    let (failed, id) = (may_fail("ncclCommSplit"), state::with(Driver::next));
    let mut library = lock();
    let Ok(found) = library.of(communicator) else { return INVALID_ARGUMENT };
    let (rank, number) = (found.rank, found.ranks);
    // SAFETY: the caller's promise.
    let is_odd = !unsafe { &*config }.is(&Config::BLOCKING);
    if is_odd
        || color != 0
        || key as usize != rank
        || found.blocks
        || found.split.is_some()
        || found.is_aborted
    {
        drop(library);
        return fault("an odd split");
    }
    if let Err(code) = failed {
        return code;
    }
    let size = library.ranks.get(&number).map_or(1, |ranks| ranks.size);
    library.join(id, number | 1 << 63, (size, rank), true);
    if let Ok(found) = library.of(communicator) {
        found.split = Some((id, split.expose_provenance()));
    }
    SUCCESS
}

pub(crate) unsafe extern "C" fn ncclCommGetAsyncError(communicator: Handle, state: *mut u32) -> u32 {
    let mut found = code(may_fail("async"));
    let mut library = lock();
    let Ok(one) = library.of(communicator) else { return INVALID_ARGUMENT };
    if found == SUCCESS && !one.blocks {
        one.asked += 1;
        let (asked, is_finalized, split, number) = (one.asked, one.is_finalized, one.split, one.ranks);
        let number = if split.is_some() { number | 1 << 63 } else { number };
        let have_joined = library.ranks.get(&number).is_some_and(|ranks| ranks.joined == ranks.size);
        if !is_finalized && (!have_joined || !asked.is_multiple_of(3)) {
            found = IN_PROGRESS;
        } else if let Some((id, slot)) = split.filter(|&(_, slot)| slot != 0) {
            // SAFETY: whoever split the communicator promised that the place is writable until the split has ended.
            unsafe { *ptr::with_exposed_provenance_mut::<Handle>(slot) = handle(id) };
            if let Ok(one) = library.of(communicator) {
                one.split = Some((id, 0));
            }
        }
    }
    // SAFETY: the caller's promise.
    unsafe { *state = found };
    SUCCESS
}

pub(crate) unsafe extern "C" fn ncclCommFinalize(communicator: Handle) -> u32 {
    let failed = may_fail("ncclCommFinalize");
    let mut library = lock();
    let Ok(found) = library.of(communicator) else { return INVALID_ARGUMENT };
    if found.split.is_some_and(|(_, slot)| slot != 0) {
        drop(library);
        return fault("finalized while it is split");
    }
    found.is_finalized = true;
    code(failed)
}

pub(crate) unsafe extern "C" fn ncclCommDestroy(communicator: Handle) -> u32 {
    let mut library = lock();
    let Ok(found) = library.of(communicator) else { return INVALID_ARGUMENT };
    if !found.is_finalized {
        drop(library);
        return fault("destroyed before it was finalized");
    }
    found.has_left = true;
    SUCCESS
}

/// The communicator's groups still name it.
pub(crate) unsafe extern "C" fn ncclCommAbort(communicator: Handle) -> u32 {
    let mut library = lock();
    let Ok(found) = library.of(communicator) else { return INVALID_ARGUMENT };
    if found.is_aborted {
        drop(library);
        return fault("aborted twice");
    }
    (found.is_aborted, found.has_left) = (true, true);
    let split = found.split;
    library.aborted += 1;
    // What is being split off ends with it.
    if let Some((id, _)) = split
        && let Ok(one) = library.of(handle(id))
    {
        let number = one.ranks;
        if library.ranks.get(&number).is_some_and(|ranks| ranks.joined < ranks.size)
            && let Ok(one) = library.of(handle(id))
        {
            one.has_left = true;
        }
    }
    SUCCESS
}
