//! Global memory: the ranges that a launch may access, and the record of its accesses.

use core::cell::Cell;
use core::ops::Range;
use core::panic::Location;

use super::addresses::ByAddress;
use super::atomic::Atomics;
use super::hand_over::Tickets;
use super::launch::Registered;
use super::misuse::Misuse;
use super::order::Moment;
use super::thread::Thread;

/// Bytes per page of the record.
const PAGE: usize = 4096;

/// The last store and load of each byte of a page: 1 plus an index into `accesses`, or 0 for none.
struct Page {
    store: Vec<u32>,
    load: Vec<u32>,
}

/// The kind of a recorded access.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Store,
    Load,
}

/// The record of a launch's accesses to global memory.
pub(super) struct GlobalMemory {
    /// The registered memory, in the order of its addresses.
    registered: Vec<Registered>,
    /// The one that was found last: the next access is mostly there, too.
    found: Cell<usize>,
    pages: ByAddress<Page>,
    /// Stores, and loads of handed-over values. Other loads are too many to record; nothing should write what they
    /// read.
    accesses: Vec<Moment>,
    /// The first and the last page with recorded accesses.
    extent: (usize, usize),
    pub(super) atomics: Atomics,
    pub(super) tickets: Tickets,
}

impl GlobalMemory {
    pub(super) fn new(mut registered: Vec<Registered>) -> Self {
        registered.sort_unstable_by_key(|registered| registered.bytes.start);
        Self {
            registered,
            found: Cell::new(0),
            pages: ByAddress::default(),
            accesses: Vec::new(),
            extent: (usize::MAX, 0),
            atomics: Atomics::default(),
            tickets: Tickets::default(),
        }
    }

    fn permits(&self, address: usize, bytes: usize) -> bool {
        self.registered.is_empty() || self.registered(address, bytes).is_some()
    }

    /// Returns the registered memory that holds these bytes.
    fn registered(&self, address: usize, bytes: usize) -> Option<&Registered> {
        let within = |&at: &usize| {
            let range = &self.registered[at].bytes;
            range.start <= address && address.checked_add(bytes).is_some_and(|end| end <= range.end)
        };
        // The last range that starts at or before the address is the one, unless ranges overlap.
        let before = || self.registered.partition_point(|registered| registered.bytes.start <= address);
        let last = Some(self.found.get()).filter(|&at| at < self.registered.len() && within(&at));
        let found = last.or_else(|| (0..before()).rev().find(within))?;
        self.found.set(found);
        self.registered.get(found)
    }

    /// Returns the address of the first of these bytes that was not written since its memory was allocated.
    fn unwritten(&self, address: usize, bytes: usize) -> Option<usize> {
        let registered = self.registered(address, bytes)?;
        let (written, start) = (registered.written.as_ref()?, registered.bytes.start);
        let first = address - start;
        // SAFETY: the bytes are in registered memory, which is there and which no other thread of the launch accesses now.
        let unwritten = unsafe { written.first_unwritten(start, first..first + bytes) };
        unwritten.map(|unwritten| start + unwritten)
    }

    /// Says that these bytes are written.
    pub(super) fn add_written(&self, address: usize, bytes: usize) {
        if let Some(Registered { bytes: range, written: Some(written) }) = self.registered(address, bytes) {
            written.add(address - range.start..address - range.start + bytes);
        }
    }

    /// Returns the last access of this kind to the first of these bytes for which `wanted` holds of that access.
    fn find(
        &self,
        kind: Kind,
        address: usize,
        bytes: usize,
        wanted: impl Fn(&Moment) -> bool,
    ) -> Option<Moment> {
        if address / PAGE > self.extent.1 || (address + bytes) / PAGE < self.extent.0 {
            return None;
        }
        let mut before = 0;
        for (number, bytes) in pages(address, bytes) {
            let Some(page) = self.pages.get(&number) else { continue };
            let accesses = if kind == Kind::Store { &page.store[bytes] } else { &page.load[bytes] };
            for &access in accesses {
                if access != before && access != 0 {
                    let moment = self.accesses[access as usize - 1];
                    if wanted(&moment) {
                        return Some(moment);
                    }
                }
                before = access;
            }
        }
        None
    }

    fn record(&mut self, kind: Kind, address: usize, bytes: usize, moment: Moment) {
        self.accesses.push(moment);
        let access = self.accesses.len() as u32;
        for (number, bytes) in pages(address, bytes) {
            let page = self.pages.entry(number);
            let page = page.or_insert_with(|| Page { store: vec![0; PAGE], load: vec![0; PAGE] });
            match kind {
                Kind::Store => page.store[bytes].fill(access),
                Kind::Load => page.load[bytes].fill(access),
            }
        }
        self.extent = (self.extent.0.min(address / PAGE), self.extent.1.max((address + bytes) / PAGE));
    }
}

/// The pages that hold these bytes, by number, and which of a page's bytes these are.
fn pages(address: usize, bytes: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    let (mut at, end) = (address, address + bytes);
    core::iter::from_fn(move || {
        let (number, first) = (at / PAGE, at % PAGE);
        let last = PAGE.min(first + (end - at));
        at += last - first;
        (last > first).then_some((number, first..last))
    })
}

impl Thread<'_> {
    /// Stops the launch if it may not access the address, or not with this alignment.
    pub(super) fn check_address(
        &self,
        call: &'static str,
        address: usize,
        bytes: usize,
        align: usize,
        at: &'static Location<'static>,
    ) {
        self.block.set_last(self.linear, (call, at));
        if !address.is_multiple_of(align) {
            self.stop(Misuse::GlobalMisaligned { at: self.site(call, at), address, align });
        }
        if !self.grid.global.borrow().permits(address, bytes) {
            self.stop(Misuse::GlobalOutOfBounds { at: self.site(call, at), address, bytes });
        }
    }

    /// Checks and counts a load just before it happens, and records it if it may be `handed_over`.
    pub(crate) fn before_load(
        &self,
        call: &'static str,
        address: usize,
        (bytes, align): (usize, usize),
        handed_over: bool,
        at: &'static Location<'static>,
    ) {
        self.check_address(call, address, bytes, align, at);
        self.check_written(call, address, bytes, at);
        self.check_read(call, address, bytes, at);
        if handed_over {
            let moment = self.block.moment(self.linear, (call, at));
            self.grid.global.borrow_mut().record(Kind::Load, address, bytes, moment);
        }
        self.count_global(address, bytes, align, at);
    }

    /// Checks, records and counts a store just before it happens.
    pub(crate) fn before_store(
        &self,
        call: &'static str,
        address: usize,
        (bytes, align): (usize, usize),
        at: &'static Location<'static>,
    ) {
        self.check_address(call, address, bytes, align, at);
        self.grid.moved.set(true);
        self.check_write(call, address, bytes, at);
        let unordered = |access: &Moment| !self.is_after(access);
        let found = self.grid.global.borrow().atomics.find(address, bytes, unordered);
        if let Some(atomic) = found {
            let (first, second) = (self.grid.site_of(&atomic), self.site(call, at));
            self.stop(Misuse::GlobalRace { first, second });
        }
        let moment = self.block.moment(self.linear, (call, at));
        let mut global = self.grid.global.borrow_mut();
        global.record(Kind::Store, address, bytes, moment);
        global.add_written(address, bytes);
        drop(global);
        self.count_global(address, bytes, align, at);
    }

    /// Stops the launch at a read of memory that was not written since it was allocated.
    pub(super) fn check_written(
        &self,
        call: &'static str,
        address: usize,
        bytes: usize,
        at: &'static Location<'static>,
    ) {
        let unwritten = self.grid.global.borrow().unwritten(address, bytes);
        if let Some(address) = unwritten {
            self.stop(Misuse::GlobalUninitialised { at: self.site(call, at), address });
        }
    }

    /// Stops the launch at a read that is not ordered with a store or an atomic to the same bytes.
    fn check_read(&self, call: &'static str, address: usize, bytes: usize, at: &'static Location<'static>) {
        let unordered = |access: &Moment| !self.is_after(access);
        let found = {
            let global = self.grid.global.borrow();
            let store = global.find(Kind::Store, address, bytes, unordered);
            store.or_else(|| global.atomics.find(address, bytes, unordered))
        };
        if let Some(store) = found {
            let (written, read) = (self.grid.site_of(&store), self.site(call, at));
            self.stop(Misuse::HandOverUnordered { written, read });
        }
    }

    /// Stops the launch at a write that is not ordered with a store, or with a read of a handed-over value, of the same
    /// bytes.
    pub(super) fn check_write(
        &self,
        call: &'static str,
        address: usize,
        bytes: usize,
        at: &'static Location<'static>,
    ) {
        let unordered = |access: &Moment| !self.is_after(access);
        let found = self.grid.global.borrow().find(Kind::Store, address, bytes, unordered);
        if let Some(store) = found {
            let (first, second) = (self.grid.site_of(&store), self.site(call, at));
            self.stop(Misuse::GlobalRace { first, second });
        }
        let found = self.grid.global.borrow().find(Kind::Load, address, bytes, unordered);
        if let Some(load) = found {
            let (written, read) = (self.site(call, at), self.grid.site_of(&load));
            self.stop(Misuse::HandOverUnordered { written, read });
        }
    }

    /// Returns whether barriers, `sync_warp` or tickets order `earlier` before what this thread does now.
    pub(super) fn is_after(&self, earlier: &Moment) -> bool {
        earlier.block == self.block.linear && self.block.comes_after(self.linear, earlier)
            || self.was_handed_over(earlier)
    }

    fn count_global(&self, address: usize, bytes: usize, align: usize, at: &'static Location<'static>) {
        self.grid.counts.borrow_mut().global_bytes += bytes as u64;
        let mut warp = self.block.warps[self.linear as usize / 32].borrow_mut();
        let width = align.min(16);
        for piece in (address..address + bytes).step_by(width) {
            warp.steps.global(self.lane(), piece, width, at);
        }
    }
}
