//! Threads as ranks, and the cuts that arrays are tested in.

use std::ops::Range;
use std::thread;

use test_kernels::mix;
use warpfold::{Threads, World, tree};
use warpfold_tests::Bits;

/// What a call gives on each rank of as many as there are parts.
pub fn on_each<R: Send>(
    cut: &[Range<usize>],
    call: impl Fn(&World<Threads>, Range<usize>) -> R + Sync,
) -> Vec<R> {
    thread::scope(|scope| {
        let call = &call;
        let ranks = World::threads(cut.len()).into_iter().zip(cut);
        let ranks: Vec<_> =
            ranks.map(|(world, part)| scope.spawn(move || call(&world, part.clone()))).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

/// The parts that end at these places, and one from there to `n`.
pub fn ending(ends: &[usize], n: usize) -> Vec<Range<usize>> {
    let ends: Vec<usize> = ends.iter().map(|&end| end.min(n)).chain([n]).collect();
    let starts = [0].iter().chain(&ends);
    starts.zip(&ends).map(|(&start, &end)| start..end).collect()
}

/// Cuts of `n` elements `T`: into equal parts, unequal ones, with empty ones, of one element, and inside a tile, a vector, a lane.
pub fn cuts<T>(n: usize) -> Vec<Vec<Range<usize>>> {
    let mut cuts = Vec::new();
    for ranks in [1, 2, 3, 4, 7, 8, 64] {
        cuts.push((1..ranks).map(|rank| n * rank / ranks).collect::<Vec<_>>());
        let mut anywhere: Vec<_> = (1..ranks).map(|rank| mix((n + rank) as u64) as usize % (n + 1)).collect();
        anywhere.sort_unstable();
        cuts.push(anywhere);
    }
    let (tile, lanes) = (tree::tile_len::<T>(n as u64) as usize, tree::lanes::<T>());
    // Empty parts first, last and between; parts of one element.
    cuts.extend([
        vec![0, 0, n],
        vec![n, n, n],
        vec![0, n / 2, n / 2, n / 2],
        vec![1, 2, 3],
        vec![n / 3, n / 3 + 1],
    ]);
    // At the end of a tile and beside it, twice in one tile, and through many tiles.
    cuts.extend([
        vec![tile],
        vec![tile - 1],
        vec![tile + 1],
        vec![tile + 1, tile + 2, 2 * tile - 1, 2 * tile + 5],
    ]);
    // At the end of a row of lanes and of a vector, and inside them.
    cuts.extend([
        vec![lanes, lanes + 3, 2 * lanes + 1],
        vec![4 * lanes - 1, 4 * lanes + 6],
        vec![16, 18, 33],
    ]);
    cuts.iter().map(|ends| ending(ends, n)).collect()
}

/// The first rank that does not have what is expected, with both.
pub fn assert_all(found: &[String], expected: &str, what: &str) {
    let wrong = found.iter().enumerate().find(|(_, found)| *found != expected);
    assert_eq!(wrong, None, "{what}: expected {expected}");
}

/// Whether what the ranks have, put end to end, is the whole, cut as they are.
pub fn assert_whole<O: Bits>(found: &[Vec<O>], whole: &[O], cut: &[Range<usize>], what: &str) {
    for (rank, (found, part)) in found.iter().zip(cut).enumerate() {
        assert_eq!(found.len(), part.len(), "{what}: outputs of rank {rank}");
        let wrong =
            found.iter().zip(&whole[part.clone()]).position(|(found, whole)| found.bits() != whole.bits());
        if let Some(at) = wrong {
            let (found, expected) = (found[at].bits(), whole[part.start + at].bits());
            panic!("{what}: output {at} of rank {rank} is {found}, expected {expected}");
        }
    }
}
