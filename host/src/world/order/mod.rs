//! Elements of all ranks by their total order: sorted, or found by their place in the sorted sequence.

mod candidates;
mod quantiles;
mod select;
mod sort;
mod top;
