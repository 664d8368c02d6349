//! What a call that waits leaves behind.

use test_kernels::Strided;
use warpfold::Order::{Ascending, Descending};
use warpfold::{Cpu, Last, reference};
use warpfold_tests::data::Family::Special;
use warpfold_tests::{cuda, samples};

/// A call that waits has done its work when it returns: any stream may read its results.
#[test]
fn every_stream_may_read_the_results() {
    let stream = cuda().stream().unwrap();
    for n in [1000, 20_000] {
        let x = samples::<u32>(Special, 95, n);
        let on_device = cuda().upload(&x).unwrap();
        let keys = cuda().sort(&on_device, Ascending).unwrap();
        let mut sorted = x.clone();
        Cpu::new().sort(&mut sorted, Ascending).unwrap();
        let expected = reference::reduce::<u32, Strided>(&sorted);
        assert_eq!(stream.reduce(Strided::default(), &keys).unwrap(), expected, "{n} keys");
        let indices = cuda().argsort(&on_device, Descending).unwrap();
        let expected = Cpu::new().argsort(&x, Descending).unwrap().last().map(|&index| index as u64);
        assert_eq!(stream.reduce(Last, &indices).unwrap(), expected, "{n} indices");
    }
}
