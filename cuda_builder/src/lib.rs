//! Compiles a crate of CUDA kernels written in Rust to PTX, with rustc's own NVPTX backend.
//!
//! No CUDA toolkit, LLVM tools or linker are needed, and no nightly toolchain: a rustc with the source of
//! `core` will do, stable included. The compilers tried are the one named by the environment variable
//! `WARPFOLD_RUSTC`, the active toolchain (`rustup component add rust-src` gives it the source), and
//! `/usr/bin/rustc` (Debian's packages `rustc-web` and `rust-web-src`).
//!
//! # In a build script
//!
//! ```no_run
//! // the body of `main` in build.rs
//! cuda_builder::CudaBuilder::new("../kernels").build_script();
//! ```
//!
//! Each entry point becomes a module of its own, `OUT_DIR/<entry>.ptx`; those of the same code share one. Which is
//! where says `OUT_DIR/entries.rs`, a Rust expression that the program includes, modules and all:
//!
//! ```text
//! /// (entry, name of its kernel, the module that has the kernel), in order of the entries
//! const KERNELS: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/entries.rs"));
//! ```
//!
//! The driver takes about 20 ms per entry to compile a module when it is first loaded, and compiles all of it: so load
//! what you use.
//!
//! # What a kernels crate looks like
//!
//! A library, which may be an ordinary one for the host as well (its `Cargo.toml` needs nothing special):
//!
//! ```text
//! #![cfg_attr(target_arch = "nvptx64", no_std)]
//! #![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]
//!
//! // The compiler wants to see one; it is never called. Panics on the device are traps.
//! #[cfg(target_arch = "nvptx64")]
//! #[panic_handler]
//! fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
//!     loop {}
//! }
//!
//! cuda_std::kernel! {
//!     /// Adds one to each of `len` elements.
//!     ///
//!     /// # Safety
//!     /// `data` is valid for `len` elements.
//!     pub unsafe fn add_one(data: *mut f32, len: u64) {
//!         let i = cuda_std::thread::index_1d();
//!         if i < len {
//!             // SAFETY: within the data by the line above.
//!             unsafe { *data.add(i as usize) += 1.0 }
//!         }
//!     }
//! }
//! ```
//!
//! The unstable features are allowed for the device build only: the builder sets `RUSTC_BOOTSTRAP` for that one
//! inner cargo.
//!
//! A comment that begins with `//@` in an `asm!` is kept, all others go: it is a mark for whoever loads the text. cuda_std
//! writes instructions of newer GPUs so, and `cuda_std::ptx` makes of the one text the one for those.
//!
//! # Same bits
//!
//! rustc writes every float addition and multiplication with explicit rounding (`add.rn.f32`), so nobody
//! contracts them later. Flags that would change that are refused, wherever they stand in the environment; all
//! other flags of the environment, and the profiles of the workspace, are for the host and do not reach the
//! device build.

mod arch;
mod builder;
mod compiler;
mod error;
mod flags;
mod inner;
mod output;
mod ptx;
mod sources;

pub use arch::NvvmArch;
pub use builder::CudaBuilder;
pub use error::Error;
pub use output::PtxOutput;

/// Hexadecimal digits of a hash.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
