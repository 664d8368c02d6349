//! The parameters of kernels: one struct for all kernels that are stamped from one generic body.
//!
//! A field is a parameter, declared here and nowhere else. The generic body in `raw` takes the struct and says what its fields
//! mean; entry points ([`cuda_std::kernel!`]), launches and tests name the struct. `T` is an element, `O` the operator and `W` a
//! word that is moved.

mod compact;
mod fold;
mod forward;
mod groups;
mod histogram;
#[cfg(feature = "ladder")]
pub mod ladder;
mod radix;
mod rows;
mod scan;
mod segments;
mod select;
mod sort;

pub use compact::{Compact, CompactByFlags, CompactByFormula, Pack, Unique};
pub use fold::{Block, Canary, Finish, Grid, Partials};
pub use forward::{CrossEntropyGradient, Logarithms, Norm, NormGradient, Softmax, SoftmaxGradient};
pub use groups::{
    CountRuns, Gather, GroupAccumulators, GroupsByAtomics, Histogram, Places, Scatter, Sums, Totals,
    WriteRuns,
};
pub use histogram::Bins;
pub use radix::{RadixDigits, RadixPass, RadixStarts};
pub use rows::{Columns, ColumnsOfFew, RowsByParts, WholeRows};
pub use scan::{Scan, ScanSegments, ScanSegmentsList, ScanShortSegments};
pub use segments::{Segments, SegmentsList, ShortSegments};
pub use select::{Digits, Filter, FirstOfParts, FirstOfSlices, Pick, Sample};
pub use sort::{SortCount, SortLeaf, SortLists, SortParts, SortPivots, SortScatter, SortShort};
