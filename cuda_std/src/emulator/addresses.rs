//! Maps whose keys are addresses.

use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

/// A map by address, or by a part of one.
pub(super) type ByAddress<V> = HashMap<usize, V, BuildHasherDefault<Multiplied>>;

/// Hashes an address by one multiplication, since nobody chooses addresses to collide.
#[derive(Default)]
pub(super) struct Multiplied(u64);

impl Hasher for Multiplied {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_usize(byte.into());
        }
    }
    fn write_usize(&mut self, address: usize) {
        let product = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
}
