//! Minima and maxima of every pair of special floats by the kernels, under the emulator: all pairs as rows of two.
#![allow(missing_docs)]

use cuda_std::emulator::Launch;
use gpu_kernels::arguments::WholeRows;
use gpu_kernels::entry::rows as entry;
use warpfold::{Max, Maximum, Min, Minimum, bf16, f16};
use warpfold_tests::extremes::{Float, OfPairs, check};
use warpfold_tests::poison;

fn pairs<T: Float, O: OfPairs<T>>(kernel: unsafe fn(WholeRows<T, O>), x: &[T]) -> Vec<Option<T>> {
    let mut out = poison::<O::Acc>(x.len() / 2);
    let (input, rows) = (x.as_ptr(), out.len() as u64);
    let arguments = WholeRows { input, rows, len: 2, pitch: 2, out: out.as_mut_ptr(), op: O::default() };
    Launch::new(2, 64)
        .register(x)
        .register(&raw const out[..])
        // SAFETY: both live as long as the launch, and the lengths are theirs.
        .run(|| unsafe { kernel(arguments) })
        .expect("rows of two");
    out.into_iter().map(|acc| O::finish(acc, 2)).collect()
}

#[test]
fn extremes_of_special_values_are_the_standards() {
    macro_rules! each {
        ($($row:ident: $which:literal, $op:ty, $float:ty;)*) => { $(
            check::<$float, $op>($which, |x| pairs::<$float, $op>(entry::$row::by_lanes_unaligned, x));
        )* };
    }
    each! {
        reduce_minimum_f16: 0, Minimum, f16; reduce_maximum_f16: 1, Maximum, f16;
        reduce_min_f16: 2, Min, f16; reduce_max_f16: 3, Max, f16;
        reduce_minimum_bf16: 0, Minimum, bf16; reduce_maximum_bf16: 1, Maximum, bf16;
        reduce_min_bf16: 2, Min, bf16; reduce_max_bf16: 3, Max, bf16;
        reduce_minimum_f32: 0, Minimum, f32; reduce_maximum_f32: 1, Maximum, f32;
        reduce_min_f32: 2, Min, f32; reduce_max_f32: 3, Max, f32;
        reduce_minimum_f64: 0, Minimum, f64; reduce_maximum_f64: 1, Maximum, f64;
        reduce_min_f64: 2, Min, f64; reduce_max_f64: 3, Max, f64;
    }
}
