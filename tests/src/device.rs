//! The device of the tests that need one.

use std::sync::OnceLock;

use warpfold::Cuda;

/// The device that the tests of one program share.
///
/// # Panics
/// If there is none, or it cannot be opened.
pub fn cuda() -> &'static Cuda {
    static CUDA: OnceLock<Cuda> = OnceLock::new();
    CUDA.get_or_init(|| {
        Cuda::open(0).unwrap_or_else(|error| panic!("these tests need a CUDA device: {error}"))
    })
}
