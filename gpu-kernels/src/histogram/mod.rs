//! Histograms: how many elements are in each bin. One launch reads each element once.
//!
//! An element's *rank* is an unsigned word that ascends in the order of numbers (`select::keys`). A bin is an interval of ranks, and
//! bins follow each other: `lows` has the least rank of each. Beside the bins there are three more *places*: for elements below the
//! first bin, above the last one, and for NaN.
//!
//! **The bin is decided by comparisons of ranks.** Where bins are even, a product guesses it (`guess`), and says how far it may err. Only
//! an element that is so near to a bin's end is compared with it. So the CPU, which guesses in another way, finds the same bin.
//!
//! **The counters** lie where there is room for them (`counters`):
//!
//! | kernel | counters | for |
//! |---|---|---|
//! | `<entry>_histogram` | a block's shared memory, several for each place | up to [`FEW`](shapes::FEW) places |
//! | `<entry>_histogram_halves` | all shared memory that a block may have, two bytes for each place | as many as it holds |
//! | `<entry>_histogram_wide` | global memory | any number |
//!
//! `<entry>_histogram_places` counts nothing: it writes the place of each element, by which elements are grouped then.
//!
//! **The bits** do not depend on timing: counts are integers, so any order of additions gives the same.

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod counters;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod entry;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod guess;
pub mod position;
pub mod shapes;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod tile;
