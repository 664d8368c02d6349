//! The recursive reference keeps every row of the table of laws. The CPU backend, the kernels under the emulator and the
//! GPU are tested by the same table in `cpu.rs`, `kernels.rs` and `gpu.rs`.
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
