//! The first elements of a part or slice, by one team.

use cuda_std::thread::unknown;

use super::best::Best;
use super::order;
use super::pair::Paired;
use super::shapes::nth_of_groups;
use super::source::Source;
use super::team::Team;

/// Finds a bound in the teams' bests.
pub(super) trait Bounds<W: Paired>: Team + Sized {
    /// So few elements are sorted in less time than it takes to find a bound.
    const FEW: u64;

    /// Returns the `nth` of the threads' ranks in their order, from 1.
    ///
    /// Called by: every thread of the team. Valid in: every thread. Scratch: the room.
    fn nth(best: &Best<W, Self>, rank: W, nth: u32) -> W;
}

impl<W: Paired> Bounds<W> for super::team::Warp {
    const FEW: u64 = 32;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn nth(best: &Best<W, Self>, rank: W, nth: u32) -> W {
        order::nth_of_warp(rank, best.team.thread(), nth)
    }
}

impl<W: Paired> Bounds<W> for super::team::Block {
    const FEW: u64 = 512;

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn nth(best: &Best<W, Self>, rank: W, nth: u32) -> W {
        let (team, room) = (&best.team, best.room);
        room.write(team.thread() as usize, rank.pair(team.thread()));
        team.sync();
        order::sort(team, room, team.threads());
        let nth = W::rank_of(room.read(nth as usize - 1));
        team.sync();
        nth
    }
}

/// Calls `write` with the first `best.k` pairs of `source`, which has as many, and their places.
///
/// Called by: every thread of the team, a power of two. Scratch: the room.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) fn first<W: Paired, T: Bounds<W>, S: Source<W, E>, const E: usize>(
    mut best: Best<W, T>,
    source: &S,
    write: impl Fn(u32, W::Pair),
) {
    let threads = best.team.threads();
    let (tiles, at_once) = (source.tiles(), u64::from(threads) * E as u64);
    let (mut tile, mut has_bound) = (0, false);
    loop {
        let loaded = source.load(tile);
        if !has_bound {
            let (mut bound, is_whole) = (W::LAST, source.len() <= at_once);
            let nth = match is_whole {
                _ if source.len() <= T::FEW => None,
                true => (best.k <= threads).then_some(best.k),
                false => nth_of_groups(best.k, threads, S::PIECE, source.len()),
            };
            if let Some(nth) = nth {
                let own = if is_whole { source.nearest(&loaded) } else { source.sample() };
                bound = T::nth(&best, own, nth).pair(u32::MAX);
            }
            best.start(bound);
            has_bound = true;
        }
        best.offer(source, loaded);
        tile = unknown(tile + 1);
        if tile >= tiles {
            let count = best.count();
            if count >= best.k {
                return best.write(count, write);
            }
            // The guess was wrong.
            best.start(W::LAST);
            tile = 0;
        }
    }
}
