//! The direction of a sort.

/// A direction in the [total order](crate::elements::TotalOrder) of elements. Equal elements keep their order in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Least element first.
    #[default]
    Ascending,
    /// Greatest element first.
    Descending,
}
