//! The operators. Each file is one family; each operator's first line says what it does with NaN.

mod arg;
mod extremum;
mod float16;
mod number;
mod order;
mod sum;
mod wide;

pub use arg::{ArgMax, ArgMin, At};
pub use extremum::{Max, Maximum, Min, Minimum};
pub use number::{CarriedIn, Number};
pub use order::{Key, Ordered};
pub use sum::{Product, ProductIn, Sum, SumIn};
pub use wide::Wide;
