//! Kernels for usize and isize where these have 64 bits: the kernels for u64 and i64.

use gpu_kernels::addresses::Readable;
use gpu_kernels::{OfNativeIntegers, Op, Storable};

use crate::kernel::family::{FoldEntries, GroupEntries, RowsEntries, ScanEntries};
use crate::kernel::{Kernel, RowsKernel, ScanKernel};

macro_rules! native {
    ($($native:ty, $fixed:ty;)*) => { $(
        // SAFETY: the entries were stamped for an element of the same layout, and `OfNativeIntegers` guarantees that
        // the operator does the same with both.
        unsafe impl<O> Kernel<$native> for O
        where
            O: OfNativeIntegers + Kernel<$fixed> + Op<$native, Acc = <O as Op<$fixed>>::Acc>,
        {
            const FOLD: FoldEntries<Readable<$native>, $native, O> = <O as Kernel<$fixed>>::FOLD.cast();
        }

        // SAFETY: as above.
        unsafe impl<O> RowsKernel<$native> for O
        where
            O: OfNativeIntegers + RowsKernel<$fixed> + Op<$native, Acc = <O as Op<$fixed>>::Acc, Out: Storable>,
        {
            const ROWS: RowsEntries<$native, O> = <O as RowsKernel<$fixed>>::ROWS.cast();
            const GROUPS: Option<GroupEntries<$native, O>> = match <O as RowsKernel<$fixed>>::GROUPS {
                Some(entries) => Some(entries.cast()),
                None => None,
            };
        }

        // SAFETY: as above.
        unsafe impl<O> ScanKernel<$native> for O
        where
            O: OfNativeIntegers + ScanKernel<$fixed> + Op<$native, Acc = <O as Op<$fixed>>::Acc, Out: Storable>,
        {
            const SCAN: ScanEntries<$native, O> = <O as ScanKernel<$fixed>>::SCAN.cast();
        }
    )* };
}
native! {
    usize, u64;
    isize, i64;
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use gpu_kernels::{ArgMax, Max, Mean};

    use crate::kernel::entry::Entry;

    #[test]
    fn words_of_the_machine_have_the_kernels_of_their_size() {
        let is_at = |ours: Entry, theirs: Entry| assert!(ours.is_at(&theirs), "{}", ours.name);
        is_at(<ArgMax as Kernel<usize>>::FOLD.grid.untyped(), <ArgMax as Kernel<u64>>::FOLD.grid.untyped());
        is_at(
            <Mean as RowsKernel<isize>>::ROWS.finish.untyped(),
            <Mean as RowsKernel<i64>>::ROWS.finish.untyped(),
        );
        is_at(
            <Max as ScanKernel<isize>>::SCAN.array.untyped(),
            <Max as ScanKernel<i64>>::SCAN.array.untyped(),
        );
    }
}
