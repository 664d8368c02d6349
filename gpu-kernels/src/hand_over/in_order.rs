//! The look-back of a scan, whose operator need not commute: one warp of a block finds the prefix of its tile from what the
//! blocks of earlier tiles have posted, combined in the [tree's](crate::scan::tree) order, whoever posts first.
//!
//! The warp reads the totals of all earlier tiles of its group, and waits for each of them. It also reads the last groups: the
//! prefix of one of them that is known, and the totals of the groups from there on. The last tile of a group posts the group's
//! total and the next group's prefix; the total first, because it depends on no other group. So a tile waits for lower tiles only.

use cuda_std::posts::Posts;
use cuda_std::thread::{nanosleep, unknown};
use cuda_std::warp::{WARP_SIZE, lane_id};
use warpfold_exact::unrolled;

use crate::op::{Accumulator, Element, Op};
use crate::scan::tree::{GROUP_TILES, STRETCH_TILES};
use crate::warp;

/// Tiles at the beginning whose warps sleep briefly, since a launch of few tiles ends sooner if each of them does: about as
/// many as are resident.
const FEW_TILES: u64 = 1024;

/// Nanoseconds, approximately, that a warp sleeps before its first look and before each further look: for the first
/// [`FEW_TILES`] tiles, and for others. Blocks that continue as soon as they can all do the same thing at the same time, and
/// leave the memory idle in between. Long naps are the fastest for long arrays (docs/tuning/gpu.md).
const NAPS: [(u32, u32); 2] = [(0, 20), (2500, 650)];

/// The memory in which blocks post totals and prefixes.
#[derive(Clone, Copy)]
pub(crate) struct Board<A, P = OfOneArray> {
    /// The totals of tiles, each at its [place](Positions::tile).
    pub(crate) tiles: Posts<A>,
    /// The totals of groups.
    pub(crate) totals: Posts<A>,
    /// The prefixes of all groups but the first.
    pub(crate) groups: Posts<A>,
    /// The places of these elements' posts among all.
    pub(crate) places: P,
}

/// The places of posts. The posts of the first tiles of all stretches of a group are neighbours, then the posts of all
/// second tiles, and so on.
pub(crate) trait Positions: Copy {
    /// Returns the place of tile `tile` of a stretch.
    fn tile(self, group: u64, stretch: u32, tile: u32) -> u64;
    /// Returns the distance from there to the stretch's next tile.
    fn step(self, group: u64) -> u32;
    /// Returns the place of a group, for its total and for its prefix.
    fn group(self, group: u64) -> u64;
}

/// The places of a single array, which has them all.
#[derive(Clone, Copy)]
pub(crate) struct OfOneArray;

impl Positions for OfOneArray {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tile(self, group: u64, stretch: u32, tile: u32) -> u64 {
        group * GROUP_TILES as u64 + u64::from(tile * WARP_SIZE + stretch)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn step(self, _group: u64) -> u32 {
        WARP_SIZE
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn group(self, group: u64) -> u64 {
        group
    }
}

impl<A: Accumulator, P: Positions> Board<A, P> {
    /// Posts the total of a whole tile.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn post_tile(self, tile: u64, total: A) {
        let (group, within) = (tile / GROUP_TILES as u64, (tile % GROUP_TILES as u64) as u32);
        let stretch = STRETCH_TILES as u32;
        self.tiles.post(self.places.tile(group, within / stretch, within % stretch), total);
    }

    /// Returns the prefix of a tile, whose own total is `total`. The last tile of a group also posts the group's total and, if
    /// there `is_next`, the prefix of the next group. `init` is the prefix of the first tile.
    ///
    /// Called by: every lane of one warp of the tile's block. Valid in: every lane. Scratch: none. Order: the tree's.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn before<T: Element, O: Op<T, Acc = A>>(
        self,
        tile: u64,
        total: A,
        init: A,
        is_next: bool,
    ) -> A {
        let (group, within) = (tile / GROUP_TILES as u64, (tile % GROUP_TILES as u64) as u32);
        let (lane, own) = (lane_id(), within / STRETCH_TILES as u32);
        let (first_nap, nap) = if tile < FEW_TILES { NAPS[0] } else { NAPS[1] };
        nanosleep(first_nap);
        let mut count = within.saturating_sub(lane * STRETCH_TILES as u32).min(STRETCH_TILES as u32);
        let mut within_stretch = O::IDENTITY;
        // Lanes that have found all their tiles read where the first lane reads.
        let step = self.places.step(group);
        let mut place = if count == 0 { 0 } else { self.places.tile(group, lane, 0) };
        let mut chain = None;
        loop {
            let found = self.stretch::<T, O>(place, step, count);
            if chain.is_none() {
                chain = self.before_group::<T, O>(group, init);
            }
            if let Some(found) = found {
                within_stretch = if count > 0 { found } else { within_stretch };
                (count, place) = (0, 0);
            }
            if !warp::any(count > 0) {
                break;
            }
            nanosleep(nap);
        }
        // With the tile itself included, the last inclusive prefix in a group's last tile is the group's total.
        let stretch = if lane == own { O::combine(within_stretch, total) } else { within_stretch };
        let inclusive = warp::inclusive_by_steps::<T, O>(stretch);
        let stretch = warp::exclusive::<T, O>(inclusive);
        let in_group = warp::of_lane(O::combine(stretch, within_stretch), own);
        let all = warp::of_lane(inclusive, WARP_SIZE - 1);
        let is_last = is_next && within == GROUP_TILES as u32 - 1 && lane == 0;
        if is_last {
            self.totals.post(self.places.group(group), all);
        }
        let before_group = loop {
            if let Some(before) = chain {
                break before;
            }
            nanosleep(nap);
            chain = self.before_group::<T, O>(group, init);
        };
        if is_last {
            self.groups.post(self.places.group(group + 1), O::combine(before_group, all));
        }
        O::combine(before_group, in_group)
    }

    /// Returns the prefix of a group, from the last group whose prefix is posted and the totals of the groups from there on, if
    /// these are all posted.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn before_group<T: Element, O: Op<T, Acc = A>>(self, group: u64, init: A) -> Option<A> {
        let lane = u64::from(lane_id());
        let at = group.saturating_sub(lane);
        let before = self.groups.look(self.places.group(at));
        let total = self.totals.look(self.places.group(at.saturating_sub(1)));
        let known = warp::ballot(before.is_some() || at == 0);
        let there = warp::ballot(total.is_some());
        let first = known.trailing_zeros();
        if known == 0 || !there & ((1 << first) - 1) != 0 {
            return None;
        }
        let before = if at == 0 { init } else { before.unwrap_or(O::IDENTITY) };
        let mut acc = warp::of_lane(before, first);
        let total = total.unwrap_or(O::IDENTITY);
        let mut left = first;
        while left > 0 {
            left -= 1;
            acc = O::combine(acc, warp::of_lane(total, left));
        }
        Some(acc)
    }

    /// Returns the total of the first `count` tiles of a stretch, if all of them have posted. The first one's post is at
    /// `place`, the next ones' `step` apart.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn stretch<T: Element, O: Op<T, Acc = A>>(self, place: u64, step: u32, count: u32) -> Option<A> {
        // As many loads are in flight as there are registers for.
        match size_of::<A>() {
            0..=4 => self.tiles_of_stretch::<T, O, STRETCH_TILES>(place, step, count),
            5..=8 => self.tiles_of_stretch::<T, O, { STRETCH_TILES / 2 }>(place, step, count),
            _ => self.tiles_of_stretch::<T, O, 1>(place, step, count),
        }
    }

    /// Returns [`stretch`](Self::stretch) by `N` tiles at a time.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tiles_of_stretch<T: Element, O: Op<T, Acc = A>, const N: usize>(
        self,
        place: u64,
        step: u32,
        count: u32,
    ) -> Option<A> {
        let (mut acc, mut tile, end) = (Some(O::IDENTITY), 0, unknown(STRETCH_TILES as u32));
        while tile < end {
            let wanted = count.saturating_sub(tile);
            let totals = self.tiles.look_column::<N>(place + u64::from(tile * step), step, wanted);
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
