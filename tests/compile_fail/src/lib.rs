//! Tests only: programs that must not compile, with the compiler's messages; and doctests of pages of docs/
//! whose code needs the feature `cuda`.

/// The examples of docs/gpu.md.
#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../../../docs/gpu.md")]
struct Gpu;

/// The examples of docs/forward-pass.md.
#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../../../docs/forward-pass.md")]
struct ForwardPass;

/// The examples of docs/coming-from.md.
#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../../../docs/coming-from.md")]
struct ComingFrom;

/// The examples of docs/world.md.
#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../../../docs/world.md")]
struct World;
