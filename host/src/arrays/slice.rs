//! Arrays in host memory that are slices.

/// A slice, a `Vec`, an array or a `Box` of a slice, of items of any type: keys, and elements that are replaced in place.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a slice",
    label = "not a slice, a `Vec`, an array or a `Box` of a slice",
    note = "keys, and elements that are replaced in place, are in one of these",
    note = "an iterator is collected first: `let x: Vec<_> = iterator.collect()`"
)]
pub trait AsSlice {
    /// The type of the items.
    type Item;

    /// Returns the items in the order of their indices.
    fn slice(&self) -> &[Self::Item];

    /// Returns the items in the order of their indices, to be replaced.
    fn slice_mut(&mut self) -> &mut [Self::Item];
}

/// Types that are slices.
macro_rules! slices {
    ($(<$item:ident $(, $len:ident)?> $items:ty;)*) => { $(
        impl<$item $(, const $len: usize)?> AsSlice for $items {
            type Item = $item;

            fn slice(&self) -> &[$item] {
                self
            }

            fn slice_mut(&mut self) -> &mut [$item] {
                self
            }
        }
    )* };
}
slices! {
    <T> [T];
    <T> Vec<T>;
    <T, N> [T; N];
    <T> Box<[T]>;
}
