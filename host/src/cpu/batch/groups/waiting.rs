//! Elements that wait for the others of their group: with lanes of more bytes than a cache has, the elements of a group are folded
//! several at a time, into neighbouring lanes. Until then they are kept side by side in less memory.

use super::each;
use crate::error::Error;
use crate::index_type::IndexType;
use crate::memory;

/// Most bytes of lanes into which elements are folded one by one, and most bytes of lanes for which they wait. Waiting is
/// faster from 1000 groups on, and slower than to sort by group first from 4000 on (docs/tuning/cpu.md).
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
