//! PTX as text: what the compiler wrote for a crate becomes one tidy module for each entry point.
//!
//! The driver compiles a whole module when any of its entries is used, about 20 ms for each, so a program
//! should load only what it runs. `item` cuts the text into declarations, `split` gives each entry those it
//! needs, `tidy` removes from the text what does not depend on the sources alone, `share` keeps once what several entries
//! have in common: all of their code.

mod item;
mod share;
mod split;
mod tidy;

pub(crate) use share::{Modules, share};
pub(crate) use split::split;
