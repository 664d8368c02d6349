//! The divisions of arrays to test, and checks of the ranks' results.

use std::ops::Range;

use test_kernels::mix;
use warpfold::tree;
use warpfold_tests::{Bits, turn};

use super::ranks::MOST;

/// The parts that end at these indices, and one from the last of them to `n`.
pub fn ending(ends: &[usize], n: usize) -> Vec<Range<usize>> {
    let ends: Vec<usize> = ends.iter().map(|&end| end.min(n)).chain([n]).collect();
    let starts = [0].iter().chain(&ends);
    starts.zip(&ends).map(|(&start, &end)| start..end).collect()
}

/// Cuts of `n` elements `T`, a quarter in each turn: into equal parts, unequal ones, with empty ones, of one element, and inside a tile, a vector, a lane.
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
    // At the end of a tile and beside it, twice in one tile, and across many tiles.
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
    // Other cuts for other numbers of elements.
    let taken = cuts.iter().zip(n as u64..).filter(|&(_, case)| turn::is_in_quarter(case));
    possible(taken.map(|(ends, _)| ending(ends, n)))
}

/// The cuts with enough ranks to test them.
pub fn possible(cuts: impl IntoIterator<Item = Vec<Range<usize>>>) -> Vec<Vec<Range<usize>>> {
    cuts.into_iter().filter(|cut| cut.len() <= MOST).collect()
}

/// The bits of all values.
pub fn bits<O: Bits>(outs: &[O]) -> String {
    outs.iter().map(Bits::bits).collect::<Vec<_>>().join(" ")
}

/// The results of the ranks, concatenated.
pub fn concat(found: &[String]) -> String {
    found.iter().filter(|found| !found.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Fails for the first rank without the expected value, and shows both.
pub fn assert_all(found: &[String], expected: &str, what: &str) {
    let wrong = found.iter().enumerate().find(|(_, found)| *found != expected);
    assert_eq!(wrong, None, "{what}: expected {expected}");
}

/// Requires the expected result of its part from each rank.
pub fn assert_parts(
    found: &[String],
    cut: &[Range<usize>],
    expected: impl Fn(Range<usize>) -> String,
    what: &str,
) {
    assert_eq!(found.len(), cut.len(), "{what}");
    for (rank, (found, part)) in found.iter().zip(cut).enumerate() {
        let expected = expected(part.clone());
        if *found != expected {
            let (of_found, of_expected) = (found.split(' '), expected.split(' '));
            let wrong =
                of_found.zip(of_expected).enumerate().find(|(_, (found, expected))| found != expected);
            let lens = [found.len(), expected.len()];
            panic!("{what}: rank {rank}, outputs of {lens:?} bytes; found and expected at {wrong:?}");
        }
    }
}

/// Requires that the concatenated results of the ranks are the whole, divided like the ranks' parts.
pub fn assert_whole<O: Bits>(found: &[String], whole: &[O], cut: &[Range<usize>], what: &str) {
    assert_parts(found, cut, |part| bits(&whole[part]), what);
}

/// Offsets of segments of every kind, also empty, in `limit` elements.
pub fn offsets(limit: usize, seed: u64) -> Vec<u64> {
    let mut offsets = vec![3.min(limit) as u64];
    for segment in 0_u64.. {
        let random = mix(seed ^ mix(segment)) as usize;
        let len =
            [0, random / 64 % 12, random / 64 % 300, random / 64 % 6000, random / 64 % 40_000][random % 5];
        let end = offsets[offsets.len() - 1] + len as u64;
        if end > limit as u64 {
            return offsets;
        }
        offsets.push(end);
    }
    offsets
}
