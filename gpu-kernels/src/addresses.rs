//! Addresses of an input's elements.

/// The addresses of an input's elements `T`, as they are the first parameter of a kernel: of one array or, for pairs, of two.
pub trait Addresses<T>: Copy {
    /// Returns the addresses of the elements from `first` on.
    #[must_use]
    fn starting_at(self, first: u64) -> Self;
}

/// The addresses of two arrays.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Two<T>(pub *const T, pub *const T);

impl<T> Addresses<T> for *const T {
    fn starting_at(self, first: u64) -> Self {
        self.wrapping_add(first as usize)
    }
}

impl<T: Copy> Addresses<[T; 2]> for Two<T> {
    fn starting_at(self, first: u64) -> Self {
        Self(self.0.wrapping_add(first as usize), self.1.wrapping_add(first as usize))
    }
}
