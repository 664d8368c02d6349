//! NCCL without GPUs: ranks are threads of this process. A rank's stream goes on when what the others send it was sent by their
//! streams, and no earlier. Communicators start, and are split, after some questions how they go on. Split ones block, in their
//! first exchange until all ranks are there.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::failures::Failures;
use super::state::{self, Driver, Id, handle};
use super::stream;
use super::work::Work;
use crate::nccl::{Config, IN_PROGRESS, SUCCESS, UniqueId};
use crate::sys::Handle;

/// `ncclInvalidArgument`.
const INVALID_ARGUMENT: u32 = 4;

/// Most ranks.
const MOST: c_int = 64;

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

#[derive(Default)]
struct Library {
    failures: Failures,
    started: u64,
    ranks: BTreeMap<u64, Ranks>,
    communicators: BTreeMap<Id, Communicator>,
    aborted: usize,
}

thread_local! {
    /// The groups that this thread has started and not ended, and what the outermost enqueues.
    static OPEN: RefCell<(usize, Option<Group>)> = const { RefCell::new((0, None)) };
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

    /// Sends once, then receives what has arrived. Returns whether all has.
    fn exchange(&mut self, driver: &mut Driver, group: &mut Group, has_sent: &mut bool) -> Result<bool, u32> {
        let communicator = self.of(handle(group.communicator))?;
        if communicator.is_aborted {
            return Ok(true);
        }
        let (rank, number) = (communicator.rank, communicator.ranks);
        let Some(ranks) = self.ranks.get_mut(&number) else { return Err(INVALID_ARGUMENT) };
        if !*has_sent {
            for movement in &mut group.moves {
                movement.is_done = movement.is_send;
                if movement.is_send {
                    driver.touch(movement.at, movement.bytes)?;
                    let from = ptr::with_exposed_provenance::<u8>(movement.at);
                    // SAFETY: just checked.
                    let message = unsafe { std::slice::from_raw_parts(from, movement.bytes) }.to_vec();
                    ranks.sent.entry((rank, movement.peer)).or_default().push_back(message);
                }
            }
            *has_sent = true;
        }
        // Those of one peer in order.
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
