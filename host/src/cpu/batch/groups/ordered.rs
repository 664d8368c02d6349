//! Groups of operators that need the tree's order: each thread sorts a portion of the elements by group.

use std::ops::Range;

use gpu_kernels::{Element, Op, tree};

use super::portion::{Expected, Portion, fold_long};
use crate::cpu::batch::{Rows, with_room};
use crate::cpu::{Cpu, share};
use crate::error::Error;
use crate::float_environment;
use crate::index_type::IndexType;

impl Cpu {
    /// Folds each group along its tree.
    pub(super) fn ordered_groups<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        ids: &[I],
        x: &[T],
        groups: usize,
        threads: usize,
    ) -> Result<Vec<O::Out>, Error> {
        float_environment::check()?;
        let counts = self.count_groups(ids, groups, threads)?;
        // The number of elements of all groups before each, and of all groups.
        let mut before = with_room(groups.saturating_add(1))?;
        let (mut all, mut longest) = (0, 0);
        before.push(0);
        for group in 0..groups {
            let len = counts.of(group);
            all += len;
            longest = longest.max(len);
            before.push(all);
        }
        let mut portions: Vec<_> = counts.portions.iter().map(|_| None).collect();
        let len = counts.portion_len;
        let inputs = ids.chunks(len).zip(x.chunks(len)).zip((0..).step_by(len));
        let tasks = portions.iter_mut().enumerate().zip(inputs);
        share(self.pool.as_deref(), threads - 1, tasks, |((at, portion), ((ids, x), base))| {
            float_environment::check()?;
            let expected = (0..groups).map(|group| {
                let len = before[group + 1] - before[group];
                let tile_len = crate::cpu::part_len::<T>(len as u64);
                let is_long = len > tile_len;
                let earlier = || counts.portions[..at].iter().map(|counts| u64::from(counts[group])).sum();
                Expected {
                    count: counts.portions[at][group] as usize,
                    before: if is_long { earlier() } else { 0 },
                    tile_len: is_long.then_some(tile_len),
                }
            });
            *portion = Some(Portion::new(op, (ids, x, base), expected)?);
            Ok::<_, Error>(())
        })?;
        let portions: Vec<_> = portions.into_iter().flatten().collect();
        let shortest = usize::try_from(tree::tile_len::<T>(1)).unwrap_or(usize::MAX);
        let rows = Kept { portions: &portions, before: &before, longest: longest.min(shortest) };
        let mut outs = self.reduce_each(op, &rows)?;
        for (group, acc, len) in fold_long(op, &portions) {
            outs[group] = O::finish(acc, len);
        }
        Ok(outs)
    }
}

/// The elements of each group of at most one tile. Other groups are empty here.
struct Kept<'a, T, A> {
    portions: &'a [Portion<T, A>],
    before: &'a [usize],
    longest: usize,
}

impl<T: Element, A: Copy + Sync> Rows<T> for Kept<'_, T, A> {
    const OF_ONE_LENGTH: bool = false;

    fn count(&self) -> usize {
        self.before.len() - 1
    }
    #[inline(always)]
    fn before(&self, row: usize) -> usize {
        self.before[row]
    }
    #[inline(always)]
    fn len(&self, row: usize) -> usize {
        let len = self.before[row + 1] - self.before[row];
        if len > self.longest { 0 } else { len }
    }
    #[inline(always)]
    fn longest(&self) -> usize {
        self.longest
    }
    #[inline(always)]
    fn elements<'a>(&'a self, row: usize, range: Range<usize>, buffer: &'a mut Vec<T>) -> &'a [T] {
        let mut before = 0;
        buffer.clear();
        for portion in self.portions {
            let piece = portion.kept(row);
            let start = range.start.saturating_sub(before).min(piece.len());
            let end = range.end.saturating_sub(before).min(piece.len());
            before += piece.len();
            if end - start == range.len() {
                return &piece[start..end];
            }
            buffer.extend_from_slice(&piece[start..end]);
        }
        buffer
    }
    #[inline(always)]
    fn from(&self, row: usize) -> &[T] {
        match self.portions {
            [all] => all.kept_and_behind(row),
            _ => &[],
        }
    }
}
