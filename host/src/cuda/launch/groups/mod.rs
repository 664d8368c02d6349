//! The launches that fold groups by atomics, or sort elements by group, and the launches that find runs of equal keys.

pub(in crate::cuda::launch) mod atomics;
pub(in crate::cuda::launch) mod partition;
pub(in crate::cuda::launch) mod runs;
pub(in crate::cuda::launch) mod totals;
