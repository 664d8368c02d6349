//! Kernels of operators over formulas, and of operators that combine by one: kernels with marks, which a formula's text replaces.

use gpu_kernels::addresses::{Readable, Two};
use gpu_kernels::formula::{
    Body, Carry, Combined, Formula, Given, Junction, Mapped, Mark, Operation, Outcome, Program, Written,
};
use gpu_kernels::{Count, Op, Storable, bf16, f16};

use crate::kernel::family::{FoldEntries, RowsEntries, ScanEntries};
use crate::kernel::{Kernel, RowsKernel, ScanKernel};

/// The kernels `$marked` for the operator of the impl, with the formula `$body` where elements are lifted.
macro_rules! after {
    (FOLD of $marked:ty, $body:ident over $element:ty, $input:ty) => {{
        let marked = <$marked as Kernel<$element, $input>>::FOLD.cast();
        FoldEntries { partials: marked.partials, ..marked.after(Program::of::<$body>) }
    }};
    (ROWS of $marked:ty, $body:ident over $element:ty) => {{
        let marked = <$marked as RowsKernel<$element>>::ROWS.cast();
        RowsEntries { finish: marked.finish, ..marked.after(Program::of::<$body>) }
    }};
}

/// Operators over the results of a formula.
macro_rules! mapped {
    ($($element:ty),*) => { $(
        mapped! { @ $element, Readable<$element> }

        // SAFETY: as above.
        unsafe impl<O, B: Body<In: Given<Element = $element>>> RowsKernel<$element> for Mapped<O, Formula<B>>
        where
            B::Out: Carry<O, Over: Op<<B::Out as Outcome>::Scalar, Out: Storable>>,
            O: Copy + Send + Sync + 'static,
            Mapped<O, Mark<B::In, B::Out>>: RowsKernel<$element>,
        {
            const ROWS: RowsEntries<$element, Self> =
                after!(ROWS of Mapped<O, Mark<B::In, B::Out>>, B over $element);
        }

        // SAFETY: as above.
        unsafe impl<O, B: Body<In = $element>> ScanKernel<$element> for Mapped<O, Formula<B>>
        where
            B::Out: Carry<O, Over: Op<<B::Out as Outcome>::Scalar, Out: Storable>>,
            O: Copy + Send + Sync + 'static,
            Mapped<O, Mark<$element, B::Out>>: ScanKernel<$element>,
        {
            const SCAN: ScanEntries<$element, Self> =
                <Mapped<O, Mark<$element, B::Out>> as ScanKernel<$element>>::SCAN.cast().after(Program::of::<B>);
        }
    )* };
    (@ $given:ty, $input:ty) => {
        // SAFETY: the entries were stamped for the same operator over a mark, which has the layout of a formula. The formula's
        // text, or its program under the emulator, does in the mark's place what the formula does.
        unsafe impl<O, B: Body<In: Given<Element = $given>>> Kernel<$given, $input> for Mapped<O, Formula<B>>
        where
            B::Out: Carry<O>,
            O: Copy + Send + Sync + 'static,
            Mapped<O, Mark<B::In, B::Out>>: Kernel<$given, $input>,
        {
            const FOLD: FoldEntries<$input, $given, Self> =
                after!(FOLD of Mapped<O, Mark<B::In, B::Out>>, B over $given, $input);
        }
    };
}

macro_rules! over {
    ($($element:ty),*) => { $(
        mapped! { $element }
        mapped! { @ [$element; 2], Two<$element> }
        over! { @ $element, Readable<$element> }
        over! { @ [$element; 2], Two<$element> }

        // SAFETY: as above.
        unsafe impl<B: Body<In = $element, Out = bool>> RowsKernel<$element> for Count<Formula<B>> {
            const ROWS: RowsEntries<$element, Self> =
                after!(ROWS of Count<Mark<$element, bool>>, B over $element);
        }

        // SAFETY: as above.
        unsafe impl<B: Body<In = $element, Out = bool>> ScanKernel<$element> for Count<Formula<B>> {
            const SCAN: ScanEntries<$element, Self> =
                <Count<Mark<$element, bool>> as ScanKernel<$element>>::SCAN.cast().after(Program::of::<B>);
        }

        // SAFETY: the entries were stamped for the same operator with a junction. The operation's text, or its program under the
        // emulator, does in the junction's place what the operation does.
        unsafe impl<B: Operation<Number = $element>, const COMMUTES: bool> Kernel<$element> for Combined<Written<B>, COMMUTES>
        where
            Combined<Junction<$element>, COMMUTES>: Kernel<$element>,
        {
            const FOLD: FoldEntries<Readable<$element>, $element, Self> =
                <Combined<Junction<$element>, COMMUTES> as Kernel<$element>>::FOLD.cast().combining_by::<B>();
        }

        // SAFETY: as above.
        unsafe impl<B: Operation<Number = $element>, const COMMUTES: bool> RowsKernel<$element> for Combined<Written<B>, COMMUTES>
        where
            Combined<Junction<$element>, COMMUTES>: RowsKernel<$element>,
        {
            const ROWS: RowsEntries<$element, Self> =
                <Combined<Junction<$element>, COMMUTES> as RowsKernel<$element>>::ROWS.cast().combining_by::<B>();
        }

        // SAFETY: as above. A scan keeps the elements' order whether or not they commute.
        unsafe impl<B: Operation<Number = $element>, const COMMUTES: bool> ScanKernel<$element> for Combined<Written<B>, COMMUTES> {
            const SCAN: ScanEntries<$element, Self> =
                <Combined<Junction<$element>, false> as ScanKernel<$element>>::SCAN.cast().combining_by::<B>();
        }
    )* };
    (@ $given:ty, $input:ty) => {
        // SAFETY: as above.
        unsafe impl<B: Body<In = $given, Out = bool>> Kernel<$given, $input> for Count<Formula<B>> {
            const FOLD: FoldEntries<$input, $given, Self> =
                after!(FOLD of Count<Mark<$given, bool>>, B over $given, $input);
        }
    };
}
over!(i32, u32, i64, u64, f32, f64);
mapped!(f16, bf16);
