//! Calls that the emulated driver has fail.

#[path = "../../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{fail, leaves_nothing};
use warpfold::Cuda;

use crate::operations::Inputs;

/// Whether memory lacks, or cannot be cleared, or a kernel is not launched: the call says so, the next one has its bits, and all
/// that was taken is freed.
#[test]
fn a_call_that_fails_leaves_nothing() {
    let _alone = crate::alone(); // it starts a process, by pipes, and another test counts open files
    leaves_nothing("failing::a_call_that_fails_leaves_nothing", || {
        let cuda = Cuda::open(0).expect("the device");
        let inputs = Inputs::new(&cuda).expect("uploads");
        let mut failed = 0;
        for (name, call) in inputs.of_a_device(&cuda) {
            let expected = call().unwrap_or_else(|error| panic!("{name}: {error}"));
            for function in ["cuMemAlloc_v2", "cuMemsetD8Async", "cuLaunchKernel", "cuMemcpyDtoHAsync_v2"] {
                for count in 1..=3 {
                    // CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, after which the device goes on.
                    fail(function, count, 701);
                    let found = call();
                    fail("none", 1, 0);
                    failed += u32::from(found.is_err());
                    assert!(
                        found.is_err() || found.is_ok_and(|found| found == expected),
                        "{name}: {function}"
                    );
                    assert!(call().is_ok_and(|found| found == expected), "{name} after {function}");
                }
            }
        }
        assert!(failed > 100, "{failed} calls failed");
        assert_eq!(cuda.failed_frees(), 0);
    });
}
