//! Minima and maxima of every pair of special floats, on the GPU: each pair alone, and all as rows.

use warpfold::rows;
use warpfold_tests::extremes::{Backend, Float, OfPairs, check_all};
use warpfold_tests::{Bits, cuda};

struct OnGpu;

impl Backend for OnGpu {
    fn pairs<T: Float, O: OfPairs<T>>(&self, x: &[T]) -> Vec<Option<T>> {
        let (device, count) = (cuda().upload(x).unwrap(), x.len() / 2);
        let as_rows = cuda().reduce(O::default(), rows(&device, [count, 2])).unwrap().to_vec().unwrap();
        let alone: Vec<_> = (0..count)
            .map(|at| cuda().reduce(O::default(), &device.slice(2 * at..2 * at + 2).unwrap()).unwrap())
            .collect();
        assert!(alone.iter().zip(&as_rows).all(|(alone, row)| alone.is_same(row)));
        alone
    }
}

#[test]
fn extremes_of_special_values_are_the_standards() {
    check_all(&OnGpu);
}
