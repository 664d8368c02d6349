//! Free operators, whose result does not depend on the tree: integer sums and products, which wrap, and extremes, which
//! compare integers. They are folded left to right at the speed of memory. The compiler may regroup such a loop, and
//! does so, which it cannot for a float sum.

use gpu_kernels::{Element, Op};

use super::processor;

/// Bytes that are folded before the next bytes are prefetched.
/// [2-core EPYC, AVX-512, while other programs ran, Sum of i32, and Max of f32, 2^26 from memory: 23.1 and 23.2 ms
/// without, 14.3 and 17.6 with 8 KiB, 20.7 and 25.9 with 4; of 2^15: 1.41 and 1.39 us without, 1.46 and 1.45 with 8.]
const PAGE: usize = 8192;

/// Folds `x`, whose first element has index `base`, left to right. Inlined, so that it is compiled for its caller's
/// processor features.
#[inline(always)]
pub(super) fn fold<T: Element, O: Op<T>>(op: O, x: &[T], base: u64) -> O::Acc {
    let page = (PAGE / size_of::<T>()).max(1);
    let mut all = O::IDENTITY;
    for (page, base) in x.chunks(page).zip((base..).step_by(page)) {
        processor::touch_after(page);
        let acc = op.append_slice(O::IDENTITY, page, base);
        all = O::combine(all, acc);
    }
    all
}
