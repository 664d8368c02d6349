//! The first few elements of the sorted sequence, with their indices.

use std::convert::Infallible;

use gpu_kernels::{At, TotalOrder};

use super::rank_in;
use crate::Order;
use crate::cpu::{Cpu, TASK_BYTES, share};
use crate::error::Error;

/// A part's elements before the last that is wanted, and those equal to it.
#[derive(Clone)]
struct Found<T> {
    before: Vec<At<T>>,
    equal: Vec<At<T>>,
}

impl Cpu {
    /// The `k` greatest elements by their [total order](TotalOrder), the greatest first, with their indices; of equal ones
    /// those with lower indices, which also come first. They are the first `k` of a stable descending sort, where a NaN
    /// without a sign is greater than every number. Found by selection: `x` is read a few times, not sorted.
    ///
    /// # Errors
    /// [`Error::TooFew`] if there are less than `k` elements; otherwise as [`compact`](Self::compact).
    ///
    /// ```
    /// use warpfold::{At, Cpu};
    ///
    /// let top = Cpu::new().top_k(&[3, 9, 4, 9], 3)?;
    /// assert_eq!(top, [(1, 9), (3, 9), (2, 4)].map(|(index, value)| At { index, value }));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn top_k<T: TotalOrder>(&self, x: &[T], k: usize) -> Result<Vec<At<T>>, Error> {
        self.first(x, k, Order::Descending)
    }

    /// The `k` least elements, the least first: the first `k` of a stable ascending sort, otherwise as
    /// [`top_k`](Self::top_k).
    ///
    /// # Errors
    /// As [`top_k`](Self::top_k).
    pub fn bottom_k<T: TotalOrder>(&self, x: &[T], k: usize) -> Result<Vec<At<T>>, Error> {
        self.first(x, k, Order::Ascending)
    }

    fn first<T: TotalOrder>(&self, x: &[T], k: usize, order: Order) -> Result<Vec<At<T>>, Error> {
        if k > x.len() {
            return Err(Error::TooFew { wanted: k, len: x.len() });
        }
        let Some(last) = k.checked_sub(1) else { return Ok(Vec::new()) };
        let mut found = Vec::with_capacity(k);
        let mut equal = Vec::new();
        for last in self.at_places(x, order, &[last])? {
            for part in self.up_to(x, k, order, last) {
                found.extend(part.before);
                equal.extend(part.equal);
            }
        }
        self.sort_records(&mut found, order, |at| at.value);
        equal.truncate(k - found.len());
        found.extend(equal);
        Ok(found)
    }

    /// The elements of each part that come before `last`, and the first up to `k` of those equal to it.
    fn up_to<T: TotalOrder>(&self, x: &[T], k: usize, order: Order, last: T) -> Vec<Found<T>> {
        let last = rank_in(order, last);
        let part_len = (TASK_BYTES / size_of::<T>().max(1)).max(1);
        let mut found = vec![Found { before: Vec::new(), equal: Vec::new() }; x.len().div_ceil(part_len)];
        let parts = x.chunks(part_len).zip((0_u64..).step_by(part_len)).zip(&mut found);
        let helpers = self.threads_for(size_of_val(x)) - 1;
        let Ok(()) = share(self.pool.as_deref(), helpers, parts, |((x, start), found)| {
            for (&value, index) in x.iter().zip(start..) {
                let rank = rank_in(order, value);
                if rank < last {
                    found.before.push(At { index, value });
                } else if rank == last && found.equal.len() < k {
                    found.equal.push(At { index, value });
                }
            }
            Ok::<_, Infallible>(())
        });
        found
    }
}
