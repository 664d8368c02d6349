//! warpfold from C, and from languages that call C: `include/warpfold.h` documents each function.
//!
//! | file | contents |
//! |---|---|
//! | `boundary/` | the functions, a file per operation: converts pointers to references, panics and errors to codes |
//! | `requests.rs` | the operations as plain data |
//! | `dispatch.rs` | converts numbers of operators and types to operators and types |
//! | `host.rs` | the operations over arrays in host memory |
//! | `device/` | streams of other libraries, and the operations over arrays in device memory; `absent.rs` replaces it without the feature `cuda` |
//! | `outcome.rs` | single results in C's form |
//! | `failure.rs` | errors as codes and messages |
//! | `boundary/fuzz.rs` | the fuzzer's entry: with `cfg(fuzzing)` the library is a fuzz target |
#![cfg_attr(fuzzing, no_main)]

mod boundary;
#[cfg_attr(not(feature = "cuda"), path = "device/absent.rs")]
mod device;
mod dispatch;
mod failure;
mod host;
mod outcome;
mod requests;
