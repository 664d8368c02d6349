//! The bodies of the entry points that fold groups by atomics. Each may overlap the launch before it, like the bodies of
//! [`entry::raw`](crate::entry::raw).

use bytemuck::Pod;
use cuda_std::grid::wait_for_earlier_launches;

use crate::arguments::{GroupAccumulators, GroupsByAtomics};
use crate::groups::atomics::{self, Accumulators, Cell};
use crate::groups::histogram::Check;
use crate::op::{Element, Op};

/// Folds `len` elements into the accumulators at `cells`, of which each group has one: the integer `acc ^ IDENTITY`. An element whose
/// integer is 0 sets the number of its group at `seen`, if that is there, to 1. `first_bad` becomes the least place of an id that is
/// not less than `groups`, if there is one before what it holds. A block has `1 << copies_log2` accumulators for each group, unless
/// `copies_log2` is [`NO_COPIES`](crate::groups::shapes::NO_COPIES).
///
/// # Safety
/// `ids` has `len` ids of `id_bytes`, 4 or 8, and `x` as many elements. `cells` has `groups` integers of the accumulator's size, and so
/// has `seen`, if it is there; `first_bad` has one. The launch has dynamic shared memory for `groups << copies_log2` accumulators, fewer
/// than 2^32, or of [`cache_bytes`](crate::groups::shapes::cache_bytes) if `copies_log2` is `NO_COPIES`.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn groups_by_atomics<T: Element, O: Op<T>>(a: GroupsByAtomics<T, O>) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract.
    unsafe {
        match (a.id_bytes, size_of::<O::Acc>()) {
            (4, 4) => fold::<T, O, u32, u32>(a),
            (4, _) => fold::<T, O, u32, u64>(a),
            (_, 4) => fold::<T, O, u64, u32>(a),
            _ => fold::<T, O, u64, u64>(a),
        }
    }
}

/// Folds with ids `I` into integers `C`.
///
/// # Safety
/// As for [`groups_by_atomics`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn fold<T: Element, O: Op<T>, I: Pod + Into<u64>, C: Cell>(a: GroupsByAtomics<T, O>) {
    // SAFETY: by this function's contract; what many threads update is accessed by atomics alone.
    let (ids, x, check, to) = unsafe {
        (
            a.ids.cast::<I>().slice(a.len),
            a.x.slice(a.len),
            Check { groups: a.groups, first_bad: a.first_bad.cells(1) },
            Accumulators {
                cells: a.cells.cast::<C>().cells(a.groups),
                seen: a.seen.get().map(|seen| seen.cells(a.groups)),
            },
        )
    };
    let copies_log2 = Some(a.copies_log2).filter(|&log2| log2 != crate::groups::shapes::NO_COPIES);
    atomics::fold(a.op, ids, x, check, to, copies_log2);
}

/// Writes the accumulators of `count` integers at `cells`, of `bytes`, 4 or 8, to `out`; unless `lens` is null, also 1 for each that has
/// elements and 0 for the others.
///
/// # Safety
/// `cells` has `count` integers, `seen` as many if it is there, and `out` and `lens` have room for as many results and, if it is there,
/// numbers.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn group_accumulators(a: GroupAccumulators) {
    wait_for_earlier_launches();
    // SAFETY: by this function's contract; each cell is written once.
    unsafe {
        match a.bytes {
            4 => write(a, a.identity as u32),
            _ => write(a, a.identity),
        }
    }
}

/// Writes the accumulators of integers `C`.
///
/// # Safety
/// As for [`group_accumulators`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
unsafe fn write<C: Cell>(a: GroupAccumulators, identity: C) {
    // SAFETY: by this function's contract; each cell is written once.
    let (cells, seen, out, lens) = unsafe {
        (
            a.cells.cast::<C>().slice(a.count),
            a.seen.get().map(|seen| seen.slice(a.count)),
            a.out.cast::<C>().cells(a.count),
            a.lens.get().map(|lens| lens.cells(a.count)),
        )
    };
    atomics::write(cells, identity, seen, out, lens);
}
