//! Groups by key.

/// Elements by key: see [`by_key`].
#[derive(Clone, Copy, Debug)]
pub struct ByKey<K, X> {
    pub(crate) keys: K,
    pub(crate) x: X,
}

/// Returns an input of the elements of each distinct key, in the order of `x`. Element `i` has the key `keys[i]`. A reduction returns
/// the distinct keys, sorted, and the result of each. A key's result has the bits of a reduction of that key's elements alone, and
/// an index in it counts these alone. [Missing](crate::Elements) elements, such as nulls of Arrow, have keys too; a key's elements
/// are reduced without them.
///
/// A key is any [`GroupKey`](crate::elements::GroupKey): an integer, a float in its total order, a `bool`, a `char`, text, or a pair or triple of
/// these. Keys of one rank are one group. Its key is the first of them in `keys`.
///
/// The CPU hashes the keys. This takes 4 bytes of memory for each element, and room for each distinct key on each thread. Elements are
/// then folded as [`groups`](crate::groups) are. A `Cuda` takes integers of fixed size and `bool`s as keys. It sorts the elements by key, in memory for a copy of both, and folds
/// the [`runs`](crate::runs).
///
/// # Errors
/// A reduction fails with [`Error::Lengths`](crate::Error::Lengths) if there is not one key for each element, and with
/// [`Error::TooManyResults`](crate::Error::TooManyResults) if there is not enough memory, or if there are 2^32 distinct keys or more.
///
/// ```
/// use warpfold::{Cpu, Mean, Sum, by_key};
///
/// let (cpu, city, degrees) = (Cpu::new(), ["Oslo", "Rome", "Oslo", "Bern"], [12.0, 30.0, 8.0, 21.0]);
/// let (cities, means) = cpu.reduce(Mean, by_key(&city, &degrees))?;
/// assert_eq!(cities, ["Bern", "Oslo", "Rome"]);
/// assert_eq!(means, [Some(21.0), Some(10.0), Some(30.0)]);
///
/// let days = [(2025, 3), (2024, 7), (2025, 3), (2024, 7)];
/// assert_eq!(cpu.reduce(Sum, by_key(&days, &degrees))?, (vec![(2024, 7), (2025, 3)], vec![51.0, 20.0]));
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn by_key<K, X>(keys: K, x: X) -> ByKey<K, X> {
    ByKey { keys, x }
}
