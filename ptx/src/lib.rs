//! warpfold's GPU kernels, built, and the packs that they travel in.

mod pack;
mod registers;
#[cfg(feature = "write")]
mod similar;
mod text;
#[cfg(feature = "write")]
mod write;

pub use pack::{Pack, Place};
pub use text::{Damaged, checksum};
#[cfg(feature = "write")]
pub use write::write;

/// The pack in a file, which is embedded once: `include_pack!("kernels.pack")`, with a path as `include_bytes!` takes it.
#[macro_export]
macro_rules! include_pack {
    ($file:expr) => {{
        static BYTES: [u8; include_bytes!($file).len()] = *include_bytes!($file);
        $crate::Pack::new(&BYTES)
    }};
}

/// Kernels that fold one input, or two, and those that show how a device computes.
#[cfg(feature = "library")]
pub const REDUCE: Pack<'static> = include_pack!("../reduce.pack");

/// Kernels that fold many rows, columns and segments.
#[cfg(feature = "library")]
pub const ROWS: Pack<'static> = include_pack!("../rows.pack");

/// Kernels that move data.
#[cfg(feature = "library")]
pub const MOVES: Pack<'static> = include_pack!("../moves.pack");

/// Kernels that scan.
#[cfg(feature = "library")]
pub const SCAN: Pack<'static> = include_pack!("../scan.pack");
