//! Reductions with the pairs of this run, found by their types. The table of laws and the golden vectors name every pair;
//! those whose turn it is not are not compiled.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::LazyLock;

use warpfold::kernels::Kernel;
use warpfold::{Element, Op};
use warpfold_tests::golden::Backend;
use warpfold_tests::{Bits, Sample, cuda, turn};

/// The device, with the pairs of this turn or, with the feature `catalogue`, all.
pub(super) struct Device {
    /// The most elements of a golden vector.
    pub(super) longest: u64,
}

impl Backend for Device {
    fn has<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self) -> bool {
        find::<T, O>().is_some()
    }

    fn longest(&self) -> u64 {
        self.longest
    }

    fn fold<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self, x: &[T]) -> String {
        let Some(fold) = find::<T, O>() else { panic!("{} is not in this turn", std::any::type_name::<O>()) };
        fold(O::default(), x)
    }
}

/// A reduction to the result's bits.
type Fold<T, O> = fn(O, &[T]) -> String;

/// Reductions by their types.
type ByType = HashMap<TypeId, Box<dyn Any + Send + Sync>>;

fn find<T: Element, O: Op<T>>() -> Option<&'static Fold<T, O>> {
    static FOLDS: LazyLock<ByType> = LazyLock::new(all);
    FOLDS.get(&TypeId::of::<Fold<T, O>>())?.downcast_ref()
}

fn fold<T: Element, O: Kernel<T> + Op<T, Out: Bits>>(op: O, x: &[T]) -> String {
    cuda().reduce(op, &cuda().upload(x).unwrap()).unwrap().bits()
}

const fn takes(row: &str) -> bool {
    cfg!(feature = "catalogue") || turn::takes_of_kernels(row)
}

fn all() -> ByType {
    let mut folds = ByType::new();
    macro_rules! add {
        ($($row:ident: $op:ty, $element:ty;)*) => { $(
            if const { takes(stringify!($row)) } {
                let found: Fold<$element, $op> = fold;
                folds.insert(found.type_id(), Box::new(found));
            }
        )* };
    }
    #[cfg(feature = "catalogue")]
    gpu_kernels::for_each_kernel!(add);
    #[cfg(not(feature = "catalogue"))]
    warpfold_tests::for_each_sampled_kernel!(add);
    macro_rules! add {
        ($($row:ident: $op:ty, $element:ty;)*) => { $(
            let found: Fold<$element, $op> = fold;
            folds.insert(found.type_id(), Box::new(found));
        )* };
    }
    test_kernels::for_each_test_kernel!(add);
    folds
}
