//! Inputs of reductions: one array, two arrays side by side, or the parts of one array.
//!
//! An input is a value that says where the elements are and how they are divided. It names no backend: a
//! [`Backend`](crate::verb::Backend) says which inputs of a verb it takes, and checks them.

mod after;
mod along;
mod binned;
mod by_key;
mod chunks;
mod columns;
mod groups;
mod padded;
mod rows;
mod runs;
mod segments;
mod windows;
mod zip;

pub use after::{AfterElement, AfterFold, after_element, after_fold};
pub use along::{Along, along};
pub use binned::{Binned, binned};
pub use by_key::{ByKey, by_key};
pub use chunks::{Chunks, chunks};
pub use columns::{Columns, columns};
pub use groups::{Groups, groups};
pub use padded::{Padded, padded};
pub use rows::{Rows, rows};
pub use runs::{Runs, runs};
pub use segments::{Segments, segments};
pub use windows::{Windows, windows};
pub use zip::{Zip, zip};
