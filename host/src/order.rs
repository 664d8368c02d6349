//! Which way elements are sorted.

/// A direction in the [total order](crate::TotalOrder) of elements. Equal elements keep their order in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The least first.
    #[default]
    Ascending,
    /// The greatest first.
    Descending,
}
