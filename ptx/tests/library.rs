//! The library's own packs are undamaged, and an entry's text is its kernel's text.
#![allow(missing_docs)]

use warpfold_ptx::{FORMULA, FORWARD, MOVES, REDUCE, ROWS, SCAN};

#[test]
fn every_entry_decodes_to_the_text_of_its_kernel() {
    for pack in [REDUCE, ROWS, MOVES, SCAN, FORWARD, FORMULA] {
        assert!(pack.entries().count() >= 20, "{pack:?}");
        for (entry, place) in pack.entries() {
            let text = place.text().unwrap_or_else(|error| panic!("{entry}: {error}"));
            assert!(text.contains(&format!(".visible .entry {}(", place.kernel())), "{entry}");
            assert_eq!(warpfold_ptx::checksum(&text), place.checksum(), "{entry}");
        }
    }
}

#[test]
fn entries_are_found_at_compile_time() {
    const GRID: Option<warpfold_ptx::Place<'static>> = REDUCE.find("reduce_sum_f32_grid");
    const NONE: Option<warpfold_ptx::Place<'static>> = REDUCE.find("reduce_sum_f32_gri");
    assert!(GRID.is_some() && NONE.is_none());
}
