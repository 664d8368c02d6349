//! Tests only: programs that must not compile, and what the compiler says of them; and pages of docs/ whose code needs the
//! feature `cuda`, which is compiled.

/// The examples of docs/gpu.md.
#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../../../docs/gpu.md")]
struct Gpu;

/// Those of docs/coming-from.md.
#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../../../docs/coming-from.md")]
struct ComingFrom;
