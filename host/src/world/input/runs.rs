//! Runs of equal keys, whose arrays may be divided anywhere.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Op};

use super::WorldInput;
use crate::arrays::Gaps;
use crate::error::check_lengths;
use crate::world::agree::call;
use crate::world::cut::Cut;
use crate::world::{Communicator, World, WorldElements, bytes};
use crate::{Error, Runs};

/// Why no key may be missing.
const NO_KEY: &str = "each element needs the key of its run: give those without a key one of their own";

impl<K, X, O> WorldInput<O> for Runs<K, X>
where
    K: WorldElements<Element: PartialEq + CheckedBitPattern>,
    X: WorldElements,
    O: Op<X::Element>,
{
    type Results = (Vec<K::Element>, Vec<O::Out>);

    fn reduce_in_world<C: Communicator>(self, world: &World<C>, op: O) -> Result<Self::Results, Error> {
        let (keys, x) = (world.known(self.keys.in_host_memory())?, world.known(self.x.in_host_memory())?);
        let (keys, gaps) = (world.known(keys.whole(NO_KEY))?, world.known(x.gaps())?);
        let input = format!("runs of equal keys {}", std::any::type_name::<K::Element>());
        let len = gaps.as_ref().map_or(x.len(), Gaps::len);
        let len = check_lengths(keys.len(), len).map(|()| len as u64);
        let places = world.agree_on_places(&call::<X::Element, O>("reduce", &input), len, x.missing())?;
        world.together(|| {
            let (keys, offsets) = world.find_runs(keys, &places.positions)?;
            let among = world.among_present(&offsets, gaps.as_ref(), &places)?;
            Ok((keys, world.fold_segments(op, &&x[..], &among, &places.present)?))
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
        let changes = keys.windows(2).zip(1_usize..).filter(|(pair, _)| pair[0] != pair[1]);
        let starts: Vec<usize> = if keys.is_empty() {
            Vec::new()
        } else {
            [0].into_iter().chain(changes.map(|(_, at)| at)).collect()
        };
        // The key of each run, and the key of the last element, because the next rank's first key may be equal to it.
        let of_runs: Vec<K> = starts.iter().map(|&at| keys[at]).chain(keys.last().copied()).collect();
        let starts: Vec<u64> = starts.iter().map(|&at| first + at as u64).collect();
        let all_starts = self.gather_accs::<u64>(&starts)?;
        let (mut all_keys, mut offsets, mut last) = (Vec::new(), Vec::new(), None);
        for (rank, sent) in self.all_gather(bytes::of(&of_runs))?.iter().enumerate() {
            let mut of_runs = Vec::new();
            bytes::elements::<K>(rank, sent, &mut of_runs)?;
            let Some(last_here) = of_runs.pop() else { continue };
            let goes_on = last.is_some_and(|last| last == of_runs[0]);
            all_keys.extend_from_slice(&of_runs[usize::from(goes_on)..]);
            offsets.extend_from_slice(&all_starts[rank][usize::from(goes_on)..]);
            last = Some(last_here);
        }
        if !offsets.is_empty() {
            offsets.push(cut.total());
        }
        Ok((all_keys, offsets))
    }
}
