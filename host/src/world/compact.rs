//! Compaction, where elements stay on their ranks, and partitioning.

use std::any::type_name;

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Count, Element};

use super::agree::call;
use super::cut::Cut;
use super::exchange::garbled;
use super::{Communicator, World, WorldElements, WorldInput, WorldSelect, bytes, memory};
use crate::Error;
use crate::error::check_lengths;

impl<C: Communicator> World<C> {
    /// Counts the elements of all ranks for which a predicate holds: [`reduce`](Self::reduce) of parts `&x` with
    /// [`Count`]. Every rank gets the count.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{IsNan, World};
    ///
    /// let parts = [[1.0, f32::NAN], [f32::NAN, 2.0]];
    /// let counts = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(&parts);
    ///     let ranks: Vec<_> = ranks.map(|(world, part)| scope.spawn(move || world.count(IsNan, part))).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(counts, [2; 2]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn count<P, I>(&self, predicate: P, part: I) -> Result<u64, Error>
    where
        I: WorldInput<Count<P>, Results = u64>,
    {
        self.reduce(Count { predicate }, part)
    }

    /// Returns the elements of this rank's part for which a predicate holds, in order. Those of all ranks, concatenated, are
    /// [`Cpu::compact`](crate::Cpu::compact) of the whole. No elements are sent.
    ///
    /// # Errors
    /// [`Error::Rank`] and [`Error::WorldClosed`] as [`World`] says; otherwise as [`Cpu::compact`](crate::Cpu::compact).
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{Above, World};
    ///
    /// let parts = [[3, -1, 4], [-1, -5, 9]];
    /// let kept = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(&parts);
    ///     let above = Above { threshold: 0 };
    ///     let ranks: Vec<_> = ranks.map(|(world, part)| scope.spawn(move || world.compact(above, part))).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(kept, [vec![3, 4], vec![9]]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn compact<P, X: WorldSelect<P>>(
        &self,
        predicate: P,
        part: X,
    ) -> Result<X::Array<X::Element>, Error> {
        self.agree(&call::<X::Element, P>("compact", "an array"), part.count().map(|len| len as u64))?;
        self.together(|| {
            let kept = part.selected(&self.cpu, predicate)?;
            self.communicator.barrier()?;
            Ok(kept)
        })
    }

    /// Returns the elements of this rank's part whose flag is `true`, as
    /// [`Cpu::compact_by_flags`](crate::Cpu::compact_by_flags) does; otherwise like [`compact`](Self::compact).
    ///
    /// # Errors
    /// [`Error::Lengths`] if there is not one flag for each element; otherwise as [`compact`](Self::compact).
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::World;
    ///
    /// let parts = [([true, false], [3, -1]), ([false, true], [4, 9])];
    /// let results = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(&parts);
    ///     let ranks: Vec<_> = ranks.map(|(world, part)| scope.spawn(move || world.compact_by_flags(&part.0, &part.1))).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(results, [vec![3], vec![9]]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn compact_by_flags<F: WorldElements<Element = bool>, X: WorldElements>(
        &self,
        flags: F,
        part: X,
    ) -> Result<X::Array<X::Element>, Error> {
        let lens = flags.array_len().and_then(|flags| Ok((flags, part.array_len()?)));
        let len = lens.and_then(|(flags, len)| check_lengths(flags, len).map(|()| len as u64));
        self.agree(&format!("compact_by_flags of {}", type_name::<X::Element>()), len)?;
        self.together(|| {
            let kept = match part.flagged_on_device(&flags) {
                Some(kept) => kept?,
                None => {
                    let (flags, x) = (flags.in_host_memory()?, part.in_host_memory()?);
                    part.beside(self.cpu.compact_by_flags(&flags, &x)?)?
                }
            };
            self.communicator.barrier()?;
            Ok(kept)
        })
    }

    /// Returns the first element of each run of equal elements, if it is in this rank's part. Those of all ranks,
    /// concatenated, are [`Cpu::unique`](crate::Cpu::unique) of the whole.
    ///
    /// # Errors
    /// As [`compact`](Self::compact).
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::World;
    ///
    /// let parts = [vec![1, 1, 2], vec![], vec![2, 2, 1]];
    /// let kept = thread::scope(|scope| {
    ///     let ranks = World::threads(3).into_iter().zip(&parts);
    ///     let ranks: Vec<_> = ranks.map(|(world, part)| scope.spawn(move || world.unique(part))).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(kept, [vec![1, 2], vec![], vec![1]]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn unique<X: WorldElements<Element: PartialEq + CheckedBitPattern>>(
        &self,
        part: X,
    ) -> Result<X::Array<X::Element>, Error> {
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

    /// Partitions the elements of all ranks: first those for which a predicate holds, then the others, each in order.
    /// Returns this rank's part of [`Cpu::partition`](crate::Cpu::partition) of the whole, with the length of the part
    /// that it passed, and the total number of elements for which the predicate holds.
    ///
    /// # Errors
    /// As [`compact`](Self::compact).
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{Below, World};
    ///
    /// let parts = [[5, 1, 4], [2, 3, 0]];
    /// let parted = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(&parts);
    ///     let below = Below { threshold: 3 };
    ///     let ranks: Vec<_> =
    ///         ranks.map(|(world, part)| scope.spawn(move || world.partition(below, part))).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(parted, [(vec![1, 2, 0], 3), (vec![5, 4, 3], 3)]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn partition<P, X: WorldSelect<P, Element: CheckedBitPattern>>(
        &self,
        predicate: P,
        part: X,
    ) -> Result<(X::Array<X::Element>, u64), Error> {
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
        let mut to = memory::room(ranks)?;
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
