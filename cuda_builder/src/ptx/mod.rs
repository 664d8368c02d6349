//! PTX as text: turns the compiler's output for a crate into one tidy module per entry point.
//!
//! The driver compiles a whole module when any of its entries is used, about 20 ms for each, so a program should load
//! only what it runs. `item` cuts the text into declarations; `split` gives each entry the declarations that it needs;
//! `tidy` removes everything that does not follow from the sources; `share` stores the code of entries with equal code
//! only once.

mod item;
mod share;
mod split;
mod tidy;

pub(crate) use share::{Modules, share};
pub(crate) use split::split;
