//! Where the elements of an input lie.

/// Where the elements `T` of an input lie, as a kernel's first parameter has it: in one array or, those of pairs, in two.
pub trait Addresses<T>: Copy {
    /// Where the elements from `first` on lie.
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
