//! warpfold from C, and from whatever calls C: `include/warpfold.h` says what each function does.
//!
//! | file | holds |
//! |---|---|
//! | `boundary.rs` | the functions: pointers become references, panics and errors become codes |
//! | `dispatch.rs` | numbers of operators and types become the operators and types |
//! | `outcome.rs` | results as C sees them |
//! | `failure.rs` | errors as codes and messages |
//! | `device.rs` | another library's stream, made ready; `no_device.rs` stands for it without the feature `cuda` |

mod boundary;
#[cfg_attr(not(feature = "cuda"), path = "no_device.rs")]
mod device;
mod dispatch;
mod failure;
mod outcome;
