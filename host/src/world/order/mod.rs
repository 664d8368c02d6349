//! Operations on elements of all ranks by their total order: sorts, and selection by position.

mod candidates;
mod quantiles;
mod select;
mod sort;
mod top;
