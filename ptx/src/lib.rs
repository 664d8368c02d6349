//! warpfold's compiled GPU kernels, and the packs that hold them.
//!
//! A [`Pack`] has the PTX of many kernels. [`Pack::find`] finds an entry point's kernel, at compile time too, and
//! [`Place::text`] decodes it. The `.csv` beside a pack is its manifest, for reviewers and for `cargo xtask ptx
//! --check`.
//!
//! # Compression
//!
//! Each kernel is compressed on its own, by brotli, so loading one decodes no others, and a change of one leaves the
//! bytes of the others alone. Two steps make the packs small. Registers are stored by how recently they were last named
//! instead of by number, so the same code is the same text wherever it occurs. And a kernel is compressed relative to a
//! base: another kernel of its kind, which is decoded first. A base has no base itself.
//!
//! # Figures
//!
//! 1,463 kernels of 34.4 MB: compressed megabytes, and milliseconds to decode the median and the longest unit of the
//! pack of rows, on one core of a server:
//!
//! | compressed | numbers as they are | as ranks | median | longest |
//! |---|---|---|---|---|
//! | all kernels of a pack in one, zstd 19, long window | 2.98 | | | |
//! | an operator and element in one, zstd 19 (`ruzstd`) | 6.30 | | 0.85 | 1.62 |
//! | the same, trained dictionary of 112 KiB | 5.52 | | 0.76 | 1.57 |
//! | the same, brotli 11 | 5.77 | | 0.59 | 1.15 |
//! | the same, deflate (`miniz_oxide`), LZ4 | 8.77, 14.7 | | 0.45, 0.07 | 0.88, 0.16 |
//! | a kernel beside its base, zstd 19 (`ruzstd`) | 4.00 | 1.68 | 0.08 | 0.23 |
//! | the same, LZMA (`lzma-rust2`) | 3.88 | 1.84 | 0.14 | 0.50 |
//! | **the same, brotli 11** | 3.83 | **1.70** | 0.05 | 0.17 |
//!
//! (Decoding a whole pack for one kernel takes too long at any speed. Converting ranks to numbers takes about as much
//! time again.) Brotli needs no C compiler on either side, and none of zstd's trained tables. With the index, names and
//! checksums those packs came to 1.81 MB; today's are 4.2 MB. In all, decoding a kernel over rows takes 0.12 ms at the median, and one that
//! scans 0.38. The longest text, of 299 KB, takes 1.4 ms. For comparison, the driver takes at least 20 ms to compile
//! it, or 1 ms for the median if its cache has the result.

mod checksum;
mod pack;
mod registers;
#[cfg(feature = "write")]
mod similar;
mod text;
#[cfg(feature = "write")]
mod write;

pub use checksum::checksum;
pub use pack::{Pack, Place};
pub use text::Damaged;
#[cfg(feature = "write")]
pub use write::{note_registers, write};

/// Embeds the pack in a file, once: `include_pack!("kernels.pack")`, with a path as `include_bytes!` takes it.
#[macro_export]
macro_rules! include_pack {
    ($file:expr) => {{
        static BYTES: [u8; include_bytes!($file).len()] = *include_bytes!($file);
        $crate::Pack::new(&BYTES)
    }};
}

/// Kernels that reduce one input or two, and kernels that show how a device computes.
#[cfg(feature = "library")]
pub const REDUCE: Pack<'static> = include_pack!("../reduce.pack");

/// Kernels that reduce rows, columns and segments.
#[cfg(feature = "library")]
pub const ROWS: Pack<'static> = include_pack!("../rows.pack");

/// Kernels that move data.
#[cfg(feature = "library")]
pub const MOVES: Pack<'static> = include_pack!("../moves.pack");

/// Kernels that scan.
#[cfg(feature = "library")]
pub const SCAN: Pack<'static> = include_pack!("../scan.pack");

/// Kernels of exponentials, softmax and norms of rows.
#[cfg(feature = "library")]
pub const FORWARD: Pack<'static> = include_pack!("../forward.pack");

/// Kernels of operators over formulas, with marks in the places of the formula.
#[cfg(feature = "library")]
pub const FORMULA: Pack<'static> = include_pack!("../formula.pack");
