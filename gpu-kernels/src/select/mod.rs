//! Selection: the first `k` elements in an order, and counts of digits, by which the element at any place is found.
//!
//! An element's *rank* is an unsigned word that ascends in the given order (`keys`). Elements are ordered by the pair of rank
//! and index, so no two are equal, and the selected set is unique, whatever warp is first.
//!
//! | kernel | purpose |
//! |---|---|
//! | `select_sample` | writes the first pair of each group of a sample (`sample`) |
//! | `select_pick` | finds the `k`-th of some pairs, or sorts the first `k`, by one block (`pick`) |
//! | `<entry>_filter` | compacts the elements within an interval of the order (`filter`) |
//! | `<entry>_digits` | counts elements within an interval by a digit (`digits`) |
//! | `<entry>_first_*` | find the first elements of parts ([`parts`]) |
//!
//! **The first few** take one pass over all elements. The groups of a sample are disjoint, so at least `k` elements are not
//! behind the `k`-th of the groups' first pairs; this bound holds for any input. How many more elements there are up to the
//! bound depends on the input: about `k` pieces have some. If there are more than there is room for, the other way is taken.
//!
//! **An element at any place**, and the first many: the digits of the rank are counted, from the highest on. The elements with
//! the same digit as the wanted one become candidates, and so on until its rank is known. This is a radix selection; for any
//! input it takes at most as many passes over the elements as ranks have digits.

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod digits;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod filter;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod keys;
pub mod parts;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod pick;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod sample;
pub mod shapes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub(crate) mod walk;
