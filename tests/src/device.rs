//! The device for tests that need one.

use std::sync::OnceLock;

use warpfold::Cuda;

/// The device shared by the tests of one program.
///
/// # Panics
/// If there is no device, or it cannot be opened.
pub fn cuda() -> &'static Cuda {
    static CUDA: OnceLock<Cuda> = OnceLock::new();
    CUDA.get_or_init(|| {
        Cuda::open(0).unwrap_or_else(|error| panic!("these tests need a CUDA device: {error}"))
    })
}
