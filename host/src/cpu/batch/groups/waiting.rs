//! Elements that wait for the others of their group: with lanes of more bytes than a cache has, the elements of a group are folded
//! several at a time, into neighbouring lanes. Until then they are kept side by side in less memory.

use super::each;
use crate::error::Error;
use crate::index_type::IndexType;
use crate::memory;

/// Most bytes of lanes into which elements are folded one by one, and most bytes of lanes for which they wait.
/// [2-core EPYC, 1 MiB of second-level cache a core, while other programs ran, Sum of 2^24 f32 on one thread, least CPU time of
/// four calls, one by one and waiting: in 300 groups 31 and 41 ms, in 500 31 and 42, in 1000 75 and 46; in 2000 79 sorted by group
/// first and 60 waiting, in 4000 77 and 82. Variance, whose accumulators are wider: in 1000 93 sorted first and 106 waiting.]
pub(super) const NEAR: usize = 2 << 20;
pub(super) const ROOM: usize = 8 << 20;

/// Bytes of the largest accumulator for which elements wait.
const WIDEST: usize = 8;

/// Elements of a group that wait.
const WAITING: usize = 64;

/// Returns whether folding several elements at once is worth writing them twice.
pub(super) const fn is_worth<A>() -> bool {
    size_of::<A>() <= WIDEST
}

/// Calls `append` with each group and its next elements, up to [`WAITING`] at a time. The first element has the position `base`.
///
/// # Errors
/// [`Error::Group`] with the first id that is out of range.
#[inline(always)]
pub(super) fn each_row<T: Copy, I: IndexType>(
    groups: usize,
    input: (&[I], &[T]),
    base: usize,
    mut append: impl FnMut(usize, &[T]),
) -> Result<(), Error> {
    let Some(&any) = input.1.first() else { return Ok(()) };
    let mut waiting = memory::filled(any, groups * WAITING)?;
    let mut next = memory::collected((0..groups).map(|group| (group * WAITING) as u32))?;
    // Local slices, which the loop need not load again after it has written an element.
    let (waiting, next) = (&mut waiting[..], &mut next[..]);
    each(groups, input, base, |group, x| {
        let at = next[group] as usize;
        waiting[at] = x;
        next[group] = at as u32 + 1;
        if at % WAITING == WAITING - 1 {
            let first = at + 1 - WAITING;
            next[group] = first as u32;
            append(group, &waiting[first..=at]);
        }
    })?;
    for ((group, waiting), &next) in waiting.chunks(WAITING).enumerate().zip(&*next) {
        append(group, &waiting[..next as usize % WAITING]);
    }
    Ok(())
}
