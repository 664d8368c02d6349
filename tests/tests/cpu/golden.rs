//! The CPU gives the golden vectors, and they are complete.

use std::collections::HashSet;

use warpfold::kernels::Kernel;
use warpfold::{Cpu, Element, Op, TREE_VERSION};
use warpfold_tests::golden::{self, Backend};
use warpfold_tests::{Bits, Sample};

/// Backends with several numbers of threads, which agree.
struct OnCpus([Cpu; 3]);

impl Backend for OnCpus {
    fn fold<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self, x: &[T]) -> String {
        let [found, others @ ..] = self.0.each_ref().map(|cpu| cpu.reduce(O::default(), x).unwrap().bits());
        assert!(others.iter().all(|other| *other == found), "{} elements: {found} and {others:?}", x.len());
        found
    }
}

#[test]
fn cpu_gives_the_golden_bits() {
    let cpus = OnCpus([1, 2, 5].map(|threads| Cpu::with_threads(threads).unwrap()));
    golden::assert_kept(&golden::lines_in_turn(&cpus));
}

#[test]
fn golden_vectors_are_of_this_tree() {
    assert!(golden::FILE.starts_with(&format!("# Tree version {TREE_VERSION}.")));
}

#[test]
fn every_row_has_golden_vectors() {
    let kept: HashSet<&str> = golden::checked_in().into_iter().collect();
    let rows: HashSet<&str> = kept.iter().filter_map(|line| line.split(' ').next()).collect();
    macro_rules! names {
        ($($row:ident: $op:ty, $element:ty;)*) => { [$( stringify!($row) ),*] };
    }
    let mut names = gpu_kernels::for_each_kernel!(names).to_vec();
    names.extend(["reduce_strided_u32", "reduce_ordered_u32", "reduce_matrix_u32"]);
    let missing: Vec<_> = names.iter().filter(|&name| !rows.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(rows.len(), names.len());
    assert_eq!(kept.len(), names.len() * golden::CASES.len() + 3 * golden::LONG.len());
}

#[test]
fn the_lists_and_the_tables_are_those_of_the_matrix() {
    for (path, kept, text) in warpfold_tests::operators::files() {
        assert!(
            text == kept,
            "{path}: run `cargo run -p warpfold-tests --features write --bin write-operators`"
        );
    }
}
