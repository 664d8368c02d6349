//! The obvious fold of the arrays of all ranks, element by element.

use warpfold::{Element, Op};

/// Folds in pairs of neighbours; an odd one is carried.
fn pairs<T: Element, O: Op<T>>(accs: &[O::Acc]) -> O::Acc {
    match accs {
        [] => O::IDENTITY,
        &[acc] => acc,
        accs => {
            let pair = |pair: &[O::Acc]| if pair.len() == 2 { O::combine(pair[0], pair[1]) } else { pair[0] };
            pairs::<T, O>(&accs.chunks(2).map(pair).collect::<Vec<_>>())
        }
    }
}

/// The folds of the elements at each place.
pub fn reference<T: Element, O: Op<T>>(op: O, arrays: &[impl AsRef<[T]>]) -> Vec<O::Out> {
    let at = |place: usize| {
        let accs: Vec<_> = arrays.iter().zip(0..).map(|(x, rank)| op.lift(x.as_ref()[place], rank)).collect();
        O::finish(pairs::<T, O>(&accs), arrays.len() as u64)
    };
    (0..arrays[0].as_ref().len()).map(at).collect()
}
