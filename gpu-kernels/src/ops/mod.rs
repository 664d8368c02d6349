//! The operators. Each file is one family; each operator's first line says what it does with NaN.

mod arg;
mod exact;
mod extremum;
mod number;
mod order;
mod sum;

pub use arg::{ArgMax, ArgMin, At, Indexed};
pub use exact::{ExactSum, Total};
pub use extremum::{Max, Maximum, Min, Minimum};
pub use number::{Number, Wide};
pub use order::{Key, Ordered};
pub use sum::{Product, Sum};
