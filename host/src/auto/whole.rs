//! Reductions of whole arrays: on the CPU, or on a device if `Auto` is asked.

use gpu_kernels::Op;

use crate::arrays::AsElements;
use crate::cpu::Cpu;
use crate::error::Error;
use crate::float_environment::finish_with;
use crate::input::{AfterElement, AfterFold, after_fold};
use crate::verb::{Backend, Reduce};

impl<S: AsElements + ?Sized, O: Op<S::Element>> Backend<Reduce<O, &S>> for Cpu {
    type Results = O::Out;

    fn run(&self, Reduce { op, input }: Reduce<O, &S>) -> Result<O::Out, Error> {
        self.reduce_slice(op, &input.try_elements()?)
    }

    fn run_anywhere(&self, Reduce { op, input }: Reduce<O, &S>) -> Result<O::Out, Error> {
        super::reduce_slice(self, op, &input.try_elements()?)
    }
}

impl<A, X: AsElements + ?Sized, O: Op<X::Element, Acc = A>> Backend<Reduce<O, AfterFold<A, &X>>> for Cpu {
    type Results = O::Out;

    fn run(&self, Reduce { op, input }: Reduce<O, AfterFold<A, &X>>) -> Result<O::Out, Error> {
        let x = input.x.try_elements()?;
        finish_with::<X::Element, O>(input.init, input.before, self.fold_slice(op, &x)?, x.len() as u64)
    }

    fn run_anywhere(&self, Reduce { op, input }: Reduce<O, AfterFold<A, &X>>) -> Result<O::Out, Error> {
        let x = input.x.try_elements()?;
        finish_with::<X::Element, O>(
            input.init,
            input.before,
            super::fold_slice(self, op, &x)?,
            x.len() as u64,
        )
    }
}

impl<X: AsElements + ?Sized, O: Op<X::Element>> Backend<Reduce<O, AfterElement<X::Element, &X>>> for Cpu {
    type Results = O::Out;

    fn run(&self, request: Reduce<O, AfterElement<X::Element, &X>>) -> Result<O::Out, Error> {
        self.run(lifted(request))
    }

    fn run_anywhere(&self, request: Reduce<O, AfterElement<X::Element, &X>>) -> Result<O::Out, Error> {
        self.run_anywhere(lifted(request))
    }
}

/// Folds the initial element.
fn lifted<X: AsElements + ?Sized, O: Op<X::Element>>(
    Reduce { op, input }: Reduce<O, AfterElement<X::Element, &X>>,
) -> Reduce<O, AfterFold<O::Acc, &X>> {
    Reduce { op, input: after_fold(op.lift(input.init, 0), 1, input.x) }
}
