//! The recursive reference satisfies every row of the table of laws. The same table tests the CPU backend
//! (`cpu/`), the kernels under the emulator (`kernels.rs`) and the GPU (`gpu_reduce/`).
#![allow(missing_docs)]

use warpfold::*;
use warpfold_tests::golden::Backend;
use warpfold_tests::laws::Grouping::*;
use warpfold_tests::laws::Nan::*;
use warpfold_tests::laws::Order::*;
use warpfold_tests::laws::{Canonical, Law, copies};
use warpfold_tests::{Bits, Sample, for_each_law, law_tests};

struct Reference;

impl Backend for Reference {
    fn fold<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self, x: &[T]) -> String {
        reference::reduce::<T, O>(x).bits()
    }
}

fn backend() -> Reference {
    Reference
}

for_each_law!(law_tests);
