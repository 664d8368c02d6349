//! Kernels of operators over formulas: kernels with marks, which a formula's text replaces.

use gpu_kernels::addresses::{Readable, Two};
use gpu_kernels::formula::{Body, Carry, Formula, Mapped, Mark, Outcome, Program};
use gpu_kernels::{Count, Op, Storable};

use crate::kernel::family::{FoldEntries, RowsEntries};
use crate::kernel::{Kernel, RowsKernel};

/// The kernels `$marked` for the operator `$op`, with the formula `$body`.
macro_rules! after {
    (FOLD of $marked:ty, $body:ident over $element:ty, $input:ty) => {{
        let FoldEntries { block, grid, partials } = <$marked as Kernel<$element, $input>>::FOLD.cast();
        let formula = Program::of::<$body>;
        FoldEntries { block: block.after(formula), grid: grid.after(formula), partials }
    }};
    (ROWS of $marked:ty, $body:ident over $element:ty) => {{
        let rows = <$marked as RowsKernel<$element>>::ROWS.cast();
        let formula = Program::of::<$body>;
        RowsEntries {
            by_lanes: rows.by_lanes.after(formula),
            by_lanes_unaligned: rows.by_lanes_unaligned.after(formula),
            by_warp: rows.by_warp.after(formula),
            by_warp_unaligned: rows.by_warp_unaligned.after(formula),
            by_tile: rows.by_tile.after(formula),
            by_tiles: rows.by_tiles.after(formula),
            by_block: rows.by_block.after(formula),
            columns: rows.columns.after(formula),
            columns_unaligned: rows.columns_unaligned.after(formula),
            columns_of_few: rows.columns_of_few.after(formula),
            columns_of_few_unaligned: rows.columns_of_few_unaligned.after(formula),
            segments: rows.segments.after(formula),
            short_segments: rows.short_segments.after(formula),
            finish: rows.finish,
        }
    }};
}

macro_rules! over {
    ($($element:ty),*) => { $(
        over! { @ $element, Readable<$element> }
        over! { @ [$element; 2], Two<$element> }

        // SAFETY: as above.
        unsafe impl<O, B: Body<In = $element>> RowsKernel<$element> for Mapped<O, Formula<B>>
        where
            B::Out: Carry<O, Over: Op<<B::Out as Outcome>::Scalar, Out: Storable>>,
            O: Copy + Send + Sync + 'static,
            Mapped<O, Mark<$element, B::Out>>: RowsKernel<$element>,
        {
            const ROWS: RowsEntries<$element, Self> =
                after!(ROWS of Mapped<O, Mark<$element, B::Out>>, B over $element);
        }

        // SAFETY: as above.
        unsafe impl<B: Body<In = $element, Out = bool>> RowsKernel<$element> for Count<Formula<B>> {
            const ROWS: RowsEntries<$element, Self> =
                after!(ROWS of Count<Mark<$element, bool>>, B over $element);
        }
    )* };
    (@ $given:ty, $input:ty) => {
        // SAFETY: the entries were stamped for the same operator over a mark, which has the layout of a formula. The formula's
        // text, or its program under the emulator, does in the mark's place what the formula does.
        unsafe impl<O, B: Body<In = $given>> Kernel<$given, $input> for Mapped<O, Formula<B>>
        where
            B::Out: Carry<O>,
            O: Copy + Send + Sync + 'static,
            Mapped<O, Mark<$given, B::Out>>: Kernel<$given, $input>,
        {
            const FOLD: FoldEntries<$input, $given, Self> =
                after!(FOLD of Mapped<O, Mark<$given, B::Out>>, B over $given, $input);
        }

        // SAFETY: as above.
        unsafe impl<B: Body<In = $given, Out = bool>> Kernel<$given, $input> for Count<Formula<B>> {
            const FOLD: FoldEntries<$input, $given, Self> =
                after!(FOLD of Count<Mark<$given, bool>>, B over $given, $input);
        }
    };
}
over!(i32, u32, i64, u64, f32, f64);
