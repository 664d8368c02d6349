//! Stamps of a tuning's rows: which kernels a row is for, and whether they are still the same.

use super::class;
use gpu_kernels::Element;

use crate::kernel::entry::Entry;
use crate::plan::Plan;

/// FNV-1a over 64 bits (Fowler, Noll and Vo), continued from `hash`. The standard library's hasher may change with the
/// compiler.
const fn fnv(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x100_0000_01b3);
        at += 1;
    }
    hash
}

/// The initial hash of FNV-1a.
const START: u64 = 0xcbf2_9ce4_8422_2325;

/// Hashes an entry's name, for lookups in which comparing texts would cost too much.
pub(super) const fn key(entry: &str) -> u64 {
    fnv(START, entry.as_bytes())
}

/// Returns the stamp of kernels, which changes when any of their PTX does. A pack has the checksums of its texts; hashing a
/// user's own kernels takes some hundredths of a millisecond.
pub(super) fn of_kernels(entries: &[Entry; 3]) -> u64 {
    entries.iter().fold(START, |hash, entry| fnv(hash, &entry.checksum().to_le_bytes()))
}

/// Returns the stamp of a row: the stamp of its kernels, combined with the plan that was slower. A later build may have
/// improved that plan.
pub(super) fn of_row<T: Element>(kernels: u64, class: u32) -> u64 {
    // The number of multiprocessors is arbitrary: the rule is what matters, and it shows on any device.
    let beaten = Plan::new::<T>(class::middle::<T>(class), 132);
    fnv(kernels, beaten.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_kernels::{Max, Sum};

    use crate::kernel::Kernel;
    use crate::kernel::ship::shipped;

    #[test]
    fn keys_and_stamps_differ() {
        // The published test vectors of FNV-1a.
        assert_eq!(fnv(START, b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(START, b"foobar"), 0x8594_4171_f739_67e8);
        let mut keys: Vec<u64> = shipped().map(|entry| key(entry.name)).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), shipped().count());
        let kernels = of_kernels(&<Sum as Kernel<f32>>::FOLD.untyped());
        assert_ne!(kernels, of_kernels(&<Max as Kernel<f32>>::FOLD.untyped()));
        assert_ne!(kernels, of_kernels(&<Sum as Kernel<f64>>::FOLD.untyped()));
        assert_ne!(of_row::<f32>(kernels, 20), of_row::<f32>(kernels, 21));
        assert_ne!(of_row::<f32>(kernels, 20), of_row::<f32>(kernels ^ 1, 20));
    }
}
