//! warpfold from C, and from whatever calls C: `include/warpfold.h` says what each function does.
//!
//! | file | holds |
//! |---|---|
//! | `boundary/` | the functions, a file for each operation: pointers become references, panics and errors become codes |
//! | `dispatch.rs` | numbers of operators and types become operators and types |
//! | `host.rs` | the operations over arrays in host memory |
//! | `device/` | streams of other libraries, and the operations over arrays in device memory; `absent.rs` stands in without the feature `cuda` |
//! | `outcome.rs` | single results as C sees them |
//! | `failure.rs` | errors as codes and messages |

mod boundary;
#[cfg_attr(not(feature = "cuda"), path = "device/absent.rs")]
mod device;
mod dispatch;
mod failure;
mod host;
mod outcome;
