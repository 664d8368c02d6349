//! Compaction, where elements stay on their ranks, and partitioning.

use std::any::type_name;

use bytemuck::CheckedBitPattern;
use gpu_kernels::Element;

use super::agree::call;
use super::cut::Cut;
use super::exchange::garbled;
use super::{Communicator, World, WorldElements, WorldSelect, bytes};
use crate::error::{Error, check_lengths};
use crate::memory;
use crate::verb::{Backend, Compact, CompactByFlags, Partition, Unique};

impl<C: Communicator, P, X: WorldSelect<P>> Backend<Compact<P, X>> for World<C> {
    type Results = X::Array<X::Element>;

    fn run(&self, Compact { predicate, x }: Compact<P, X>) -> Result<Self::Results, Error> {
        self.agree(&call::<X::Element, P>("compact", "an array"), x.count().map(|len| len as u64))?;
        self.together(|| {
            let kept = x.selected(&self.cpu, predicate)?;
            self.communicator.barrier()?;
            Ok(kept)
        })
    }
}

impl<C, F, X> Backend<CompactByFlags<F, X>> for World<C>
where
    C: Communicator,
    F: WorldElements<Element = bool>,
    X: WorldElements,
{
    type Results = X::Array<X::Element>;

    fn run(&self, CompactByFlags { flags, x }: CompactByFlags<F, X>) -> Result<Self::Results, Error> {
        let lens = flags.array_len().and_then(|flags| Ok((flags, x.array_len()?)));
        let len = lens.and_then(|(flags, len)| check_lengths(flags, len).map(|()| len as u64));
        self.agree(&format!("compact_by_flags of {}", type_name::<X::Element>()), len)?;
        self.together(|| {
            let kept = match x.flagged_on_device(&flags) {
                Some(kept) => kept?,
                None => {
                    let (flags, elements) = (flags.in_host_memory()?, x.in_host_memory()?);
                    x.beside(self.cpu.compact_by_flags(&flags, &elements)?)?
                }
            };
            self.communicator.barrier()?;
            Ok(kept)
        })
    }
}

impl<C, X> Backend<Unique<X>> for World<C>
where
    C: Communicator,
    X: WorldElements<Element: PartialEq + CheckedBitPattern>,
{
    type Results = X::Array<X::Element>;

    fn run(&self, Unique { x: part }: Unique<X>) -> Result<Self::Results, Error> {
        let x = self.known(part.in_host_memory())?;
        let cut = self.agree(&format!("unique of {}", type_name::<X::Element>()), Ok(x.len() as u64))?;
        let kept = self.together(|| {
            let mut kept = self.cpu.unique(&x)?;
            let lasts = self.all_gather(bytes::of(x.last().map_or(&[][..], std::slice::from_ref)))?;
            let mut before = Vec::new();
            for (rank, last) in lasts[..self.rank()].iter().enumerate() {
                if last.len() != cut.len(rank).min(1) * size_of::<X::Element>() {
                    return Err(garbled(rank));
                }
                bytes::elements::<X::Element>(rank, last, &mut before)?;
            }
            if before.last().zip(kept.first()).is_some_and(|(last, first)| last == first) {
                kept.remove(0);
            }
            Ok(kept)
        })?;
        part.beside(kept)
    }
}

impl<C, P, X> Backend<Partition<P, X>> for World<C>
where
    C: Communicator,
    X: WorldSelect<P, Element: CheckedBitPattern>,
{
    type Results = (X::Array<X::Element>, u64);

    fn run(&self, Partition { predicate, x: part }: Partition<P, X>) -> Result<Self::Results, Error> {
        let cut =
            self.agree(&call::<X::Element, P>("partition", "an array"), part.count().map(|len| len as u64))?;
        let (parted, all) = self.together(|| {
            let (x, selected) = part.partitioned(&self.cpu, predicate)?;
            let mut lens = Vec::new();
            for (rank, selected) in self.gather::<u64>(&[selected as u64], |_| 1)?.iter().enumerate() {
                let part = cut.part(rank);
                let len = part.end - part.start;
                match selected[..] {
                    [selected] if selected <= len => lens.push([selected, len - selected]),
                    _ => return Err(garbled(rank)),
                }
            }
            let all = lens.iter().map(|[selected, _]| selected).sum();
            Ok((self.move_halves(&x, &lens, &cut)?, all))
        })?;
        Ok((part.beside(parted)?, all))
    }
}

impl<C: Communicator> World<C> {
    /// Moves the selected elements of all ranks before the others, and cuts the result like the parts. `lens` has each
    /// rank's numbers of selected and other elements.
    fn move_halves<T: Element + CheckedBitPattern>(
        &self,
        x: &[T],
        lens: &[[u64; 2]],
        cut: &Cut,
    ) -> Result<Vec<T>, Error> {
        // The pieces in the order of the result: the selected elements of each rank, then the others of each rank.
        let pieces =
            || lens.iter().map(|[selected, _]| *selected).chain(lens.iter().map(|[_, other]| *other));
        let too_many = || Error::TooManyResults { results: usize::MAX };
        let result = Cut::new(pieces()).ok_or_else(too_many)?;
        // The elements of a piece that rank `to` gets.
        let share = |piece: usize, to: usize| result.within(piece, &cut.part(to));
        let (rank, ranks) = (self.rank(), self.size());
        let (selected, others) = x.split_at(lens[rank][0] as usize);
        let mut to = memory::with_room(ranks)?;
        for other in 0..ranks {
            let pieces = [&selected[share(rank, other)], &others[share(ranks + rank, other)]];
            to.push(memory::joined(&pieces.map(bytes::of))?);
        }
        let len = |piece| share(piece, rank).len();
        let sizes: Vec<usize> =
            (0..ranks).map(|from| (len(from) + len(ranks + from)) * size_of::<T>()).collect();
        let from = self.exchange(&to, &sizes)?;
        let mut rest: Vec<&[u8]> = from.iter().map(Vec::as_slice).collect();
        let mut elements = Vec::new();
        for piece in 0..2 * ranks {
            let from = piece % ranks;
            let sent = rest[from].split_off(..len(piece) * size_of::<T>()).unwrap_or_default();
            bytes::elements(from, sent, &mut elements)?;
        }
        Ok(elements)
    }
}
