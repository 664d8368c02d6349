//! The first few elements of the sorted sequence of all ranks, with their indices in the whole.

use gpu_kernels::{At, TotalOrder};

use crate::arrays::Elements;
use crate::cpu::rank_in;
use crate::error::Error;
use crate::memory;
use crate::verb::order::Order;
use crate::verb::{Backend, TopK};
use crate::world::exchange::garbled;
use crate::world::{Communicator, World, WorldElements};

impl<C: Communicator, X: WorldElements<Element: TotalOrder>> Backend<TopK<X>> for World<C> {
    type Results = Vec<At<X::Element>>;

    fn run(&self, TopK { x, k, order }: TopK<X>) -> Result<Self::Results, Error> {
        let verb = match order {
            Order::Descending => "top_k",
            Order::Ascending => "bottom_k",
        };
        self.first(verb, &self.known(x.in_host_memory())?, k, order)
    }
}

impl<C: Communicator> World<C> {
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
            let ranks: Vec<T::Rank> = memory::collected(own.iter().map(|at| at.value.rank()))?;
            let positions = own.iter().map(|at| start + position(at.index));
            let positions: Vec<u64> = memory::collected(positions)?;
            let count = |rank| places.present.len(rank).min(k);
            let positions = self.gather(&positions, count)?;
            let mut all = Vec::new();
            for (rank, ranks) in self.gather(&ranks, count)?.into_iter().enumerate() {
                let (positions, part) = (&positions[rank], places.positions.part(rank));
                if !positions.iter().all(|position| part.contains(position)) {
                    return Err(garbled(rank));
                }
                memory::reserve(&mut all, ranks.len())?;
                let at = |(&index, rank)| At { index, value: T::from_rank(rank) };
                all.extend(positions.iter().zip(ranks).map(at));
            }
            all.sort_unstable_by_key(|at| (rank_in(order, at.value), at.index));
            all.truncate(k);
            Ok(all)
        })
    }
}
