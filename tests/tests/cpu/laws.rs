//! The table of laws, on the CPU.

use std::any::{self, TypeId};
use std::collections::HashMap;
use std::sync::LazyLock;

use warpfold::kernels::Kernel;
use warpfold::*;
use warpfold_tests::golden::Backend;
use warpfold_tests::laws::Grouping::*;
use warpfold_tests::laws::Nan::*;
use warpfold_tests::laws::Order::*;
use warpfold_tests::laws::{Canonical, Law, copies};
use warpfold_tests::{Bits, Sample, for_each_law, in_turn, law_tests};

/// A reduction of one pair, compiled if the catalogue's pair is in this turn.
type Fold<T, O> = fn(O, &[T]) -> String;

fn fold<T: Element, O: Op<T, Out: Bits>>(op: O, x: &[T]) -> String {
    Cpu::new().reduce(op, x).unwrap().bits()
}

/// The reductions of this turn, by their types.
static FOLDS: LazyLock<HashMap<TypeId, Box<dyn any::Any + Send + Sync>>> = LazyLock::new(|| {
    macro_rules! rows {
        ($($row:ident: $op:ty, $element:ty;)*) => {{
            let folds: [Option<Box<dyn any::Any + Send + Sync>>; _] =
                [$( in_turn!($row => Box::new(fold::<$element, $op> as Fold<$element, $op>)) ),*];
            folds.into_iter().flatten().map(|fold| ((*fold).type_id(), fold)).collect()
        }};
    }
    gpu_kernels::for_each_kernel!(rows)
});

struct OnCpu;

impl OnCpu {
    fn find<T: Element + 'static, O: Op<T>>() -> Option<&'static Fold<T, O>> {
        FOLDS.get(&TypeId::of::<Fold<T, O>>())?.downcast_ref()
    }
}

impl Backend for OnCpu {
    fn has<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self) -> bool {
        Self::find::<T, O>().is_some()
    }

    fn fold<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self, x: &[T]) -> String {
        Self::find::<T, O>().expect("a pair of this turn")(O::default(), x)
    }
}

fn backend() -> OnCpu {
    OnCpu
}

for_each_law!(law_tests);
