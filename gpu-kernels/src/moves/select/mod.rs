//! Selection: the first `k` elements in an order, and how many elements have which digits, by which one at any place is found.
//!
//! An element's *rank* is an unsigned word that ascends in the order wanted (`keys`), and elements are ordered by the pair of
//! rank and index, so no two are equal: what is selected is one set, whatever warp is first.
//!
//! | kernel | does |
//! |---|---|
//! | `select_sample` | writes the first pair of each group of a sample (`sample`) |
//! | `select_pick` | finds the `k`-th of some pairs, by one block, or sorts the first `k` (`pick`) |
//! | `<row>_filter` | brings the elements within a stretch of the order together (`filter`) |
//! | `<row>_digits` | counts elements within a stretch by a digit (`digits`) |
//!
//! **The first few** take one look at all elements. The groups of a sample are apart, so `k` elements at least are not behind
//! the `k`-th of the groups' first pairs: this bound holds on any input. How many more there are depends on the input, about as
//! many pieces as `k` have some, and if there are more than there is room for, the other way is taken.
//!
//! **An element at any place**, and the first many: digits of the rank from the highest on are counted, those with the
//! digit of the wanted one become candidates, and so on until its rank is known. It is a radix selection, of as many looks
//! at the elements as ranks have digits at most, whatever the input.

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod digits;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod filter;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod keys;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod pick;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod sample;
pub mod shape;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod walk;
