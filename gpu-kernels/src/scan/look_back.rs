//! What stands before a tile: found by one warp, which looks at what the tiles before it have posted.
//!
//! It waits for tiles of its group with lower numbers, and for what stands before its group, which the last tile of the group
//! before posts. Tiles are numbered by tickets, drawn in order from one counter when a block begins. So the unfinished tile
//! with the least number waits for none that is unfinished: its block runs, and goes on. Then the next one is the least, and in
//! the end all are done, however few blocks run at once.

use cuda_std::posts::Posts;
use cuda_std::thread::{nanosleep, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};

use super::tree::{GROUP_TILES, STRETCH_TILES};
use crate::op::{Accumulator, Element, Op};
use crate::unroll::unrolled;
use crate::warp;

/// About how long a warp sleeps before it looks again.
/// Not measured yet: 2^28 elements of i32 on one H200, with 0, 20, 50, 100 and 200.
const NAP_NANOSECONDS: u32 = 20;

/// What blocks tell each other.
#[derive(Clone, Copy)]
pub(crate) struct Board<A> {
    /// The totals of tiles, each in its [place](place_of).
    pub(crate) tiles: Posts<A>,
    /// What stands before each group but the first.
    pub(crate) groups: Posts<A>,
}

/// Where a tile's total is posted: the first tiles of all stretches of its group stand side by side, then all second ones.
#[inline(always)]
fn place_of(group: u64, stretch: u32, tile: u32) -> u64 {
    group * GROUP_TILES as u64 + u64::from(tile * WARP_SIZE + stretch)
}

impl<A: Accumulator> Board<A> {
    /// Posts the total of a whole tile.
    #[inline(always)]
    pub(crate) fn post_tile(self, tile: u64, total: A) {
        let (group, within) = (tile / GROUP_TILES as u64, (tile % GROUP_TILES as u64) as u32);
        let stretch = STRETCH_TILES as u32;
        self.tiles.post(place_of(group, within / stretch, within % stretch), total);
    }

    /// What stands before a tile, which folded to `total`. The last tile of a group posts what stands before the next one, if
    /// there `is_next`. `init` stands before all.
    ///
    /// Called by: every lane of one warp of the tile's block. Valid in: every lane. Scratch: none. Order: the tree's.
    #[inline(always)]
    pub(crate) fn before<T: Element, O: Op<T, Acc = A>>(
        self,
        tile: u64,
        total: A,
        init: A,
        is_next: bool,
    ) -> A {
        let (group, within) = (tile / GROUP_TILES as u64, (tile % GROUP_TILES as u64) as u32);
        let (lane, own) = (lane_id(), within / STRETCH_TILES as u32);
        let count = within.saturating_sub(lane * STRETCH_TILES as u32).min(STRETCH_TILES as u32);
        let within_stretch = wait(|| self.stretch::<T, O>(group, lane, count));
        // With the tile itself, the last inclusive prefix of a group's last tile is the group's total.
        let stretch = if lane == own { O::combine(within_stretch, total) } else { within_stretch };
        let inclusive = warp::inclusive_by_steps::<T, O>(stretch);
        let stretch = warp::exclusive::<T, O>(inclusive);
        let in_group = warp::of_lane(O::combine(stretch, within_stretch), own);
        let all = warp::of_lane(inclusive, WARP_SIZE - 1);
        let before_group = if group == 0 { init } else { wait(|| self.groups.look(group)) };
        if is_next && within == GROUP_TILES as u32 - 1 && lane == 0 {
            self.groups.post(group + 1, O::combine(before_group, all));
        }
        O::combine(before_group, in_group)
    }

    /// What the first `count` tiles of a stretch fold to, if all of them have posted.
    #[inline(always)]
    fn stretch<T: Element, O: Op<T, Acc = A>>(self, group: u64, stretch: u32, count: u32) -> Option<A> {
        // As many loads are under way as there are registers for.
        match size_of::<A>() {
            0..=4 => self.tiles_of_stretch::<T, O, { STRETCH_TILES / 2 }>(group, stretch, count),
            5..=8 => self.tiles_of_stretch::<T, O, { STRETCH_TILES / 4 }>(group, stretch, count),
            _ => self.tiles_of_stretch::<T, O, 1>(group, stretch, count),
        }
    }

    /// [`stretch`](Self::stretch), `N` tiles at a time.
    #[inline(always)]
    fn tiles_of_stretch<T: Element, O: Op<T, Acc = A>, const N: usize>(
        self,
        group: u64,
        stretch: u32,
        count: u32,
    ) -> Option<A> {
        let (mut acc, mut tile, end) = (Some(O::IDENTITY), 0, unknown(STRETCH_TILES as u32));
        while tile < end {
            let wanted = count.saturating_sub(tile);
            let totals = self.tiles.look_column::<N>(place_of(group, stretch, tile), WARP_SIZE, wanted);
            acc = match (acc, totals) {
                (Some(mut acc), Some(totals)) => {
                    unrolled!(i < N => {
                        if (i as u32) < wanted {
                            acc = O::combine(acc, totals[i]);
                        }
                    });
                    Some(acc)
                }
                _ => None,
            };
            tile += N as u32;
        }
        acc
    }
}

/// Looks until every lane has found what it looks for.
///
/// Called by: every lane of the warp. Valid in: every lane.
#[inline(always)]
fn wait<A: Copy>(look: impl Fn() -> Option<A>) -> A {
    loop {
        let found = look();
        if let (Some(found), false) = (found, warp::any(found.is_none())) {
            return found;
        }
        nanosleep(NAP_NANOSECONDS);
    }
}
