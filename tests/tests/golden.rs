//! The golden vectors hold on the CPU, and are complete.
#![allow(missing_docs)]

use warpfold::{Cpu, Element, Kernel, Op, TREE_VERSION};
use warpfold_tests::golden::{self, Backend};
use warpfold_tests::{Bits, Sample};

struct OnCpu(Cpu);

impl Backend for OnCpu {
    fn fold<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self, x: &[T]) -> String {
        self.0.reduce(O::default(), x).unwrap().bits()
    }
}

#[test]
fn cpu_gives_the_golden_bits() {
    for threads in [1, 2, 5] {
        let cpu = Cpu::with_threads(threads).unwrap();
        golden::assert_kept(&golden::lines(&OnCpu(cpu)));
    }
}

#[test]
fn golden_vectors_are_of_this_tree() {
    assert!(golden::FILE.starts_with(&format!("# Tree version {TREE_VERSION}.")));
    assert!(golden::checked_in().len() >= 3600);
}

#[test]
fn the_table_of_operators_is_the_catalogue() {
    let (page, kept) = (warpfold_tests::operators::page(), warpfold_tests::operators::PAGE);
    assert!(
        page == kept,
        "run `cargo run -p warpfold-tests --features write --bin write-operators > docs/operators.md`"
    );
}
