//! What a launch of a sort's pass reads and writes, and the pass that copies.

use bytemuck::Pod;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_idx_x, grid_dim_x, thread_idx_x, unknown};
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

use super::column::Input;
use super::output::{AT_ONCE, Output};
use super::values::Place;

/// Values, or the number of each key's place.
impl<V: Place> Input<V> for Option<GlobalSlice<V>> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn column<const N: usize>(self, (start, len): (u64, u64), own: u32, is_whole: bool, behind: V) -> [V; N] {
        if let Some(values) = self {
            return values.column((start, len), own, is_whole, behind);
        }
        let mut places = [V::zeroed(); N];
        unrolled!(i < N, up to 24 => {
            places[i] = V::of_place(start + u64::from(own + i as u32 * WARP_SIZE));
        });
        places
    }
}

/// Where keys go, unless nobody wants them.
impl<W: Copy> Output<W> for Option<GlobalCells<W>> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn scatter(self, places: &[u64], keys: &[W]) {
        if let Some(cells) = self {
            cells.scatter(places, keys);
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_some(self) -> bool {
        Option::is_some(&self)
    }
}

/// Where values go.
#[derive(Clone, Copy)]
pub(super) enum ValuesOut<V> {
    /// As they are.
    Narrow(GlobalCells<V>),
    /// As numbers of places, in 8 bytes each.
    Wide(GlobalCells<u64>),
}

impl<V: Place> Output<V> for ValuesOut<V> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn scatter(self, places: &[u64], values: &[V]) {
        match self {
            Self::Narrow(cells) => cells.scatter(places, values),
            Self::Wide(cells) => {
                let mut wide = [0; AT_ONCE];
                wide.iter_mut().zip(values).for_each(|(wide, value)| *wide = value.place());
                cells.scatter(places, &wide[..values.len()]);
            }
        }
    }
}

/// What a launch moves: `count` keys and values from `first` on.
#[derive(Clone, Copy)]
pub(crate) struct Tiles<K, V> {
    /// All keys.
    pub(crate) keys: K,
    /// All values.
    pub(crate) values: V,
    /// Where this launch's begin.
    pub(crate) first: u64,
    /// How many it has.
    pub(crate) count: u64,
}

/// Where it goes.
#[derive(Clone, Copy)]
pub(crate) struct Out<K, V> {
    /// The keys.
    pub(crate) keys: K,
    /// The values.
    pub(crate) values: V,
}

impl<W: Pod, V: Place> Tiles<GlobalSlice<W>, Option<GlobalSlice<V>>> {
    /// Copies all of it, in the same order or, if `is_reversed`, from the last to the first.
    ///
    /// Called by: every thread of every block of `threads` threads. Valid in: what is written, when the launch has ended.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn copy(self, to: Out<Option<GlobalCells<W>>, ValuesOut<V>>, threads: u32, is_reversed: bool) {
        let step = u64::from(threads);
        let of_block = AT_ONCE as u64 * step;
        let mut first = u64::from(block_idx_x()) * of_block;
        while first < self.count {
            let mut at = self.first + first + u64::from(thread_idx_x());
            if self.count - first >= of_block {
                self.copy_column::<AT_ONCE>(to, at, threads, is_reversed);
            } else {
                while at < self.first + self.count {
                    self.copy_column::<1>(to, at, threads, is_reversed);
                    at += u64::from(unknown(threads));
                }
            }
            first += u64::from(unknown(grid_dim_x())) * of_block;
        }
    }

    /// Copies what stands at `first`, `first + step` and so on.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn copy_column<const N: usize>(
        self,
        to: Out<Option<GlobalCells<W>>, ValuesOut<V>>,
        first: u64,
        step: u32,
        is_reversed: bool,
    ) {
        let at = |i: usize| first + i as u64 * u64::from(step);
        let last = self.keys.len() - 1;
        let places: [u64; N] = core::array::from_fn(|i| if is_reversed { last - at(i) } else { at(i) });
        let keys = to.keys.map(|to| (to, self.keys.read_column::<N>(first, step)));
        if V::IS_SOME {
            let values: [V; N] = match self.values {
                Some(values) => values.read_column(first, step),
                None => core::array::from_fn(|i| V::of_place(at(i))),
            };
            to.values.scatter(&places, &values);
        }
        if let Some((to, keys)) = keys {
            to.scatter(&places, &keys);
        }
    }
}
