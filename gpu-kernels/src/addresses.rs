//! Addresses of an input's elements.

pub use cuda_std::memory::Readable;

/// The addresses of an input's elements `T`, as they are the first parameter of a kernel: of one array or, for pairs, of two.
pub trait Addresses<T>: Copy {
    /// Returns the addresses of the elements from `first` on.
    #[must_use]
    fn starting_at(self, first: u64) -> Self;
}

/// The addresses of two arrays.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Two<T>(pub Readable<T>, pub Readable<T>);

impl<T> Addresses<T> for Readable<T> {
    fn starting_at(self, first: u64) -> Self {
        self.skip(first as usize)
    }
}

impl<T: Copy> Addresses<[T; 2]> for Two<T> {
    fn starting_at(self, first: u64) -> Self {
        Self(self.0.skip(first as usize), self.1.skip(first as usize))
    }
}
