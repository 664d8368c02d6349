//! Compiles a crate of CUDA kernels written in Rust to PTX, with rustc's own NVPTX backend.
//!
//! It needs no CUDA toolkit, LLVM tools, linker or nightly toolchain, only a rustc with the source of `core`, which may
//! be stable. It tries the compiler named by the environment variable `WARPFOLD_RUSTC`, the active toolchain (`rustup
//! component add rust-src` adds the source), and `/usr/bin/rustc` (Debian's packages `rustc-web` and `rust-web-src`).
//!
//! # In a build script
//!
//! ```no_run
//! // the body of `main` in build.rs
//! cuda_builder::CudaBuilder::new("../kernels").build_script();
//! ```
//!
//! Each entry point becomes a module, `OUT_DIR/<entry>.ptx`; entry points with equal code share one.
//! `OUT_DIR/entries.rs` lists them: a Rust expression for the program to include, with the modules.
//!
//! ```text
//! /// (entry, name of its kernel, the module that has the kernel), in order of the entries
//! const KERNELS: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/entries.rs"));
//! ```
//!
//! The driver compiles a whole module when it is first loaded, about 20 ms per entry, so load only what you use.
//!
//! # What a kernels crate looks like
//!
//! It is a library, which may also be an ordinary one for the host (its `Cargo.toml` needs nothing special):
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
//! The unstable features are allowed for the device build only: the builder sets `RUSTC_BOOTSTRAP` for that one inner
//! cargo.
//!
//! A comment in an `asm!` that begins with `//@` is kept as a mark for the program that loads the text; all others are
//! removed. cuda_std writes instructions of newer GPUs as such marks, and `cuda_std::ptx` turns the text into the one
//! for those GPUs.
//!
//! # Same bits
//!
//! rustc writes every float addition and multiplication with explicit rounding (`add.rn.f32`), so no later tool
//! contracts them. Flags that would change that are refused wherever the environment sets them. All other flags of the
//! environment, and the profiles of the workspace, are for the host and do not reach the device build.

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

/// Returns the hexadecimal digits of a hash.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
