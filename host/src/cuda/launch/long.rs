//! The sizes that depend on the length of a moved array: the elements of a launch, and the bytes of a position.

use gpu_kernels::radix::shapes;

/// Returns the most elements of a launch that moves them, in whole tiles of `tile`.
pub(crate) fn most_moved(tile: u64) -> u64 {
    match most_short() {
        None => shapes::most_moved(tile),
        Some(most) => (most / tile).max(1) * tile,
    }
}

/// Returns the bytes of a position among `len` elements.
pub(crate) fn position_bytes(len: u64) -> usize {
    if len <= most_short().unwrap_or(u32::MAX.into()) { 4 } else { 8 }
}

/// Returns the most elements of a short array, if a test on the emulated device sets it. No array there has 2^30
/// elements.
fn most_short() -> Option<u64> {
    #[cfg(feature = "emulator")]
    return cust::emulated::most_short();
    #[cfg(not(feature = "emulator"))]
    None
}
