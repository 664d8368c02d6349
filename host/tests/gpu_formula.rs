//! Errors of formulas on the emulated driver.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use emulated::{fail, leaves_nothing};
use warpfold::{Cuda, Error, Sum, formula};

#[test]
fn a_kernel_that_is_not_loaded_names_the_formula_by_file_and_line() {
    leaves_nothing("a_kernel_that_is_not_loaded_names_the_formula_by_file_and_line", || {
        let cuda = Cuda::open(0).expect("the device");
        let x = cuda.upload(&[1.0f32; 100]).expect("an upload");
        fail("cuModuleLoadDataEx", 1, 218);
        let error = cuda.reduce(Sum.of(formula!(|v: f32| v + 1.0)), &x).expect_err("no kernel");
        let line = line!() - 1;
        assert!(matches!(error, Error::Kernel { .. }), "{error}");
        assert!(error.to_string().contains(&format!("the formula at {}:{line}", file!())), "{error}");
        fail("cuModuleLoadDataEx", 1, 218);
        let error = cuda.compact(formula!(|v: f32| -> bool { v.gt(1.0) }), &x).expect_err("no kernel");
        let line = line!() - 1;
        assert!(error.to_string().contains(&format!("the formula at {}:{line}", file!())), "{error}");
    });
}
