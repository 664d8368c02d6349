//! The caller's offsets, and their check.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalSlice;
use cuda_std::memory::Readable;
use cuda_std::thread::{block_dim_x, grid_dim_x, index_1d};
use cuda_std::warp::lane_id;

/// The caller's offsets.
#[derive(Clone, Copy)]
pub(crate) enum Offsets {
    /// u32, or i32 if negative ones are wrong.
    Narrow(GlobalSlice<u32>),
    /// u64 or i64.
    Wide(GlobalSlice<u64>),
}

impl Offsets {
    /// Makes the handle.
    ///
    /// # Safety
    /// `offsets` is aligned and readable for `count` offsets of 4 bytes, or of 8 if they `are_wide`. Nothing writes them during
    /// the launch.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) unsafe fn new(offsets: Readable<u32>, are_wide: bool, count: u64) -> Self {
        // SAFETY: by this function's contract.
        unsafe {
            if are_wide {
                Self::Wide(offsets.cast().slice(count))
            } else {
                Self::Narrow(offsets.slice(count))
            }
        }
    }

    /// Returns the number of offsets.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn len(self) -> u64 {
        match self {
            Self::Narrow(offsets) => offsets.len(),
            Self::Wide(offsets) => offsets.len(),
        }
    }

    /// Returns an offset that is not negative.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn get(self, at: u64) -> u64 {
        match self {
            Self::Narrow(offsets) => u64::from(offsets.read(at)),
            Self::Wide(offsets) => offsets.read(at),
        }
    }

    /// Returns an offset, or u64::MAX in place of a negative one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn get_any(self, at: u64, is_signed: bool) -> u64 {
        let (value, top) = match self {
            Self::Narrow(offsets) => {
                let offset = offsets.read(at);
                (u64::from(offset), offset >> 31)
            }
            Self::Wide(offsets) => {
                let offset = offsets.read(at);
                (offset, (offset >> 63) as u32)
            }
        };
        if is_signed && top == 1 { u64::MAX } else { value }
    }
}

/// Checks that `count + 1` offsets ascend up to `len`, and counts each wrong one in counter 0. Calls `each` with the
/// start and length of every segment, both clamped to `len` elements.
///
/// Called by: every thread of every block; blocks are whole warps. `each` is called by all lanes of a warp together, with an
/// empty segment, numbered `count` or more, in lanes that have none. Scratch: none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn check(
    (offsets, is_signed): (Offsets, bool),
    (count, len): (u64, u64),
    counters: AtomicCells<u64>,
    each: impl Fn(u64, u64, u64),
) {
    let step = u64::from(grid_dim_x()) * u64::from(block_dim_x());
    let lane = lane_id();
    // The warp's first segment, which is the same for all lanes.
    let mut first = index_1d() - u64::from(lane);
    let load = |first: u64| {
        let segment = first + u64::from(lane);
        if segment >= count {
            return [0; 2];
        }
        [offsets.get_any(segment, is_signed), offsets.get_any(segment + 1, is_signed)]
    };
    // The next offsets are loaded while these are checked.
    let mut ends = load(first);
    while first < count {
        let (segment, [mut start, mut end]) = (first + u64::from(lane), ends);
        first += step;
        ends = load(first);
        if segment < count {
            if start > end || end > len {
                let _before = counters.fetch_add(0, 1);
            }
            (start, end) = (start.min(len), end.min(len));
        }
        each(segment, start, end.saturating_sub(start));
    }
}
