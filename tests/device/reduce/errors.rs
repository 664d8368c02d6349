//! Errors on a machine with a device: everything can be used afterwards, and the next call works.

use warpfold::{Cuda, Error, Sum};
use warpfold_tests::cuda;

#[test]
fn out_of_memory_names_the_bytes_and_is_over_at_once() {
    let elements = usize::try_from(cuda().properties().memory_bytes).unwrap() / 8 * 2;
    let Err(error) = cuda().zeroed::<f64>(elements) else { panic!("twice the device's memory was given") };
    assert!(matches!(error, Error::OutOfMemory { bytes } if bytes == elements as u64 * 8), "{error}");
    let x = cuda().upload(&[1.0f64, 2.0]).unwrap();
    assert_eq!(cuda().reduce(Sum, &x).unwrap(), 3.0);
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    cuda();
    let Err(error) = Cuda::open(10_000) else { panic!("device 10000 was opened") };
    assert!(matches!(error, Error::Unavailable { .. }), "{error}");
}

#[test]
fn ranges_are_checked() {
    let x = cuda().upload(&[1.0f32; 10]).unwrap();
    assert!(matches!(x.slice(5..11), Err(Error::OutOfBounds { .. })));
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = x.slice(7..5);
    assert!(reversed.is_err());
    assert_eq!(cuda().reduce(Sum, &x.slice(5..10).unwrap()).unwrap(), 5.0);
}

#[test]
fn downloads_give_what_was_uploaded() {
    let x: Vec<u64> = (0..100_000).map(|i| i * i).collect();
    assert_eq!(cuda().upload(&x).unwrap().to_vec().unwrap(), x);
    assert_eq!(cuda().upload::<u64>(&[]).unwrap().to_vec().unwrap(), []);
}
