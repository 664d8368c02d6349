//! Kernels for usize and isize, where these have 64 bits: those of u64 and i64.

use gpu_kernels::{OfNativeIntegers, Op, Storable};

use crate::{Entry, Kernel, RowsKernel, ScanKernel, arguments};

/// Takes the constants from the kernels over another element, each with its arguments.
macro_rules! those_of {
    ($kernel:ident<$other:ty>: $($entry:ident takes $arguments:ident<$($parameter:ty),*>;)*) => { $(
        const $entry: Entry<arguments::$arguments<$($parameter),*>> = <O as $kernel<$other>>::$entry.cast();
    )* };
}

macro_rules! native {
    ($($native:ty, $fixed:ty;)*) => { $(
        // SAFETY: the entries were stamped for an element of the same layout, and `OfNativeIntegers` guarantees that
        // the operator does the same with both.
        unsafe impl<O> Kernel<$native> for O
        where
            O: OfNativeIntegers + Kernel<$fixed> + Op<$native, Acc = <O as Op<$fixed>>::Acc>,
        {
            those_of! { Kernel<$fixed>:
                BLOCK takes Block<*const $native, $native, O>;
                GRID takes Grid<*const $native, $native, O>;
                PARTIALS takes Partials<$native, O>;
            }
        }

        // SAFETY: as above.
        unsafe impl<O> RowsKernel<$native> for O
        where
            O: OfNativeIntegers + RowsKernel<$fixed> + Op<$native, Acc = <O as Op<$fixed>>::Acc, Out: Storable>,
        {
            those_of! { RowsKernel<$fixed>:
                BY_LANES takes WholeRows<$native, O>;
                BY_LANES_UNALIGNED takes WholeRows<$native, O>;
                BY_WARP takes RowsByParts<$native, O>;
                BY_WARP_UNALIGNED takes RowsByParts<$native, O>;
                BY_TILE takes WholeRows<$native, O>;
                BY_TILES takes WholeRows<$native, O>;
                BY_BLOCK takes RowsByParts<$native, O>;
                COLUMNS takes Columns<$native, O>;
                COLUMNS_UNALIGNED takes Columns<$native, O>;
                COLUMNS_OF_FEW takes ColumnsOfFew<$native, O>;
                COLUMNS_OF_FEW_UNALIGNED takes ColumnsOfFew<$native, O>;
                SEGMENTS takes Segments<$native, O>;
                SHORT_SEGMENTS takes ShortSegments<$native, O>;
                FINISH takes Finish<$native, O>;
            }
        }

        // SAFETY: as above.
        unsafe impl<O> ScanKernel<$native> for O
        where
            O: OfNativeIntegers + ScanKernel<$fixed> + Op<$native, Acc = <O as Op<$fixed>>::Acc, Out: Storable>,
        {
            those_of! { ScanKernel<$fixed>:
                SCAN takes Scan<$native, O>;
                SCAN_SEGMENTS takes ScanSegments<$native, O>;
                SCAN_SHORT_SEGMENTS takes ScanShortSegments<$native, O>;
            }
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
    use crate::{ArgMax, Max, Mean};

    #[test]
    fn words_of_the_machine_have_the_kernels_of_their_size() {
        let is_at = |ours: Entry, theirs: Entry| assert!(ours.is_at(&theirs), "{}", ours.name);
        is_at(<ArgMax as Kernel<usize>>::GRID.untyped(), <ArgMax as Kernel<u64>>::GRID.untyped());
        is_at(<Mean as RowsKernel<isize>>::FINISH.untyped(), <Mean as RowsKernel<i64>>::FINISH.untyped());
        is_at(<Max as ScanKernel<isize>>::SCAN.untyped(), <Max as ScanKernel<i64>>::SCAN.untyped());
    }
}
