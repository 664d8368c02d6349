//! The table of laws, on the GPU.

use warpfold::*;
use warpfold_tests::golden::Backend;
use warpfold_tests::laws::Grouping::*;
use warpfold_tests::laws::Nan::*;
use warpfold_tests::laws::Order::*;
use warpfold_tests::laws::{Canonical, Law, copies};
use warpfold_tests::{Bits, Sample, cuda, for_each_law, law_tests};

struct OnGpu;

impl Backend for OnGpu {
    fn fold<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self, x: &[T]) -> String {
        cuda().reduce(O::default(), &cuda().upload(x).unwrap()).unwrap().bits()
    }
}

fn backend() -> OnGpu {
    OnGpu
}

for_each_law!(law_tests);

/// The kernels get an operator's parameters.
#[test]
fn parameters_reach_the_kernels() {
    let x = warpfold_tests::samples::<f32>(warpfold_tests::data::Family::Special, 9, 100_003);
    let device = cuda().upload(&x).unwrap();
    let stream = cuda().stream().unwrap();
    macro_rules! equal {
        ($op:expr) => {
            let expected = reference::reduce_by($op, &x).bits();
            assert_eq!(stream.reduce($op, &device).unwrap().bits(), expected, "{:?}", $op);
        };
    }
    equal!(Count { predicate: Above { threshold: 0.75f32 } });
    equal!(Count { predicate: Below { threshold: -0.75f32 } });
    equal!(Count { predicate: Within { ends: [-3.5f32, 12.25] } });
    equal!(CentredSquares { centre: 1.625f32 });
}
