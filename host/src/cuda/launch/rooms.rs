//! Rooms: parts of one memory, so that all memory for the launches of a call is allocated at once.

use crate::cuda::launch::memory::Region;
use crate::error::Error;

/// Alignment of each room in bytes, enough for any type and for whole cache lines.
const ALIGN: usize = 256;

/// A list of rooms, each after the last one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rooms {
    end: usize,
}

/// A range of bytes in a memory that is not allocated yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    first: usize,
    bytes: usize,
}

impl Rooms {
    /// Adds room for `count` items of `bytes`.
    pub(crate) fn add(&mut self, count: u64, bytes: usize) -> Room {
        let bytes = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(bytes);
        let room = Room { first: self.end, bytes };
        self.end = self.end.saturating_add(bytes).checked_next_multiple_of(ALIGN).unwrap_or(usize::MAX);
        room
    }

    /// Returns the bytes of all rooms so far.
    pub(crate) fn bytes(self) -> usize {
        self.end
    }
}

impl Room {
    /// Returns the offset of the room in its memory, in bytes.
    pub(crate) fn first(self) -> usize {
        self.first
    }

    /// Returns the room's part of `memory`, which must begin with the first room of the list.
    pub(crate) fn of(self, memory: Region<'_>) -> Result<Region<'_>, Error> {
        Ok(memory.part(self.first as u64, self.bytes as u64, 1)?)
    }

    /// Returns the range from the beginning of this room to the end of `last`, which is this room or a later one.
    pub(crate) fn to(self, last: Self) -> Self {
        Self { first: self.first, bytes: (last.first + last.bytes).saturating_sub(self.first) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_do_not_overlap() {
        let mut rooms = Rooms::default();
        let all = [(3, 4), (0, 8), (64, 4), (65, 4), (1, 1)].map(|(count, bytes)| rooms.add(count, bytes));
        let found = all.map(|room| (room.first, room.bytes));
        assert_eq!(found, [(0, 12), (256, 0), (256, 256), (512, 260), (1024, 1)]);
        assert_eq!(rooms.bytes(), 1280);
        let both = all[2].to(all[3]);
        assert_eq!((both.first, both.bytes), (256, 516));
        assert_eq!(rooms.add(u64::MAX, 16).bytes, usize::MAX);
        assert_eq!(rooms.bytes(), usize::MAX);
    }
}
