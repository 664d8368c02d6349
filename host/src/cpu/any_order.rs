//! Free operators, whose result does not depend on the tree: integer sums and products, which wrap, and extremes, which
//! compare integers. They are folded left to right at the speed of memory. The compiler may regroup such a loop, and
//! does so, which it cannot for a float sum.

use gpu_kernels::{Element, Op};

use super::processor;

/// Bytes that are folded before the next bytes are prefetched. From memory this is faster than 4 KiB, and than no
/// prefetch (docs/tuning/cpu.md).
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
