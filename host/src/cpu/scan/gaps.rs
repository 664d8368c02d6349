//! Scans of arrays with missing elements: the elements that are present are scanned alone, and their outputs put at their
//! positions. At the position of a missing element is the result of the elements before it.

use std::ops::Range;

use gpu_kernels::{Element, Op};

use crate::arrays::Gaps;
use crate::cpu::{Cpu, empty_results, large};
use crate::error::{Error, check_results};
use crate::index_type::IndexType;
use crate::memory;
use crate::scan::Scan;
use crate::unfinished::Unfinished;

/// The outputs of an array, or of a rank's part of it, around missing elements.
pub(crate) struct Around<'a, A> {
    /// The part's own; `None` if no element of it is missing.
    pub(crate) gaps: Option<&'a Gaps<'a>>,
    /// The range of the part in the array.
    pub(crate) part: Range<usize>,
    /// Number of present elements before the part.
    pub(crate) before: usize,
    /// The offsets of segments, as positions in the array and among the present elements.
    pub(crate) offsets: [&'a [usize]; 2],
    /// The initial value, and its number of elements.
    pub(crate) init: (A, u64),
    /// The accumulator of the last present element before the part, in its segment.
    pub(crate) last: A,
}

impl<A: Copy> Around<'_, A> {
    /// Moves the outputs of the part's present elements to their positions, and finishes the outputs of missing ones,
    /// from the accumulators of an inclusive scan of the present elements.
    pub(crate) fn put<T: Element, O: Op<T, Acc = A>>(
        &self,
        mut present: Vec<O::Out>,
        accs: &[A],
        outs: &mut [O::Out],
    ) {
        let (part, [offsets, among]) = (&self.part, self.offsets);
        let (init, of_init) = self.init;
        for (offsets, among) in offsets.windows(2).zip(among.windows(2)) {
            let own = offsets[0].clamp(part.start, part.end)..offsets[1].clamp(part.start, part.end);
            // The number of present elements of the segment, and of the part, before `own`.
            let mut of_segment = self.before.saturating_sub(among[0]);
            let mut of_part = among[0].saturating_sub(self.before);
            let mut acc = if of_segment == 0 { init } else { self.last };
            let own = own.start - part.start..own.end - part.start;
            for (position, out) in own.clone().zip(&mut outs[own]) {
                if self.gaps.is_none_or(|gaps| gaps.has(position)) {
                    std::mem::swap(out, &mut present[of_part]);
                    acc = accs[of_part];
                    (of_segment, of_part) = (of_segment + 1, of_part + 1);
                } else {
                    *out = O::finish(acc, of_init + of_segment as u64);
                }
            }
        }
    }
}

impl Cpu {
    /// Scans the segments between offsets, which count missing elements.
    pub(crate) fn scan_around_gaps<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        (x, gaps): (&[T], &Gaps<'_>),
        offsets: &[I],
        scan: Scan<O::Acc>,
    ) -> Result<Vec<O::Out>, Error> {
        let mut outs = empty_results::<T, O>(gaps.len())?;
        self.scan_around_gaps_into(op, (x, gaps), offsets, &mut outs, scan)?;
        Ok(outs)
    }

    /// Does [`scan_around_gaps`](Self::scan_around_gaps) to existing outputs.
    pub(crate) fn scan_around_gaps_into<T: Element, O: Op<T>, I: IndexType>(
        &self,
        op: O,
        (x, gaps): (&[T], &Gaps<'_>),
        offsets: &[I],
        outs: &mut [O::Out],
        scan: Scan<O::Acc>,
    ) -> Result<(), Error> {
        check_results(gaps.len(), outs.len())?;
        scan.check_first::<T, O>()?;
        let among = gaps.segments(offsets)?;
        let positions = memory::collected(offsets.iter().map(|offset| offset.index().unwrap_or(0)))?;
        let (init, before) = scan.init(O::IDENTITY);
        let present = self.scan_segments(op, x, &among, scan)?;
        let up_to = Scan::inclusive().from(init, before);
        let accs = self.scan_segments(Unfinished { op, first: 0 }, x, &among, up_to)?;
        let around = Around {
            gaps: Some(gaps),
            part: 0..gaps.len(),
            before: 0,
            offsets: [&positions, &among],
            init: (init, before),
            last: init,
        };
        large::scanning::<O::Acc, _>(|| around.put::<T, O>(present, &accs, outs))
    }
}
