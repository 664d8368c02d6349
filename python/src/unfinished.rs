//! An operator whose results are its accumulators. Variance and deviation, sum and mean of floats share one: it is compiled once.

use std::marker::PhantomData;

use warpfold::{Element, Op};

/// The operator `F`, not finished: its results are accumulators with the number of their elements.
#[derive(Clone, Copy, Default)]
pub(crate) struct Unfinished<F>(F);

/// The results of [`Unfinished`]`<F>` over elements `T`, which `E` finishes.
pub(crate) struct Finish<T, E>(PhantomData<(T, E)>);

impl<T: Element, E: Op<T>> Finish<T, E> {
    /// Finishes results.
    pub(crate) fn all(folded: Vec<(E::Acc, u64)>) -> Result<Vec<E::Out>, warpfold::Error> {
        let mut results = Vec::new();
        let count = folded.len();
        results.try_reserve_exact(count).map_err(|_| warpfold::Error::TooManyResults { results: count })?;
        results.extend(folded.into_iter().map(|(acc, len)| E::finish(acc, len)));
        Ok(results)
    }
}

impl<T: Element, F: Op<T>> Op<T> for Unfinished<F> {
    type Acc = F::Acc;
    type Out = (F::Acc, u64);
    const IDENTITY: F::Acc = F::IDENTITY;
    const COMMUTATIVE: bool = F::COMMUTATIVE;
    const ASSOCIATIVE: bool = F::ASSOCIATIVE;
    const NEEDS_INDEX: bool = F::NEEDS_INDEX;

    #[inline(always)]
    fn lift(self, x: T, index: u64) -> F::Acc {
        self.0.lift(x, index)
    }
    #[inline(always)]
    fn combine(left: F::Acc, right: F::Acc) -> F::Acc {
        F::combine(left, right)
    }
    #[inline(always)]
    fn append(self, acc: F::Acc, x: T, index: u64) -> F::Acc {
        self.0.append(acc, x, index)
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        self,
        acc: F::Acc,
        rows: [[T; V]; R],
        first: u64,
        stride: u64,
    ) -> F::Acc {
        self.0.append_rows(acc, rows, first, stride)
    }
    #[inline(always)]
    fn absent(self) -> Option<T> {
        self.0.absent()
    }
    #[inline(always)]
    fn append_slice(self, acc: F::Acc, x: &[T], first: u64) -> F::Acc {
        self.0.append_slice(acc, x, first)
    }
    #[inline(always)]
    fn finish(acc: F::Acc, len: u64) -> (F::Acc, u64) {
        (acc, len)
    }
}
