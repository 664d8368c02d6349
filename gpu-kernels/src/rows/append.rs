//! A thread's fold of a wave.

use cuda_std::thread::unknown;
use warpfold_exact::unrolled;

use super::loads::Loads;
use super::waves::{Wave, stride};
use crate::op::{Element, Op};
use crate::source::Packed;
use crate::tree::RUN;

/// Folds a wave into this thread's lanes, each left to right.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn append<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    op: O,
    accs: &mut [O::Acc; V],
    mut loaded: [R::Elements; RUN],
    wave: Wave,
) {
    let mut own = wave.own::<T, O>();
    // The code that combines large accumulators is long, so it stands once for all loads.
    if !O::COMMUTATIVE || size_of::<O::Acc>() <= 8 {
        unrolled!(i < RUN, up to 4 => {
            let first = own + stride::<T, O>() * i as u32;
            if first < wave.len {
                let elements = loaded[i].elements();
                unrolled!(v < V => {
                    let (lane, at) = (if O::COMMUTATIVE { v } else { (V * i + v) / RUN }, first + v as u32);
                    if R::ARE_WHOLE || at < wave.len {
                        accs[lane] = op.append(accs[lane], elements[v], wave.unit + u64::from(at));
                    }
                });
            }
        });
        return;
    }
    let mut i = 0;
    while i < RUN as u32 && own < wave.len {
        let elements = loaded[0].elements();
        if R::ARE_WHOLE && O::LEAVES_OUT {
            op.append_columns(accs, [elements], wave.unit + u64::from(own), 0);
        } else {
            unrolled!(v < V => {
                let at = own + v as u32;
                if R::ARE_WHOLE || at < wave.len {
                    accs[v] = op.append(accs[v], elements[v], wave.unit + u64::from(at));
                }
            });
        }
        // The loads move up too, since registers cannot be indexed.
        loaded = core::array::from_fn(|i| loaded[(i + 1).min(RUN - 1)]);
        own += stride::<T, O>();
        i = unknown(i + 1);
    }
}

/// Folds a wave into one accumulator for all lanes, for a [free](crate::is_free) operator.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn append_free<T: Element, O: Op<T>, R: Loads<T, V>, const V: usize>(
    op: O,
    mut acc: O::Acc,
    mut loaded: [R::Elements; RUN],
    wave: Wave,
) -> O::Acc {
    let mut own = wave.own::<T, O>();
    if wave.is_whole::<T, O>() {
        let first = wave.unit + u64::from(own);
        return op.append_rows(acc, loaded.map(Packed::elements), first, u64::from(stride::<T, O>()));
    }
    let mut i = 0;
    while i < RUN as u32 && own < wave.len {
        let (elements, first) = (loaded[0].elements(), wave.unit + u64::from(own));
        if R::ARE_WHOLE || own + V as u32 <= wave.len {
            acc = op.append_rows(acc, [elements], first, 0);
        } else {
            unrolled!(v < V => {
                if own + (v as u32) < wave.len {
                    acc = op.append(acc, elements[v], first + v as u64);
                }
            });
        }
        loaded = core::array::from_fn(|i| loaded[(i + 1).min(RUN - 1)]);
        own += stride::<T, O>();
        i = unknown(i + 1);
    }
    acc
}
