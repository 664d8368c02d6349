//! Few elements in few groups, on the stack.

use gpu_kernels::{Element, Op, is_free};

use super::group_of;
use crate::cpu::{few, neighbours};
use crate::error::Error;
use crate::float_environment;
use crate::index_type::IndexType;
use crate::memory::with_room;

/// Most groups, and most elements on average, which is less than the slots of a group.
const MOST_GROUPS: usize = 16;
const MOST: usize = 4;
const SLOTS: usize = 8;

/// Folds each group, if they are few with few elements. This is faster than rows of slots or a table in memory
/// (docs/tuning/cpu.md).
///
/// # Errors
/// [`Error::Group`] with the first id that is out of range.
#[inline]
pub(super) fn fold<T: Element, O: Op<T>, I: IndexType>(
    op: O,
    ids: &[I],
    x: &[T],
    groups: usize,
) -> Result<Option<Vec<O::Out>>, Error> {
    if const { !few::is_short::<T, O>() } || groups > MOST_GROUPS || x.len() > MOST * groups {
        return Ok(None);
    }
    float_environment::check()?;
    let mut lens = [0_u8; MOST_GROUPS];
    if const { is_free::<T, O>() } {
        let mut accs = [O::IDENTITY; MOST_GROUPS];
        for ((&id, &x), at) in ids.iter().zip(x).zip(0..) {
            let group = group_of(id, groups, at)?;
            accs[group] = op.append(accs[group], x, lens[group].into());
            lens[group] += 1;
        }
        return finished::<T, O>(accs[..groups].iter().copied(), &lens).map(Some);
    }
    let mut slots = [[O::IDENTITY; SLOTS]; MOST_GROUPS];
    for ((&id, &x), at) in ids.iter().zip(x).zip(0..) {
        let group = group_of(id, groups, at)?;
        let len = lens[group];
        let Some(slot) = slots[group].get_mut(usize::from(len)) else {
            return Ok(None);
        };
        *slot = op.lift(x, len.into());
        lens[group] = len + 1;
    }
    // Slots without an element hold the identity, which changes no pair.
    finished::<T, O>(slots[..groups].iter().map(|&slots| neighbours::fold_array::<T, O, SLOTS>(slots)), &lens)
        .map(Some)
}

/// Finishes the accumulators of groups of these lengths.
#[inline(always)]
fn finished<T: Element, O: Op<T>>(
    accs: impl ExactSizeIterator<Item = O::Acc>,
    lens: &[u8],
) -> Result<Vec<O::Out>, Error> {
    let mut outs = with_room(accs.len())?;
    outs.extend(accs.zip(lens).map(|(acc, &len)| O::finish(acc, len.into())));
    Ok(outs)
}
