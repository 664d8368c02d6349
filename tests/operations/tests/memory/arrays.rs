//! Arrays of other crates, whose elements are copied.

use arrow_array::{BooleanArray, Float32Array};
use ndarray::{Array2, s};
use warpfold::{BitAnd, Sum, along};
use warpfold_tests::failing::{Call, tried};

use super::Backend;

/// All calls.
pub fn calls(backend: &Backend) -> Vec<Call> {
    let n = backend.n;
    let x = backend.floats();
    let nulls: Float32Array = x.iter().map(|&x| (x > 0.0).then_some(x)).collect();
    let nulls: &Float32Array = Box::leak(Box::new(nulls));
    let truths: &BooleanArray = Box::leak(Box::new(x.iter().map(|&x| Some(x > 0.0)).collect()));
    let matrix: &Array2<f32> =
        Box::leak(Box::new(Array2::from_shape_vec((n / 100, 100), x.to_vec()).unwrap()));
    let mut all: Vec<Call> = Vec::new();
    let mut of = |call: Call| all.push(call);
    of(backend.call("an array with nulls", move |cpu| tried(|| cpu.reduce(Sum, nulls))));
    of(backend.call("truth values", move |cpu| tried(|| cpu.reduce(BitAnd, truths))));
    of(backend.call("a slice of ndarray", move |cpu| {
        let part = matrix.slice(s![.., ..50]);
        tried(|| cpu.reduce(Sum, &part))
    }));
    of(backend.call("axes of a slice of ndarray", move |cpu| {
        let part = matrix.slice(s![.., ..50]);
        tried(|| cpu.reduce(Sum, along(&part, &[0])))
    }));
    all
}
