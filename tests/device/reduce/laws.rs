//! The table of laws, on the device.

use warpfold::*;
use warpfold_tests::laws::Grouping::*;
use warpfold_tests::laws::Nan::*;
use warpfold_tests::laws::Order::*;
use warpfold_tests::laws::{Canonical, Law, copies};
use warpfold_tests::{Bits, cuda, for_each_law, law_tests};

use super::pairs::Device;

fn backend() -> Device {
    Device { longest: u64::MAX }
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
            for n in [1, 1000, x.len()] {
                let expected = reference::reduce_by($op, &x[..n]).bits();
                let found = stream.reduce($op, &device.slice(..n).unwrap()).unwrap().bits();
                assert_eq!(found, expected, "{:?}, {n}", $op);
            }
        };
    }
    equal!(Count { predicate: Above { threshold: 0.75f32 } });
    equal!(Count { predicate: Below { threshold: -0.75f32 } });
    equal!(Count { predicate: Within { ends: [-3.5f32, 12.25] } });
    equal!(CentredSquares { centre: 1.625f32 });
}
