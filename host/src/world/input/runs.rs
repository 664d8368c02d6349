//! Runs of equal keys, whose arrays may be divided anywhere.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Op};

use crate::arrays::Gaps;
use crate::error::{Error, check_lengths};
use crate::input::Runs;
use crate::memory;
use crate::verb::{Backend, Reduce};
use crate::world::agree::call;
use crate::world::cut::Cut;
use crate::world::exchange::garbled;
use crate::world::{Communicator, World, WorldElements, bytes};

/// Why no key may be missing.
const NO_KEY: &str = "each element needs the key of its run: give those without a key one of their own";

impl<C: Communicator, K, X, O> Backend<Reduce<O, Runs<K, X>>> for World<C>
where
    K: WorldElements<Element: PartialEq + CheckedBitPattern>,
    X: WorldElements,
    O: Op<X::Element>,
{
    type Results = (Vec<K::Element>, Vec<O::Out>);

    fn run(&self, Reduce { op, input }: Reduce<O, Runs<K, X>>) -> Result<Self::Results, Error> {
        let (keys, x) = (self.known(input.keys.in_host_memory())?, self.known(input.x.in_host_memory())?);
        let (keys, gaps) = (self.known(keys.whole(NO_KEY))?, self.known(x.gaps())?);
        let input = format!("runs of equal keys {}", std::any::type_name::<K::Element>());
        let len = gaps.as_ref().map_or(x.len(), Gaps::len);
        let len = check_lengths(keys.len(), len).map(|()| len as u64);
        let places = self.agree_on_places(&call::<X::Element, O>("reduce", &input), len, x.missing())?;
        self.together(|| {
            let (keys, offsets) = self.find_runs(keys, &places.positions)?;
            Ok((keys, self.fold_places(op, (&&x[..], gaps.as_ref()), &offsets[..], &places)?))
        })
    }
}

impl<C: Communicator> World<C> {
    /// Returns the key of each run over all ranks, and the start of each run followed by the end of the last.
    fn find_runs<K: Element + PartialEq + CheckedBitPattern>(
        &self,
        keys: &[K],
        cut: &Cut,
    ) -> Result<(Vec<K>, Vec<u64>), Error> {
        let first = cut.part(self.rank()).start;
        let changes = || keys.windows(2).zip(1_usize..).filter(|(pair, _)| pair[0] != pair[1]);
        let of_first = usize::from(!keys.is_empty());
        let runs = of_first + changes().count();
        let starts = || [0].into_iter().take(of_first).chain(changes().map(|(_, at)| at));
        // The key of each run, and the key of the last element, because the next rank's first key may be equal to it.
        let mut of_runs: Vec<K> = memory::with_room(runs + of_first)?;
        of_runs.extend(starts().map(|at| keys[at]).chain(keys.last().copied()));
        let mut own: Vec<u64> = memory::with_room(runs)?;
        own.extend(starts().map(|at| first + at as u64));
        let all_starts = self.gather_any::<u64>(&own)?;
        let (mut all_keys, mut offsets, mut last) = (Vec::new(), Vec::new(), None);
        for (rank, sent) in self.all_gather(bytes::of(&of_runs))?.iter().enumerate() {
            let (mut of_runs, starts, part) = (Vec::new(), &all_starts[rank][..], cut.part(rank));
            bytes::elements::<K>(rank, sent, &mut of_runs)?;
            let last_here = of_runs.pop();
            let ascend = starts.is_sorted_by(|before, start| before < start);
            let is_first = starts.first() == Some(&part.start).filter(|_| !part.is_empty());
            let are_within = starts.last().is_none_or(|&start| start < part.end);
            let is_there = last_here.is_some() != part.is_empty();
            if of_runs.len() != starts.len() || !(ascend && is_first && are_within && is_there) {
                return Err(garbled(rank));
            }
            let Some(last_here) = last_here else { continue };
            let goes_on = usize::from(last.is_some_and(|last| of_runs.first() == Some(&last)));
            memory::reserve(&mut all_keys, of_runs.len())?;
            all_keys.extend(of_runs.into_iter().skip(goes_on));
            memory::reserve(&mut offsets, starts.len() + 1)?;
            offsets.extend(starts.iter().skip(goes_on));
            last = Some(last_here);
        }
        if !offsets.is_empty() {
            offsets.push(cut.total());
        }
        Ok((all_keys, offsets))
    }
}
