//! The entry points of verbs over rows: how threads share rows, by the rows' length.
//!
//! [`forward_kernels!`](crate::forward_kernels) names `<entry>_softmax_by_lanes`, `<entry>_softmax_by_block` and their like.

/// The generic bodies that the stamps call, of any verb. Each may overlap the launch before it, like the bodies of
/// [`entry::raw`](crate::entry::raw).
pub mod raw {
    use cuda_std::grid::wait_for_earlier_launches;
    use cuda_std::thread::{block_dim_x, block_idx_x, grid_dim_x, index_1d, sync_threads};
    use cuda_std::warp::WARP_SIZE;

    use super::super::access::{Access, Single, Whole};
    use super::super::block::BlockRow;
    use super::super::lanes::{Lanes, Places};
    use super::super::shapes::LanesShape;
    use super::super::tile::TileRow;
    use super::super::verb::Verb;
    use crate::forward::FloatElement;

    /// Calls a function for whole vectors, or for single elements.
    macro_rules! by_access {
        ($function:ident::<$($of:ident),*>, $a:ident $(, $more:expr)*) => {
            wait_for_earlier_launches();
            // SAFETY: by the contract of the caller.
            if let Some((source, with)) = unsafe { $a.open::<Whole<T, V>>() } {
                $function::<T, A, Whole<T, V>, $($of),*>($a, source, with $(, $more)*);
            // SAFETY: likewise.
            } else if let Some((source, with)) = unsafe { $a.open::<Single<T>>() } {
                $function::<T, A, Single<T>, $($of),*>($a, source, with $(, $more)*);
            }
        };
    }

    /// Runs a verb with the rows that this warp takes at once, each time with others.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn each_warp<T: FloatElement, A: Verb<T, V>, B: Access<T, V>, const V: usize, const K: usize>(
        a: A,
        source: A::Source<B>,
        with: A::With<B>,
        shape: LanesShape,
    ) {
        let [rows, len] = a.extent();
        let of_warp = (K as u64 >> shape.log2_pieces) << (5 - shape.log2_lanes);
        let step = of_warp * u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE);
        let mut first = index_1d() / u64::from(WARP_SIZE) * of_warp;
        while first < rows {
            let places = Places::new(first, rows, len, shape);
            A::run(Lanes::<T, _, V, K>::load(source, places, A::absent()), with);
            first += step;
        }
    }

    /// Runs code with each row that this block takes: its number and length.
    macro_rules! each_row {
        ($row:ident of $a:ident => $run:expr) => {{
            let [rows, len] = $a.extent();
            let mut number = u64::from(block_idx_x());
            while number < rows {
                let $row = (number, len);
                $run;
                number += u64::from(grid_dim_x());
                if number < rows {
                    // All threads have read the scratch of this row.
                    sync_threads();
                }
            }
        }};
    }

    /// Runs a verb with each row that this block takes and holds.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn each_tile<T: FloatElement, A: Verb<T, V>, B: Access<T, V>, const V: usize, const K: usize>(
        a: A,
        source: A::Source<B>,
        with: A::With<B>,
    ) {
        each_row!(row of a => A::run(TileRow::<T, _, V, K>::load(source, row, A::absent()), with));
    }

    /// Runs a verb with each row that this block takes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn each_long<T: FloatElement, A: Verb<T, V>, B: Access<T, V>, const V: usize>(
        a: A,
        source: A::Source<B>,
        with: A::With<B>,
    ) {
        each_row!(row of a => A::run(BlockRow::<T, _, V>::new(source, row, A::absent()), with));
    }

    /// Runs a verb over rows that lanes of a warp hold.
    ///
    /// # Safety
    /// Launched with whole warps, and arguments as `Verb::open` needs them. Their shape is that of [`LanesShape`] for their length.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn by_lanes<T: FloatElement, A: Verb<T, V>, const V: usize, const K: usize>(a: A) {
        by_access!(each_warp::<V, K>, a, a.shape());
    }

    /// Runs a verb over rows that a warp holds.
    ///
    /// # Safety
    /// As for [`by_lanes`], with at most `32 * K * V` elements and any shape of lanes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn by_warp<T: FloatElement, A: Verb<T, V>, const V: usize, const K: usize>(a: A) {
        by_access!(each_warp::<V, K>, a, LanesShape { log2_lanes: 5, log2_pieces: K.ilog2() });
    }

    /// Runs a verb over rows that a block holds.
    ///
    /// # Safety
    /// As for [`by_lanes`], with at most `K` elements for each lane of the tree and blocks of 256 threads, or as many tiles of
    /// `K` vectors for each thread as groups of 256 threads, and any shape of lanes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn by_tile<T: FloatElement, A: Verb<T, V>, const V: usize, const K: usize>(a: A) {
        by_access!(each_tile::<V, K>, a);
    }

    /// Runs a verb over rows that a block goes over.
    ///
    /// # Safety
    /// As for [`by_lanes`], with blocks of 256, 512 or 1024 threads and any shape of lanes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn by_block<T: FloatElement, A: Verb<T, V>, const V: usize>(a: A) {
        by_access!(each_long::<V>, a);
    }
}

#[cfg(feature = "forward")]
macro_rules! stamp {
    ($($entry:ident: $element:ty;)*) => {
        $( crate::forward_kernels! { [crate::stamp_family!] ($entry: T = $element) } )*
    };
}
#[cfg(feature = "forward")]
crate::for_each_forward_kernel!(stamp);
