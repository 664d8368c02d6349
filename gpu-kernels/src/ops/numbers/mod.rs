//! What operators know of an element as a number: the type that carries its sums, how a result is rounded, and how it is ordered.

pub(super) mod dividend;
mod float16;
mod moments;
pub(super) mod nan_greatest;
pub(super) mod number;
pub(super) mod order;
mod ratio;
pub(super) mod real;
pub(super) mod rounded;
pub(super) mod spread;
mod square_sums;
pub(super) mod squares;
pub(super) mod total_order;
pub(super) mod wide;

pub use dividend::Dividend;
pub use moments::Moments;
pub use nan_greatest::NanGreatest;
pub use number::{CarriedIn, Number};
pub use order::{Key, Ordered};
pub use real::{Float, Real};
pub use spread::Spread;
pub use squares::Squares;
pub use total_order::{Rank, TotalOrder};
pub use wide::Wide;
