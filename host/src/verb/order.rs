//! Sorts.

/// A direction in the [total order](crate::elements::TotalOrder) of elements. Equal elements keep their order in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Least element first.
    #[default]
    Ascending,
    /// Greatest element first.
    Descending,
}

/// Sorts the elements of `x` by their [total order](crate::elements::TotalOrder). [`NanGreatest`](crate::NanGreatest) has all NaNs last.
///
/// **`Cpu`, `Auto`.** In place: `&mut x` of a slice, a `Vec` or an array, or each part of one: [`rows(&mut x, [r, c])`](crate::rows),
/// [`chunks`](crate::chunks), [`segments`](crate::segments). Takes memory for a copy. Without enough memory it sorts more slowly.
///
/// **`Cuda`.** Returns a new `DeviceArray`, and waits for it. Elements of 1 to 8 bytes are sorted by digits of 8 bits, the least
/// significant first, in as many passes as there are bytes in which elements differ; elements that are sorted already, or in strictly
/// opposite order, are copied. This takes device memory for as many elements again, and up to half a byte more for each (1 byte for
/// elements of 8 bytes). Elements of 16 bytes are sorted by a quicksort with many pivots. It takes a few levels at most, whatever the
/// input. Between levels the call waits for the number of segments left. It takes 10 bytes more for each element. Up to a sixteenth of the
/// device's memory is kept for the next call. A `Stream` sorts to `out` ([`WriteTo`](super::WriteTo)) without waiting for the result; sorts
/// cannot be recorded.
///
/// Both take [`rows`](crate::rows), [`chunks`](crate::chunks) and [`segments`](crate::segments) of an array, too; elements in no part are
/// copied. Lanes sort parts of up to 32 elements (16 of 8 bytes), if all are so short. Blocks sort parts that fit their memory (4096
/// elements of up to 4 bytes), several short ones side by side. Longer parts of any element are sorted as whole arrays of 16 bytes are,
/// with as many waits and as much memory. The call also waits for the device to check and list segments; this takes 8 bytes for each
/// segment and at most 1 for each element (2 for elements of 8 bytes, 4 for 16).
///
/// **`World`.** Sorts the parts of all ranks: each rank keeps its number of elements, and the concatenated parts are sorted. They replace
/// `&mut x`, or are a new array on the device of a `&DeviceArray`. By `sort_into` each rank gets as many elements as `out` has.
///
/// # Errors
/// On the CPU only errors about parts. On a device and on ranks the errors of [`Reduce`](super::Reduce). After an error
/// `x` is unchanged, unless it is on a device that fails.
///
/// ```
/// use warpfold::{Cpu, NanGreatest, Order, rows};
///
/// let mut x = [2.5, -0.0, f32::NEG_INFINITY, 0.0, 1.0];
/// Cpu::new().sort(&mut x, Order::Ascending)?;
/// assert_eq!(x, [f32::NEG_INFINITY, -0.0, 0.0, 1.0, 2.5]);
/// Cpu::new().sort(&mut x, Order::Descending)?;
/// assert_eq!(x, [2.5, 1.0, 0.0, -0.0, f32::NEG_INFINITY]);
///
/// let mut x = [3, 1, 2, 6, 5, 4];
/// Cpu::new().sort(rows(&mut x, [2, 3]), Order::Ascending)?;
/// assert_eq!(x, [1, 2, 3, 4, 5, 6]);
///
/// // NaNs last, as in NumPy and polars:
/// let mut x = [-f32::NAN, 2.5, f32::NAN, 1.0];
/// Cpu::new().sort(NanGreatest::wrap_slice_mut(&mut x), Order::Ascending)?;
/// assert!(x[..2] == [1.0, 2.5] && x[2].is_nan() && x[3].is_nan());
/// # Ok::<(), warpfold::Error>(())
/// ```
///
/// Over ranks:
///
/// ```
/// use std::thread;
/// use warpfold::{Order, World};
///
/// let parts = [vec![5, 1], vec![], vec![4, 2, 3]];
/// let sorted = thread::scope(|scope| {
///     let ranks = World::threads(3).into_iter().zip(parts);
///     let sort = |(world, mut part): (World<_>, Vec<i32>)| {
///         scope.spawn(move || world.sort(&mut part, Order::Ascending).map(|()| part))
///     };
///     let ranks: Vec<_> = ranks.map(sort).collect();
///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect::<Result<Vec<_>, _>>()
/// })?;
/// assert_eq!(sorted, [vec![1, 2], vec![], vec![3, 4, 5]]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sort<X> {
    /// The elements.
    pub x: X,
    /// Ascending or descending.
    pub order: Order,
}

/// Sorts keys by their total order, and each value with its key. The sort is stable: values of equal keys keep their order, also across
/// ranks. Keys and values lie where the elements of [`Sort`] lie, and the results likewise; from `Cuda` they are two new arrays. The keys
/// may be divided into parts, `rows(&mut keys, [r, c])` or on a device `rows(&keys, [r, c])`, to which the values belong as well.
///
/// On the CPU every step moves a value with its key: for large values sort the indices instead ([`Argsort`]). On a
/// device values of 4 and 8 bytes that lie at a multiple of their size are moved with keys of up to 8 bytes, and take
/// memory for as many values again. Other values, of any size, are moved once, by an index of 4 bytes (8 for 2^32
/// elements and more). This takes memory for twice the indices, or three times with keys of 16 bytes.
///
/// # Errors
/// [`Error::Lengths`](crate::Error::Lengths) if there is not one value for each key;
/// [`Error::TooManyResults`](crate::Error::TooManyResults) if the CPU has not enough memory for two copies of all pairs; otherwise as
/// [`Sort`]. No error changes an element, but some parts may be sorted then.
///
/// ```
/// use warpfold::{Cpu, Order};
///
/// let (mut keys, mut values) = ([2, 1, 2, 1], ['a', 'b', 'c', 'd']);
/// Cpu::new().sort_pairs(&mut keys, &mut values, Order::Descending)?;
/// assert_eq!((keys, values), ([2, 2, 1, 1], ['a', 'c', 'b', 'd']));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SortPairs<K, V> {
    /// The keys.
    pub keys: K,
    /// A value for each key.
    pub values: V,
    /// Ascending or descending.
    pub order: Order,
}

/// Sorts the indices of the elements of `x` by the elements' total order: `x[argsort[0]]` is the first element. The sort is stable:
/// among equal elements, the one with the lower index comes first. Indices count [missing](crate::Elements) elements.
///
/// **`Cpu`, `Auto`.** Returns a `Vec<usize>`. For `rows(&x, [r, c])`, `chunks` and `segments` an index counts from the
/// first element of its part, and an element outside every part has the index 0. Takes the memory of two copies of all
/// elements with their indices; if there is not enough, it sorts the indices alone, more slowly.
///
/// **`Cuda`.** Returns a `DeviceArray` of indices of 8 bytes. Indices in parts count as on the CPU. Takes memory for twice the elements and
/// twice the indices, which have 4 bytes while sorting if there are fewer than 2^32 elements.
///
/// **`World`.** Indices, of 8 bytes, count from the first element of the whole; each rank gets as many as its part has elements.
///
/// # Errors
/// [`Error::TooManyResults`](crate::Error::TooManyResults) if there is not enough memory for the indices; otherwise as [`Sort`].
///
/// ```
/// use warpfold::{Cpu, Order};
///
/// assert_eq!(Cpu::new().argsort(&[30, 10, 20, 10], Order::Ascending)?, [1, 3, 2, 0]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Argsort<X> {
    /// The elements.
    pub x: X,
    /// Ascending or descending.
    pub order: Order,
}
