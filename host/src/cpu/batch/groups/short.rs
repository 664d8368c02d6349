//! Groups of few elements: each has a row of slots, one for each element.
//!
//! Up to a tile's number of lanes, a tree consists of pairs of neighbours, so all rows are halved at once, as one long
//! array, until each has one slot left. Slots after a group's last element hold the identity, which changes no pair.
//! A row that is full before its group ends is folded, and its total kept: an aligned power of two is a whole subtree.

use std::mem::MaybeUninit;
use std::ops::RangeInclusive;

use gpu_kernels::tree::lanes;
use gpu_kernels::{Element, Op};

use super::group_of;
use crate::cpu::neighbours;
use crate::cpu::processor::{self, Job, Processor};
use crate::cpu::unwritten::Unwritten;
use crate::error::Error;
use crate::index_type::IndexType;
use crate::{float_environment, memory};

/// Bytes of the largest accumulator that gets a slot.
const WIDEST: usize = 32;

/// Least slots of a row.
const LEAST: usize = 4;

/// Most bytes of the rows of all groups, if elements are not sorted into buckets of groups first: they fit the
/// second-level cache.
const ROOM: usize = 2 << 20;

/// Folds each group on one thread, if the rows of all of them fit a cache, and no group is too long.
///
/// # Errors
/// [`Error::Group`] with the first id that is out of range.
pub(super) fn groups<T: Element, O: Op<T>, I: IndexType>(
    op: O,
    ids: &[I],
    x: &[T],
    groups: usize,
) -> Result<Option<Vec<O::Out>>, Error> {
    let width = width::<T, O>(x.len(), groups);
    let Some(width) = width.filter(|&width| groups.saturating_mul(width * size_of::<O::Acc>()) <= ROOM)
    else {
        return Ok(None);
    };
    float_environment::check()?;
    for (&id, at) in ids.iter().zip(0..) {
        group_of(id, groups, at)?;
    }
    let mut outs = Unwritten::<O::Out>::new(groups)?;
    let is_folded = processor::widest(Groups { op, ids, x, width, outs: outs.slots() })?;
    // SAFETY: the job wrote all results if it says so.
    Ok(is_folded.then(|| unsafe { outs.written() }))
}

/// Folds all groups in rows of `width` slots. The ids are in range.
struct Groups<'a, T: Element, O: Op<T>, I> {
    op: O,
    ids: &'a [I],
    x: &'a [T],
    width: usize,
    outs: &'a mut [MaybeUninit<O::Out>],
}

impl<T: Element, O: Op<T>, I: IndexType> Job for Groups<'_, T, O, I> {
    /// Whether they were folded: `false` if a group has too many elements.
    type Done = Result<bool, Error>;

    #[inline(always)]
    fn run(self, _: impl Processor) -> Result<bool, Error> {
        let Self { op, ids, x, width, outs } = self;
        let all = ids.iter().zip(x).map(|(&id, &x)| (id.index().unwrap_or(0), x));
        Short::new().fold(op, std::iter::once(all), width, outs)
    }
}

/// Returns the slots of a row, if groups of so many elements on average are folded here. There is room for groups
/// that are a little longer than the average, as groups of random ids are.
#[inline(always)]
pub(super) fn width<T: Element, O: Op<T>>(len: usize, groups: usize) -> Option<usize> {
    if !O::COMMUTATIVE || size_of::<O::Acc>() > WIDEST || len == 0 || groups == 0 {
        return None;
    }
    let average = len.div_ceil(groups);
    let width = (average + 2 * average.isqrt()).max(LEAST);
    let width = Some(width.next_power_of_two()).filter(|&width| width <= lanes::<T>())?;
    u32::try_from(groups.checked_mul(width)?).is_ok().then_some(width)
}

/// The rows of some groups, reused for other groups.
pub(super) struct Short<A> {
    /// The slot of each group's next element.
    next: Vec<u32>,
    /// The index of that element less its slot, in wrapping arithmetic.
    indices: Vec<u32>,
    slots: Vec<A>,
    /// The totals of rows that were full, and of each the group and the index of the element after it.
    totals: Vec<(u32, u32, A)>,
}

impl<A: Copy> Short<A> {
    pub(super) const fn new() -> Self {
        Self { next: Vec::new(), indices: Vec::new(), slots: Vec::new(), totals: Vec::new() }
    }

    /// Folds groups in rows of `width` slots, and writes their results. `pieces` has the elements with their groups, in
    /// order. Returns `false` if a group has too many elements; then no result is written.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory.
    #[inline(always)]
    pub(super) fn fold<T: Element, O: Op<T, Acc = A>>(
        &mut self,
        op: O,
        pieces: impl Iterator<Item: Iterator<Item = (usize, T)>>,
        width: usize,
        outs: &mut [MaybeUninit<O::Out>],
    ) -> Result<bool, Error> {
        let groups = outs.len();
        let firsts = (0..groups as u32).map(|group| group * width as u32);
        self.next.clear();
        memory::reserve(&mut self.next, groups)?;
        self.next.extend(firsts.clone());
        self.indices.clear();
        memory::reserve(&mut self.indices, groups)?;
        self.indices.extend(firsts.map(u32::wrapping_neg));
        self.slots.clear();
        memory::resize(&mut self.slots, groups * width, O::IDENTITY)?;
        self.totals.clear();
        // Local slices, which the loop need not load again for each element.
        let (next, indices) = (&mut self.next[..groups], &mut self.indices[..groups]);
        let slots = &mut self.slots[..groups * width];
        let mask = width as u32 - 1;
        for piece in pieces {
            for (group, x) in piece {
                let slot = next[group];
                // Updated before the slot is written, because the compiler cannot know that the write does not change it.
                next[group] = slot + 1;
                slots[slot as usize] = op.lift(x, indices[group].wrapping_add(slot).into());
                if slot & mask == mask {
                    next[group] -= width as u32;
                    indices[group] = indices[group].wrapping_add(width as u32);
                    let row = slot as usize + 1 - width..=slot as usize;
                    // In its group, the index of the element after the row: `indices` has it less the group's first slot.
                    let end = indices[group].wrapping_add((group * width) as u32);
                    end_row::<T, O>(slots, row, (group, end), &mut self.totals)?;
                }
            }
        }
        let lens = next.iter().zip(&*indices).map(|(&next, &index)| index.wrapping_add(next));
        if lens.clone().any(|len| len as usize > lanes::<T>()) {
            return Ok(false);
        }
        let mut rests = slots;
        for _ in 0..width.trailing_zeros() {
            rests = neighbours::halve_all::<T, O>(rests);
        }
        self.totals.sort_unstable_by_key(|&(group, end, _)| (group, end));
        let (mut totals, mut row) = (&self.totals[..], Vec::new());
        for (((out, &rest), len), group) in outs.iter_mut().zip(&*rests).zip(lens).zip(0..) {
            let mut acc = rest;
            if totals.first().is_some_and(|&(first, ..)| first == group) {
                let (own, others) = totals.split_at(len as usize / width);
                totals = others;
                row.clear();
                memory::reserve(&mut row, own.len() + 1)?;
                row.extend(own.iter().map(|&(.., total)| total));
                row.push(rest);
                acc = neighbours::fold::<T, O>(&mut row);
            }
            out.write(O::finish(acc, len.into()));
        }
        Ok(true)
    }
}

/// Folds a full row of a group up to the element at `end`, keeps its total, and empties it.
#[cold]
#[inline(never)]
fn end_row<T: Element, O: Op<T>>(
    slots: &mut [O::Acc],
    row: RangeInclusive<usize>,
    (group, end): (usize, u32),
    totals: &mut Vec<(u32, u32, O::Acc)>,
) -> Result<(), Error> {
    let row = &mut slots[row];
    memory::push(totals, (group as u32, end, neighbours::fold::<T, O>(row)))?;
    row.fill(O::IDENTITY);
    Ok(())
}
