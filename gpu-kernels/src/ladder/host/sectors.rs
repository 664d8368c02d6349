//! Memory for the emulator that begins at a sector, as a GPU's does.

use bytemuck::Pod;

/// Bytes of a sector, which a GPU's memory moves at a time.
const SECTOR: usize = 32;

/// Elements of 1 to 32 bytes, the first at a multiple of 32 bytes, so that counts of sectors do not depend on the host's
/// allocator.
#[derive(Debug)]
pub struct InSectors<T> {
    all: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Pod> InSectors<T> {
    /// Returns `len` copies of `value`.
    #[must_use]
    pub fn filled(len: usize, value: T) -> Self {
        let all = vec![value; len + SECTOR / size_of::<T>().max(1)];
        let to_sector = all.as_ptr().addr().wrapping_neg() % SECTOR;
        Self { all, start: to_sector / size_of::<T>().max(1), len }
    }

    /// Returns a copy of `x`.
    #[must_use]
    pub fn copied(x: &[T]) -> Self {
        let mut copy = Self::filled(x.len(), T::zeroed());
        copy.as_mut_slice().copy_from_slice(x);
        copy
    }

    /// Returns the elements.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.all[self.start..self.start + self.len]
    }

    /// Returns the elements.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.all[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_begin_at_a_sector() {
        for len in [0, 1, 7, 1000] {
            let x: Vec<u16> = (0..len).collect();
            let copy = InSectors::copied(&x);
            assert_eq!(copy.as_slice(), x);
            assert!(copy.as_slice().as_ptr().addr().is_multiple_of(SECTOR));
        }
    }
}
