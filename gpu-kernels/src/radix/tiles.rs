//! What a launch of a pass reads and writes, and the pass that copies.

use bytemuck::Pod;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::thread::{block_idx_x, thread_idx_x, unknown};
use cuda_std::warp::WARP_SIZE;
use warpfold_exact::unrolled;

use super::positions::AT_ONCE;
use super::values::Value;
use crate::groups::ids::warp_column;

/// What a launch moves: of `keys`, `count` from `first` on.
#[derive(Clone, Copy)]
pub(super) struct Tiles<W, V> {
    /// All keys.
    pub(super) keys: GlobalSlice<W>,
    /// All values. `None` if each is the number of its key's place, or there are none.
    pub(super) values: Option<GlobalSlice<V>>,
    /// Where this launch's begin.
    pub(super) first: u64,
    /// How many it has.
    pub(super) count: u64,
}

/// Where it goes.
#[derive(Clone, Copy)]
pub(super) struct Out<W, V> {
    /// The keys, unless nobody wants them.
    pub(super) keys: Option<GlobalCells<W>>,
    /// The values, in their own width or, as numbers of places, in 8 bytes each.
    pub(super) values: ValuesOut<V>,
}

/// Where values go.
#[derive(Clone, Copy)]
pub(super) enum ValuesOut<V> {
    /// As they are.
    Narrow(GlobalCells<V>),
    /// As numbers.
    Wide(GlobalCells<u64>),
}

impl<V: Value> ValuesOut<V> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    fn write(self, place: u64, value: V) {
        self.scatter(&[place], &[value]);
    }

    /// Writes each of `values` at the place beside it.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    #[track_caller]
    pub(super) fn scatter(self, places: &[u64], values: &[V]) {
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

impl<W: Copy + Pod, V: Value> Tiles<W, V> {
    /// The values of a thread's keys, which begin at `own` of the tile at `start`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn values<const I: usize>(self, (start, len): (u64, u64), own: u32, is_whole: bool) -> [V; I] {
        if let Some(values) = self.values {
            return warp_column(values.window(start, len), u64::from(own), is_whole, V::zeroed());
        }
        let mut places = [V::zeroed(); I];
        unrolled!(i < I, up to 24 => {
            places[i] = V::of_place(start + u64::from(own + i as u32 * WARP_SIZE));
        });
        places
    }

    /// Copies all of it, in the same order or, if `is_reversed`, from the last to the first.
    ///
    /// Called by: every thread of every block of `threads` threads with `each` keys each. Valid in: what is written,
    /// when the launch has ended.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn copy(self, to: Out<W, V>, threads: u32, each: u32, is_reversed: bool) {
        let last = self.keys.len() - 1;
        let tile = u64::from(threads * each);
        let first = self.first + u64::from(block_idx_x()) * tile;
        let end = (first + tile).min(self.first + self.count);
        let mut place = first + u64::from(thread_idx_x());
        while place < end {
            let mut count = 0;
            let (mut places, mut keys, mut values) =
                ([0; AT_ONCE], [W::zeroed(); AT_ONCE], [V::zeroed(); AT_ONCE]);
            unrolled!(i < AT_ONCE, up to 8 => {
                let at = place + u64::from(i as u32 * threads);
                if at < end {
                    count = i + 1;
                    places[i] = if is_reversed { last - at } else { at };
                    if to.keys.is_some() {
                        keys[i] = self.keys.read(at);
                    }
                    if V::IS_SOME {
                        values[i] = self.values.map_or(V::of_place(at), |values| values.read(at));
                    }
                }
            });
            unrolled!(i < AT_ONCE, up to 8 => {
                if i < count {
                    if let Some(to) = to.keys {
                        to.write(places[i], keys[i]);
                    }
                    if V::IS_SOME {
                        to.values.write(places[i], values[i]);
                    }
                }
            });
            place += u64::from(unknown(AT_ONCE as u32 * threads));
        }
    }
}
