//! Minima and maxima of every pair of special floats, on the device: all as rows, and each alone.

use warpfold::rows;
use warpfold_tests::extremes::{Backend, Float, OfPairs, check_all};
use warpfold_tests::{Bits, cuda, on_gpu_or_emulated};

struct Device;

impl Backend for Device {
    fn pairs<T: Float, O: OfPairs<T>>(&self, x: &[T]) -> Vec<Option<T>> {
        let (device, count) = (cuda().upload(x).unwrap(), x.len() / 2);
        let as_rows = cuda().reduce(O::default(), rows(&device, [count, 2])).unwrap().to_vec().unwrap();
        // On the emulated device some pairs alone: there are 10,000.
        for (at, row) in as_rows.iter().enumerate().step_by(on_gpu_or_emulated(1, 31)) {
            let alone = cuda().reduce(O::default(), &device.slice(2 * at..2 * at + 2).unwrap()).unwrap();
            assert!(alone.is_same(row));
        }
        as_rows
    }
}

#[test]
fn extremes_of_special_values_are_the_standards() {
    check_all(&Device);
}
