//! The recursive reference satisfies every row of the table of laws. The same table tests the CPU backend
//! (`cpu/`), and the kernels (`tests/device/reduce/laws.rs`). Here the elements of a row take
//! turns.

use warpfold::kernels::Kernel;
use warpfold::*;
use warpfold_tests::golden::Backend;
use warpfold_tests::laws::Grouping::*;
use warpfold_tests::laws::Nan::*;
use warpfold_tests::laws::Order::*;
use warpfold_tests::laws::{Canonical, Law, check, copies};
use warpfold_tests::{Bits, Sample, for_each_law, turn};

struct Reference;

impl Backend for Reference {
    fn fold<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self, x: &[T]) -> String {
        reference::reduce::<T, O>(x).bits()
    }
}

macro_rules! tests {
    ($($row:ident: $op:ty, [$($element:ty),*], $law:expr;)*) => { $(
        #[test]
        fn $row() {
            const ELEMENTS: &[&str] = &[$( stringify!($element) ),*];
            $( if const { turn::is_next_of(ELEMENTS, stringify!($element)) } {
                type T = $element;
                let name = concat!(stringify!($row), " of ", stringify!($element));
                check::<T, $op>(&Reference, name, &$law);
            } )*
        }
    )* };
}
for_each_law!(tests);
