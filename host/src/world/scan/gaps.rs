//! Scans over all ranks of arrays with missing elements.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Op};

use crate::arrays::Gaps;
use crate::cpu::{Around, empty_results, scanning};
use crate::error::Error;
use crate::memory;
use crate::scan::Scan;
use crate::unfinished::Unfinished;
use crate::world::places::Places;
use crate::world::{Communicator, World};

impl<C: Communicator> World<C> {
    /// Scans the segments between offsets. The offsets ascend within the whole array and count missing elements. `gaps`
    /// are the gaps of this rank's part. There is an output for each of its positions.
    pub(super) fn scan_places<T: Element + CheckedBitPattern, O: Op<T>>(
        &self,
        op: O,
        (x, gaps): (&[T], Option<&Gaps<'_>>),
        offsets: &[u64],
        scan: Scan<O::Acc>,
        places: &Places,
    ) -> Result<Vec<O::Out>, Error> {
        if places.are_whole() {
            return self.scan_segments(op, x, offsets, scan, &places.positions);
        }
        let among = self.among_present(offsets, gaps, places)?;
        let (init, before) = scan.init(O::IDENTITY);
        let present = self.scan_segments(op, x, &among, scan, &places.present)?;
        let up_to = Scan::inclusive().from(init, before);
        let accs = self.scan_segments(Unfinished { op, first: 0 }, x, &among, up_to, &places.present)?;
        let own = accs.last().map_or(&[][..], std::slice::from_ref);
        let lasts = self.gather::<O::Acc>(own, |rank| places.present.len(rank).min(1))?;
        let last = lasts[..self.rank()].iter().rev().find_map(|last| last.first());
        let part = places.positions.part(self.rank());
        let numbers = |offsets: &[u64]| memory::collected(offsets.iter().map(|&at| at as usize));
        let (offsets, among): (Vec<usize>, Vec<usize>) = (numbers(offsets)?, numbers(&among)?);
        let around = Around {
            gaps,
            part: part.start as usize..part.end as usize,
            before: places.present.part(self.rank()).start as usize,
            offsets: [&offsets, &among],
            init: (init, before),
            last: last.copied().unwrap_or(init),
        };
        let mut outs = empty_results::<T, O>((part.end - part.start) as usize)?;
        scanning::<O::Acc, _>(|| around.put::<T, O>(present, &accs, &mut outs))?;
        Ok(outs)
    }
}
