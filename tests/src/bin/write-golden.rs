//! Writes tests/golden/vectors.txt from the recursive reference. Run it only with a new TREE_VERSION, or to add
//! rows: `cargo run --release -p warpfold-tests --features write --bin write-golden > tests/golden/vectors.txt`.

use warpfold::kernels::Kernel;
use warpfold::{Element, Op, TREE_VERSION, reference};
use warpfold_tests::golden::{self, Backend};
use warpfold_tests::{Bits, Sample};

/// The recursive reference.
struct Reference;

impl Backend for Reference {
    fn fold<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self, x: &[T]) -> String {
        reference::reduce::<T, O>(x).bits()
    }
}

fn main() {
    println!(
        "# Tree version {TREE_VERSION}. Columns: catalogue row, family of data, elements, bits of the result."
    );
    println!("# Data: warpfold_tests::data with seed {:#x}. Written by write-golden.rs.", golden::SEED);
    for line in golden::lines(&Reference) {
        println!("{line}");
    }
}
