//! The ids of groups, as they lie in memory.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::unknown;

use crate::radix::column::{Input, warp_column};
use crate::radix::output::{AT_ONCE, Output};

/// Ids that a pass reads.
#[derive(Clone, Copy)]
pub(crate) enum Ids {
    /// In 2 bytes each.
    Short(GlobalSlice<u16>),
    /// In 4 bytes each.
    Word(GlobalSlice<u32>),
}

impl Input<u32> for Ids {
    /// Ids of 2 bytes have the lowest 16 bits of `behind` behind the last.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn column<const N: usize>(
        self,
        (start, len): (u64, u64),
        own: u32,
        is_whole: bool,
        behind: u32,
    ) -> [u32; N] {
        let own = u64::from(own);
        match self {
            Self::Short(ids) => {
                warp_column::<_, N>(ids.window(start, len), own, is_whole, behind as u16).map(u32::from)
            }
            Self::Word(ids) => warp_column(ids.window(start, len), own, is_whole, behind),
        }
    }
}

/// Where ids are written for the next pass.
#[derive(Clone, Copy)]
pub(crate) enum IdsOut {
    /// Nowhere: there is no next pass, or it reads the ids where they are.
    None,
    /// In 2 bytes each, which hold them.
    Short(GlobalCells<u16>),
    /// In 4 bytes each.
    Word(GlobalCells<u32>),
}

impl IdsOut {
    /// Writes an id.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(crate) fn write(self, index: u64, id: u32) {
        match self {
            Self::None => {}
            Self::Short(cells) => cells.write(index, id as u16),
            Self::Word(cells) => cells.write(index, id),
        }
    }
}

/// What a pass does with ids.
///
/// In the last of several passes a tile is in the order of whole ids but for some breaks, since earlier passes have sorted
/// by the lower bits. So a group's elements of a tile are counted by two atomic additions where one run of equal ids ends and
/// the next begins, not by one for each element.
#[derive(Clone, Copy)]
pub(crate) struct IdsTo {
    /// Where they are written.
    pub(crate) ids: IdsOut,
    /// In the last of several passes: what each group's number of elements is added to.
    pub(crate) sizes: Option<AtomicCells<u64>>,
}

impl Output<u32> for IdsTo {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn scatter(self, places: &[u64], ids: &[u32]) {
        match self.ids {
            IdsOut::None => {}
            IdsOut::Short(cells) => {
                let mut short = [0; AT_ONCE];
                short.iter_mut().zip(ids).for_each(|(short, id)| *short = *id as u16);
                cells.scatter(places, &short[..ids.len()]);
            }
            IdsOut::Word(cells) => cells.scatter(places, ids),
        }
    }

    /// Adds the length of each run of equal ids to its group's size, as its end less its beginning: where one run ends and
    /// the next begins, whoever has the first element of that; at the tile's end, whoever has the last of all.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn look(self, thread: u32, threads: u32, count: u32, id_at: impl Fn(u32) -> u32) {
        let Some(sizes) = self.sizes else { return };
        // An id that is not of a group has been reported, and has no cell.
        let add = |id: u32, value: u64| {
            if u64::from(id) < sizes.len() {
                sizes.add(u64::from(id), value);
            }
        };
        let mut rank = thread;
        while rank < count {
            let (before, id) = (id_at(rank.saturating_sub(1)), id_at(rank));
            if before != id {
                add(before, u64::from(rank));
                add(id, u64::from(rank).wrapping_neg());
            }
            if rank + 1 == count {
                add(id, u64::from(count));
            }
            rank = unknown(rank + threads);
        }
    }
}
