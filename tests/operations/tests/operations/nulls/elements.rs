//! `Elements` with missing elements as an array.

use arrow_array::Int32Array;
use warpfold::{AsElements, Elements};

#[test]
fn a_concatenation_keeps_the_missing_elements_of_elements() {
    let e: Elements<i32> = [Some(1), None, Some(2), None, None, Some(3), Some(4)].into_iter().collect();
    let twice = Elements::concat([&e, &e]);
    assert_eq!((twice.len(), twice.array_len(), twice.missing()), (8, 14, 6));
    assert_eq!((0..9).map_while(|i| twice.position(i)).collect::<Vec<_>>(), [0, 2, 5, 6, 7, 9, 12, 13]);
    assert_eq!((e.elements().array_len(), e.elements().position(1)), (7, Some(2)));
    let nulls = Int32Array::from(vec![None, Some(5)]);
    let mixed = [e.elements(), [9].elements(), nulls.elements()];
    let all = Elements::concat(&mixed);
    assert_eq!((all.array_len(), all.position(4), all.position(5)), (10, Some(7), Some(9)));
}
