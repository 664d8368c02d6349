//! The first few elements of the sorted sequence of all ranks, with their indices in the whole.

use gpu_kernels::{At, TotalOrder};

use crate::cpu::rank_in;
use crate::world::exchange::garbled;
use crate::world::{Communicator, World, WorldElements, memory};
use crate::{Elements, Error, Order};

impl<C: Communicator> World<C> {
    /// Returns the `k` greatest elements of all ranks, greatest first, each with its index in the concatenated parts:
    /// [`Cpu::top_k`](crate::Cpu::top_k) of the whole. Every rank gets them. Each rank sends its own first `k` to the
    /// others. Indices count missing elements, such as nulls.
    ///
    /// # Errors
    /// [`Error::TooFew`] if all parts together have fewer than `k` elements; [`Error::Rank`] and [`Error::WorldClosed`]
    /// as [`World`] says.
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{At, World};
    ///
    /// let parts = [[3, 9], [4, 9]];
    /// let top = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(&parts);
    ///     let ranks: Vec<_> = ranks.map(|(world, part)| scope.spawn(move || world.top_k(part, 3))).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// for top in top {
    ///     assert_eq!(top, [(1, 9), (3, 9), (2, 4)].map(|(index, value)| At { index, value }));
    /// }
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn top_k<X: WorldElements<Element: TotalOrder>>(
        &self,
        part: X,
        k: usize,
    ) -> Result<Vec<At<X::Element>>, Error> {
        self.first("top_k", &self.known(part.in_host_memory())?, k, Order::Descending)
    }

    /// Returns the `k` least elements of all ranks, least first; otherwise like [`top_k`](Self::top_k).
    ///
    /// # Errors
    /// As [`top_k`](Self::top_k).
    ///
    /// ```
    /// use std::thread;
    /// use warpfold::{At, World};
    ///
    /// let parts = [[3, 9], [4, 9]];
    /// let results = thread::scope(|scope| {
    ///     let ranks = World::threads(2).into_iter().zip(&parts);
    ///     let ranks: Vec<_> = ranks.map(|(world, part)| scope.spawn(move || world.bottom_k(part, 1))).collect();
    ///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
    /// })?;
    /// assert_eq!(results, vec![vec![At { index: 0, value: 3 }]; 2]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn bottom_k<X: WorldElements<Element: TotalOrder>>(
        &self,
        part: X,
        k: usize,
    ) -> Result<Vec<At<X::Element>>, Error> {
        self.first("bottom_k", &self.known(part.in_host_memory())?, k, Order::Ascending)
    }

    fn first<T: TotalOrder>(
        &self,
        verb: &str,
        part: &Elements<'_, T>,
        k: usize,
        order: Order,
    ) -> Result<Vec<At<T>>, Error> {
        let call = format!("{verb} of {k} {}", std::any::type_name::<T>());
        let gaps = self.known(part.gaps())?;
        let places = self.agree_on_places(&call, Ok(part.array_len()), part.missing())?;
        let present = places.present.total();
        if k as u64 > present {
            let len = usize::try_from(present).unwrap_or(usize::MAX);
            return Err(Error::TooFew { wanted: k, len });
        }
        self.together(|| {
            let start = places.positions.part(self.rank()).start;
            let position = |index| gaps.as_ref().map_or(index, |gaps| gaps.position(index as usize) as u64);
            let own = self.cpu.first(part, k.min(part.len()), order)?;
            let ranks: Vec<T::Rank> = memory::collected(own.len(), own.iter().map(|at| at.value.rank()))?;
            let positions = own.iter().map(|at| start + position(at.index));
            let positions: Vec<u64> = memory::collected(own.len(), positions)?;
            let count = |rank| places.present.len(rank).min(k);
            let positions = self.gather(&positions, count)?;
            let mut all = Vec::new();
            for (rank, ranks) in self.gather(&ranks, count)?.into_iter().enumerate() {
                let (positions, part) = (&positions[rank], places.positions.part(rank));
                if !positions.iter().all(|position| part.contains(position)) {
                    return Err(garbled(rank));
                }
                memory::grow(&mut all, ranks.len())?;
                let at = |(&index, rank)| At { index, value: T::from_rank(rank) };
                all.extend(positions.iter().zip(ranks).map(at));
            }
            all.sort_unstable_by_key(|at| (rank_in(order, at.value), at.index));
            all.truncate(k);
            Ok(all)
        })
    }
}
