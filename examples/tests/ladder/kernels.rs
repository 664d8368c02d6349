//! The example's packed PTX has exactly the kernels that its GPU code uses.

use std::collections::BTreeSet;

use gpu_kernels::ladder::host::rung::RUNGS;

use crate::emulated::{COPYING, TRANSPOSING};
use crate::scans::SCANNING;

/// The PTX of the ladder, compiled by `cargo xtask ptx`.
const KERNELS: warpfold_ptx::Pack<'static> = warpfold_ptx::include_pack!("../../ladder/ptx/ladder.pack");

#[test]
fn every_kernel_that_is_asked_for_is_there() {
    let mut asked = BTreeSet::new();
    for rung in &RUNGS {
        for threads in (1..=1024).filter(|&threads| rung.takes(threads)) {
            asked.extend(["i32", "f32"].map(|element| rung.entry(threads, element)));
        }
    }
    let names = COPYING.iter().map(|kernel| kernel.name).chain(TRANSPOSING.iter().map(|kernel| kernel.name));
    let names = names.chain(SCANNING.iter().map(|kernel| kernel.name));
    asked.extend(names.map(|name| format!("ladder_{name}")));
    let there: BTreeSet<String> = KERNELS.entries().map(|(entry, _)| entry.to_owned()).collect();
    assert_eq!(asked, there);
    for (entry, place) in KERNELS.entries() {
        assert!(place.text().unwrap().contains(&format!(".entry {}(", place.kernel())), "{entry}");
    }
}
