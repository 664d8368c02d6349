//! The entry points of softmax, norms and sums of exponentials: raw arguments become handles, then one call for each row.
//!
//! [`forward_kernels!`](crate::forward_kernels) names `<entry>_softmax_by_lanes`, `<entry>_softmax_by_block` and their like.

/// The generic bodies that the stamps call. Each may overlap the launch before it, like the bodies of
/// [`entry::raw`](crate::entry::raw).
pub mod raw {
    use cuda_std::global::{GlobalCells, GlobalSlice};
    use cuda_std::grid::wait_for_earlier_launches;
    use cuda_std::memory::{Readable, Writable};
    use cuda_std::thread::{block_dim_x, block_idx_x, grid_dim_x, index_1d, sync_threads};
    use cuda_std::warp::WARP_SIZE;

    use super::super::access::{Single, Whole};
    use super::super::arithmetic::SumExpResult;
    use super::super::block::BlockRow;
    use super::super::lanes::{Lanes, Places};
    use super::super::row::nothing;
    use super::super::shapes::LanesShape;
    use super::super::tile::TileRow;
    use super::super::verbs::{Affine, LogOut, logarithms, no_power, norm, softmax};
    use crate::arguments::{Logarithms, Norm, Softmax};
    use crate::forward::FloatElement;

    // Macros, because a closure with all of a verb is too long to be inlined.

    /// Runs code for whole vectors, or for single elements.
    macro_rules! by_access {
        (($elements:ident, $out:ident): ($input:expr, $cells:expr), $len:expr => $run:expr) => {
            match whole::<T, V>($input, $cells, $len) {
                Some(($elements, $out)) => $run,
                None => {
                    let ($elements, $out) = (Single($input), $cells);
                    $run
                }
            }
        };
    }

    /// Runs code with the places of the rows that this warp takes at once, each time of others.
    macro_rules! each_warp {
        ($places:ident of $a:ident, $shape:expr => $run:expr) => {{
            let shape: LanesShape = $shape;
            let of_warp = (K as u64 >> shape.log2_pieces) << (5 - shape.log2_lanes);
            let step = of_warp * u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE);
            let mut first = index_1d() / u64::from(WARP_SIZE) * of_warp;
            while first < $a.rows {
                let $places = Places::new(first, $a.rows, $a.len, shape);
                $run;
                first += step;
            }
        }};
    }

    /// Runs code with each row that this block takes: its number and length.
    macro_rules! each_row {
        ($row:ident of $a:ident => $run:expr) => {{
            let mut number = u64::from(block_idx_x());
            while number < $a.rows {
                let $row = (number, $a.len);
                $run;
                number += u64::from(grid_dim_x());
                if number < $a.rows {
                    // All threads have read the scratch of this row.
                    sync_threads();
                }
            }
        }};
    }

    /// Returns elements and cells as whole vectors, if rows of `len` elements are.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn whole<T: FloatElement, const V: usize>(
        input: GlobalSlice<T>,
        out: GlobalCells<T>,
        len: u64,
    ) -> Option<(Whole<T, V>, GlobalCells<[u32; 4]>)> {
        if len & (V as u64 - 1) == 0 {
            Some((Whole(input.vectors::<V>()?), out.vectors::<V>()?))
        } else {
            None
        }
    }

    /// Returns the elements of rows, and the cells of a result for each.
    ///
    /// # Safety
    /// `input` has `rows` times `len` elements, and `out` room for as many.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn matrices<T: FloatElement>(
        input: Readable<T>,
        out: Writable<T>,
        rows: u64,
        len: u64,
    ) -> (GlobalSlice<T>, GlobalCells<T>) {
        // SAFETY: by this function's contract. Each result is written by the thread that holds its element.
        unsafe { (input.slice(rows * len), out.cells(rows * len)) }
    }

    /// Returns where results go: to `out`, a result for each element, or else to `sums`, a result for each row.
    ///
    /// # Safety
    /// `sums` is there, with room for `rows` results, if `result` is not 0.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn log_out<T: FloatElement, C>(a: Logarithms<T>, out: C) -> LogOut<T, C> {
        let result = match a.result {
            0 => return LogOut::Each(out),
            1 => SumExpResult::Sum,
            2 => SumExpResult::Log,
            _ => SumExpResult::LogMean,
        };
        // SAFETY: by this function's contract: they are there.
        LogOut::One(unsafe { a.sums.get_unchecked().cells(a.rows) }, result)
    }

    /// Runs code for whole vectors, or for single elements: of rows, results and parameters.
    macro_rules! norm_by_access {
        (($elements:ident, $out:ident, $affine:ident): $a:ident => $run:expr) => {{
            // SAFETY: by the contract of the caller.
            let ((input, cells), [weight, bias]) = unsafe {
                let parameters = [$a.weight, $a.bias].map(|of| of.get().map(|of| of.slice($a.len)));
                (matrices($a.input, $a.out, $a.rows, $a.len), parameters)
            };
            let wholes = [weight, bias].map(|of| of.map(|of| of.vectors::<V>()));
            match (whole::<T, V>(input, cells, $a.len), wholes) {
                (Some(($elements, $out)), [None | Some(Some(_)), None | Some(Some(_))]) => {
                    let [weight, bias] = wholes.map(|of| of.flatten().map(Whole));
                    let $affine = Affine { weight, bias };
                    $run
                }
                _ => {
                    let ($elements, $out) = (Single(input), cells);
                    let $affine = Affine { weight: weight.map(Single), bias: bias.map(Single) };
                    $run
                }
            }
        }};
    }

    /// Writes the softmax of each row, which lanes of a warp hold.
    ///
    /// # Safety
    /// Launched with whole warps. `input` has `rows` rows of `len` elements, at least one, and `out` room for as many. `log2_lanes` and
    /// `log2_pieces` are the [shape](LanesShape) for this length.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn softmax_by_lanes<T: FloatElement, const V: usize, const K: usize>(a: Softmax<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (input, out) = unsafe { matrices(a.input, a.out, a.rows, a.len) };
        by_access!((elements, out): (input, out), a.len => each_warp!(places of a, LanesShape { log2_lanes: a.log2_lanes, log2_pieces: a.log2_pieces } => softmax(Lanes::<T, _, V, K>::load(elements, places, no_power()), out)));
    }

    /// Writes the softmax of each row, which a warp holds.
    ///
    /// # Safety
    /// As for [`softmax_by_lanes`], with at most `32 * K * V` elements and any shape of lanes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn softmax_by_warp<T: FloatElement, const V: usize, const K: usize>(a: Softmax<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (input, out) = unsafe { matrices(a.input, a.out, a.rows, a.len) };
        by_access!((elements, out): (input, out), a.len => each_warp!(places of a, LanesShape { log2_lanes: 5, log2_pieces: K.ilog2() } => softmax(Lanes::<T, _, V, K>::load(elements, places, no_power()), out)));
    }

    /// Writes the softmax of each row, which a block holds.
    ///
    /// # Safety
    /// As for [`softmax_by_lanes`], with at most `K` elements for each lane of the tree and blocks of 256 threads, or as many tiles of
    /// `K` vectors for each thread as groups of 256 threads, and any shape of lanes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn softmax_by_tile<T: FloatElement, const V: usize, const K: usize>(a: Softmax<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (input, out) = unsafe { matrices(a.input, a.out, a.rows, a.len) };
        by_access!((elements, out): (input, out), a.len => each_row!(row of a => softmax(TileRow::<T, _, V, K>::load(elements, row, no_power()), out)));
    }

    /// Writes the softmax of each row, which a block goes over.
    ///
    /// # Safety
    /// As for [`softmax_by_lanes`], with blocks of 256, 512 or 1024 threads and any shape of lanes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn softmax_by_block<T: FloatElement, const V: usize>(a: Softmax<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (input, out) = unsafe { matrices(a.input, a.out, a.rows, a.len) };
        by_access!((elements, out): (input, out), a.len => each_row!(row of a => softmax(BlockRow::<T, _, V>::new(elements, row, no_power()), out)));
    }

    /// Writes the logarithm of the softmax of each row, which lanes of a warp hold, if `result` is 0. Otherwise it writes a result for each
    /// row: the sum of the exponentials (1), its logarithm (2), the logarithm of the mean (3).
    ///
    /// # Safety
    /// As for [`softmax_by_lanes`]. If `result` is not 0, `out` is not used, rows may be empty, and `sums` has room for `rows` results.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn logarithms_by_lanes<T: FloatElement, const V: usize, const K: usize>(a: Logarithms<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (input, out) = unsafe { matrices(a.input, a.out.get_unchecked(), a.rows, a.len) };
        by_access!((elements, out): (input, out), a.len => {
            // SAFETY: by this function's contract.
            let out = unsafe { log_out(a, out) };
            each_warp!(places of a, LanesShape { log2_lanes: a.log2_lanes, log2_pieces: a.log2_pieces } => logarithms(Lanes::<T, _, V, K>::load(elements, places, no_power()), out))
        });
    }

    /// Writes as [`logarithms_by_lanes`], of rows which a warp holds.
    ///
    /// # Safety
    /// As for [`logarithms_by_lanes`], with at most `32 * K * V` elements and any shape of lanes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn logarithms_by_warp<T: FloatElement, const V: usize, const K: usize>(a: Logarithms<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (input, out) = unsafe { matrices(a.input, a.out.get_unchecked(), a.rows, a.len) };
        by_access!((elements, out): (input, out), a.len => {
            // SAFETY: by this function's contract.
            let out = unsafe { log_out(a, out) };
            each_warp!(places of a, LanesShape { log2_lanes: 5, log2_pieces: K.ilog2() } => logarithms(Lanes::<T, _, V, K>::load(elements, places, no_power()), out))
        });
    }

    /// Writes as [`logarithms_by_lanes`], of rows which a block holds.
    ///
    /// # Safety
    /// As for [`logarithms_by_lanes`] and [`softmax_by_tile`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn logarithms_by_tile<T: FloatElement, const V: usize, const K: usize>(a: Logarithms<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (input, out) = unsafe { matrices(a.input, a.out.get_unchecked(), a.rows, a.len) };
        by_access!((elements, out): (input, out), a.len => {
            // SAFETY: by this function's contract.
            let out = unsafe { log_out(a, out) };
            each_row!(row of a => logarithms(TileRow::<T, _, V, K>::load(elements, row, no_power()), out))
        });
    }

    /// Writes as [`logarithms_by_lanes`], of rows which a block goes over.
    ///
    /// # Safety
    /// As for [`logarithms_by_lanes`] and [`softmax_by_block`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn logarithms_by_block<T: FloatElement, const V: usize>(a: Logarithms<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (input, out) = unsafe { matrices(a.input, a.out.get_unchecked(), a.rows, a.len) };
        by_access!((elements, out): (input, out), a.len => {
            // SAFETY: by this function's contract.
            let out = unsafe { log_out(a, out) };
            each_row!(row of a => logarithms(BlockRow::<T, _, V>::new(elements, row, no_power()), out))
        });
    }

    /// Writes the root mean square norm of each row, which lanes of a warp hold, or its layer norm if `is_centred` is not 0.
    ///
    /// # Safety
    /// As for [`softmax_by_lanes`]. `weight` and `bias` have `len` elements, if they are there.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn norm_by_lanes<T: FloatElement, const V: usize, const K: usize>(a: Norm<T>) {
        wait_for_earlier_launches();
        let (is_centred, epsilon) = (a.is_centred != 0, a.epsilon);
        norm_by_access!((elements, out, affine): a => each_warp!(places of a, LanesShape { log2_lanes: a.log2_lanes, log2_pieces: a.log2_pieces } => norm(Lanes::<T, _, V, K>::load(elements, places, T::nearest(nothing())), out, affine, is_centred, epsilon)));
    }

    /// Writes as [`norm_by_lanes`], of rows which a warp holds.
    ///
    /// # Safety
    /// As for [`norm_by_lanes`], with at most `32 * K * V` elements and any shape of lanes.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn norm_by_warp<T: FloatElement, const V: usize, const K: usize>(a: Norm<T>) {
        wait_for_earlier_launches();
        let (is_centred, epsilon) = (a.is_centred != 0, a.epsilon);
        norm_by_access!((elements, out, affine): a => each_warp!(places of a, LanesShape { log2_lanes: 5, log2_pieces: K.ilog2() } => norm(Lanes::<T, _, V, K>::load(elements, places, T::nearest(nothing())), out, affine, is_centred, epsilon)));
    }

    /// Writes as [`norm_by_lanes`], of rows which a block holds.
    ///
    /// # Safety
    /// As for [`norm_by_lanes`] and [`softmax_by_tile`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn norm_by_tile<T: FloatElement, const V: usize, const K: usize>(a: Norm<T>) {
        wait_for_earlier_launches();
        let (is_centred, epsilon) = (a.is_centred != 0, a.epsilon);
        norm_by_access!((elements, out, affine): a => each_row!(row of a => norm(TileRow::<T, _, V, K>::load(elements, row, T::nearest(nothing())), out, affine, is_centred, epsilon)));
    }

    /// Writes as [`norm_by_lanes`], of rows which a block goes over.
    ///
    /// # Safety
    /// As for [`norm_by_lanes`] and [`softmax_by_block`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn norm_by_block<T: FloatElement, const V: usize>(a: Norm<T>) {
        wait_for_earlier_launches();
        let (is_centred, epsilon) = (a.is_centred != 0, a.epsilon);
        norm_by_access!((elements, out, affine): a => each_row!(row of a => norm(BlockRow::<T, _, V>::new(elements, row, T::nearest(nothing())), out, affine, is_centred, epsilon)));
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
