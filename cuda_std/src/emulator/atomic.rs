//! Atomics on global memory: which thread changed which cell.
//!
//! Two atomics on one cell never race. An atomic and a plain access of another thread do, unless barriers, `sync_warp`
//! or tickets order them. Atomics are relaxed, so they order nothing themselves.

use core::panic::Location;
use std::collections::HashMap;

use super::addresses::ByAddress;
use super::order::Moment;
use super::thread::Thread;

/// Bytes of the smallest cell. Larger cells are recorded in parts of this size.
const CELL: usize = 4;

/// The last atomic of each thread, by block and thread number. All are kept: atomics are not ordered with each other,
/// so a plain access may be ordered with the last one and not with earlier ones.
type ByThread = HashMap<(u32, u32), Moment>;

/// The atomics of a launch, by the cell's address divided by `CELL`.
#[derive(Default)]
pub(super) struct Atomics {
    cells: ByAddress<ByThread>,
}

impl Atomics {
    fn record(&mut self, address: usize, bytes: usize, moment: Moment) {
        for cell in address / CELL..(address + bytes).div_ceil(CELL) {
            self.cells.entry(cell).or_default().insert((moment.block, moment.thread), moment);
        }
    }

    /// Returns an atomic on one of these bytes for which `wanted` holds: the first by block and thread, which no run's
    /// order changes.
    pub(super) fn find(
        &self,
        address: usize,
        bytes: usize,
        wanted: impl Fn(&Moment) -> bool,
    ) -> Option<Moment> {
        if self.cells.is_empty() {
            return None;
        }
        let cells =
            (address / CELL..(address + bytes).div_ceil(CELL)).filter_map(|cell| self.cells.get(&cell));
        let found = cells.flat_map(HashMap::values).filter(|moment| wanted(moment));
        found.min_by_key(|moment| (moment.block, moment.thread)).copied()
    }
}

impl Thread<'_> {
    /// Checks, records and counts an atomic just before it happens.
    pub(super) fn before_atomic(
        &self,
        call: &'static str,
        address: usize,
        bytes: usize,
        at: &'static Location<'static>,
    ) {
        self.check_write(call, address, bytes, at);
        let moment = self.block.moment(self.linear, (call, at));
        self.grid.global.borrow_mut().atomics.record(address, bytes, moment);
        self.block.warps[self.linear as usize / 32].borrow_mut().steps.atomic(
            self.lane(),
            address,
            bytes,
            at,
        );
    }
}
