//! Many groups, or long ones: the elements are sorted into buckets of groups, and each bucket is folded on its own.
//! docs/tuning/cpu.md lists slower ways.

use std::mem::MaybeUninit;

use gpu_kernels::{Element, Op, is_free};

use super::free;
use super::partition::{Numbered, Portion, shift_for};
use super::short::{self, Short};
use crate::cpu::batch::segments::Segments;
use crate::cpu::batch::{SHARES, row};
use crate::cpu::processor::{self, Job, Processor};
use crate::cpu::unwritten::Unwritten;
use crate::cpu::{Cpu, share};
use crate::error::Error;
use crate::index_type::IndexType;
use crate::{float_environment, memory};

impl Cpu {
    /// Folds each group.
    pub(super) fn groups_by_buckets<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        ids: &[I],
        x: &[T],
        groups: usize,
        threads: usize,
    ) -> Result<Vec<O::Out>, Error> {
        float_environment::check()?;
        let shift = shift_for(groups);
        let portions = &self.bucketed((ids, x), groups, shift, threads)?[..];
        let mut outs = Unwritten::<O::Out>::new(groups)?;
        // A bucket of more than a thread's share is folded by all threads.
        let most = if threads == 1 { usize::MAX } else { x.len() / (2 * threads) };
        for (bucket, outs) in outs.slots().chunks_mut(1 << shift).enumerate() {
            if len(portions, bucket) > most {
                let mut sorted = Sorted::new();
                sorted.sort(portions, bucket, outs.len())?;
                for (slot, out) in outs.iter_mut().zip(self.reduce_each(op, &sorted.rows()?)?) {
                    slot.write(out);
                }
            }
        }
        let together = groups.div_ceil(1 << shift).div_ceil(SHARES * threads).max(1);
        let tasks = outs.slots().chunks_mut(together << shift).zip((0..).step_by(together));
        share(self.pool.as_deref(), threads - 1, tasks, |(outs, first)| {
            float_environment::check()?;
            processor::widest(Buckets { op, portions, first, shift, most, outs })
        })?;
        // SAFETY: the loop above wrote the results of buckets of more than `most` elements, and the jobs all others.
        Ok(unsafe { outs.written() })
    }
}

/// Returns the number of elements of a bucket.
fn len<T: Copy>(portions: &[Portion<T>], bucket: usize) -> usize {
    portions.iter().map(|portion| portion.bucket(bucket).len()).sum()
}

/// Folds the buckets from `first` on that have up to `most` elements.
struct Buckets<'a, T: Element, O: Op<T>> {
    op: O,
    portions: &'a [Portion<T>],
    first: usize,
    shift: u32,
    most: usize,
    outs: &'a mut [MaybeUninit<O::Out>],
}

impl<T: Element, O: Op<T>> Job for Buckets<'_, T, O> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, on: impl Processor) -> Result<(), Error> {
        let Self { op, portions, first, shift, most, outs } = self;
        let (mut short, mut sorted, mut table) = (Short::new(), Sorted::new(), Vec::new());
        for (bucket, outs) in (first..).zip(outs.chunks_mut(1 << shift)) {
            let len = len(portions, bucket);
            if len > most {
                continue;
            }
            let pieces = portions.iter().map(|portion| portion.bucket(bucket));
            if const { is_free::<T, O>() } {
                free::fold_bucket(op, pieces, &mut table, outs)?;
                continue;
            }
            let pieces =
                pieces.map(|piece| piece.iter().map(|numbered| (numbered.group as usize, numbered.x)));
            if let Some(width) = short::width::<T, O>(len, outs.len())
                && short.fold(op, pieces, width, outs)?
            {
                continue;
            }
            sorted.sort(portions, bucket, outs.len())?;
            row::Each { op, rows: &sorted.rows()?, numbers: 0..outs.len(), below: usize::MAX, outs }
                .run(on)?;
        }
        Ok(())
    }
}

/// A bucket sorted by group.
struct Sorted<T> {
    /// The start of each group, and the end of the last one.
    starts: Vec<usize>,
    next: Vec<usize>,
    x: Vec<T>,
}

impl<T: Element> Sorted<T> {
    const fn new() -> Self {
        Self { starts: Vec::new(), next: Vec::new(), x: Vec::new() }
    }

    /// Sorts a bucket stably.
    #[inline(always)]
    fn sort(&mut self, portions: &[Portion<T>], bucket: usize, groups: usize) -> Result<(), Error> {
        let pieces = || portions.iter().map(|portion| portion.bucket(bucket));
        self.starts.clear();
        self.x.clear();
        // A bucket may have nearly all elements.
        memory::reserve(&mut self.x, len(portions, bucket))?;
        if groups == 1 {
            pieces().for_each(|piece| self.x.extend(piece.iter().map(|numbered| numbered.x)));
            return memory::append(&mut self.starts, &[0, self.x.len()]);
        }
        memory::resize(&mut self.starts, groups + 1, 0)?;
        for piece in pieces() {
            for numbered in piece {
                self.starts[numbered.group as usize] += 1;
            }
        }
        let mut start = 0;
        for count in &mut self.starts {
            (*count, start) = (start, start + *count);
        }
        self.next.clear();
        memory::append(&mut self.next, &self.starts)?;
        // Each slot holds an arbitrary element until its own is written.
        if let Some(any) = pieces().flatten().next() {
            memory::resize(&mut self.x, start, any.x)?;
        }
        for piece in pieces() {
            for &Numbered { group, x } in piece {
                let next = &mut self.next[group as usize];
                self.x[*next] = x;
                *next += 1;
            }
        }
        Ok(())
    }

    /// Returns the groups as segments.
    fn rows(&self) -> Result<Segments<'_, T, usize>, Error> {
        Segments::new(&self.x, &self.starts)
    }
}
