//! The pairs whose kernels are compiled for the emulator, and the pairs of every turn: marks in the catalogue's matrix. Kernels are
//! generic and take minutes to compile, so one pair represents all with the same shape. The CPU's tests, the golden vectors and the
//! GPU tests cover all pairs.

include!(concat!(env!("OUT_DIR"), "/samples.rs"));
