//! All elements of one array.

use gpu_kernels::Op;

use super::Input;
use crate::{AsElements, Auto, Cpu, Error};

impl<S: AsElements + ?Sized, O: Op<S::Element>> Input<O> for &S {
    type Results = O::Out;

    fn reduce_on_cpu(self, cpu: &Cpu, op: O) -> Result<O::Out, Error> {
        cpu.reduce_slice(op, &self.try_elements()?)
    }

    fn reduce_anywhere(self, auto: &Auto, op: O) -> Result<O::Out, Error> {
        auto.reduce_slice(op, &self.try_elements()?)
    }
}
