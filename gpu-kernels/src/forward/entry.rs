//! The entry points of softmax, norms and sums of exponentials: raw arguments become handles, then one call for each row.
//!
//! [`forward_kernels!`](crate::forward_kernels) names `<entry>_softmax_by_lanes`, `<entry>_softmax_by_block` and their like.

/// The generic bodies that the stamps call. Each may overlap the launch before it, like the bodies of
/// [`entry::raw`](crate::entry::raw).
pub mod raw {
    use cuda_std::global::{GlobalCells, GlobalSlice};
    use cuda_std::grid::wait_for_earlier_launches;
    use cuda_std::memory::{Readable, Writable};
    use cuda_std::thread::{block_dim_x, block_idx_x, grid_dim_x, index_1d};
    use cuda_std::warp::{WARP_SIZE, lane_id};

    use super::super::arithmetic::SumExpResult;
    use super::super::block::{Block, BlockRow};
    use super::super::lanes::{Lanes, Places};
    use super::super::row::{Elements, nothing};
    use super::super::shapes::LanesShape;
    use super::super::verbs::{Affine, LogOut, logarithms, no_power, norm, softmax};
    use crate::arguments::{Logarithms, Norm, Softmax};
    use crate::forward::FloatElement;

    /// Rows of `len` elements each.
    #[derive(Clone, Copy)]
    struct Matrix<T> {
        elements: GlobalSlice<T>,
        rows: u64,
        len: u64,
    }

    /// Calls `run` with the rows that this warp takes at once, each time with others.
    #[inline(always)]
    fn by_lanes<T: FloatElement, const V: usize, const K: usize>(
        Matrix { elements, rows, len }: Matrix<T>,
        (log2_lanes, log2_pieces): (u32, u32),
        absent: T::Carrier,
        run: impl Fn(Lanes<T, V, K>),
    ) {
        let elements = Elements::new(elements, len & (V as u64 - 1) == 0);
        let shape = LanesShape { log2_lanes, log2_pieces };
        let side_by_side = 5 - log2_lanes;
        let of_warp = (K as u64 >> log2_pieces) << side_by_side;
        let step = of_warp * u64::from(grid_dim_x()) * u64::from(block_dim_x() / WARP_SIZE);
        let mut first = index_1d() / u64::from(WARP_SIZE) * of_warp;
        while first < rows {
            let places = Places { first: first + u64::from(lane_id() >> log2_lanes), rows, len, shape };
            run(Lanes::load(elements, places, absent));
            first += step;
        }
    }

    /// Calls `run` with each row that this block takes.
    #[inline(always)]
    fn by_block<T: FloatElement, const V: usize>(
        Matrix { elements, rows, len }: Matrix<T>,
        absent: T::Carrier,
        run: impl Fn(BlockRow<'_, T, V>),
    ) {
        let mut block = Block::new();
        let mut row = u64::from(block_idx_x());
        while row < rows {
            let elements = Elements::new(elements.window(row * len, len), len & (V as u64 - 1) == 0);
            run(BlockRow::new(&mut block, elements, row, absent));
            row += u64::from(grid_dim_x());
        }
    }

    /// Returns the elements of rows, and the cells of a result for each.
    ///
    /// # Safety
    /// `input` has `rows` times `len` elements, and `out` room for as many.
    #[inline(always)]
    unsafe fn matrices<T: FloatElement>(
        input: Readable<T>,
        out: Writable<T>,
        rows: u64,
        len: u64,
    ) -> (Matrix<T>, GlobalCells<T>) {
        // SAFETY: by this function's contract. Each result is written by the thread that holds its element.
        unsafe { (Matrix { elements: input.slice(rows * len), rows, len }, out.cells(rows * len)) }
    }

    /// Writes the softmax of each row, which lanes of a warp hold.
    ///
    /// # Safety
    /// Launched with whole warps. `input` has `rows` rows of `len` elements, at least one, and `out` room for as many. `log2_lanes` and
    /// `log2_pieces` are the [shape](LanesShape) for this length.
    #[inline(always)]
    pub unsafe fn softmax_by_lanes<T: FloatElement, const V: usize, const K: usize>(a: Softmax<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (matrix, out) = unsafe { matrices(a.input, a.out, a.rows, a.len) };
        by_lanes::<T, V, K>(matrix, (a.log2_lanes, a.log2_pieces), no_power::<T>(), |rows| {
            softmax(rows, out)
        });
    }

    /// Writes the softmax of each row, which a block has.
    ///
    /// # Safety
    /// As for [`softmax_by_lanes`], with blocks of 256, 512 or 1024 threads and any shape of lanes.
    #[inline(always)]
    pub unsafe fn softmax_by_block<T: FloatElement, const V: usize>(a: Softmax<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (matrix, out) = unsafe { matrices(a.input, a.out, a.rows, a.len) };
        by_block::<T, V>(matrix, no_power::<T>(), |row| softmax(row, out));
    }

    /// Returns where results go: to `out`, a result for each element, or else to `sums`, a result for each row.
    ///
    /// # Safety
    /// `sums` is there, with room for `rows` results, if `result` is not 0.
    #[inline(always)]
    unsafe fn log_out<T: FloatElement>(a: Logarithms<T>, out: GlobalCells<T>) -> LogOut<T> {
        let result = match a.result {
            0 => return LogOut::Each(out),
            1 => SumExpResult::Sum,
            2 => SumExpResult::Log,
            _ => SumExpResult::LogMean,
        };
        // SAFETY: by this function's contract: they are there.
        LogOut::One(unsafe { a.sums.get_unchecked().cells(a.rows) }, result)
    }

    /// Writes the logarithm of the softmax of each row, which lanes of a warp hold, if `result` is 0. Otherwise it writes a result for each
    /// row: the sum of the exponentials (1), its logarithm (2), the logarithm of the mean (3).
    ///
    /// # Safety
    /// As for [`softmax_by_lanes`]. If `result` is not 0, `out` is not used, rows may be empty, and `sums` has room for `rows` results.
    #[inline(always)]
    pub unsafe fn logarithms_by_lanes<T: FloatElement, const V: usize, const K: usize>(a: Logarithms<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (matrix, out) = unsafe { matrices(a.input, a.out.get_unchecked(), a.rows, a.len) };
        // SAFETY: by this function's contract.
        let out = unsafe { log_out(a, out) };
        by_lanes::<T, V, K>(matrix, (a.log2_lanes, a.log2_pieces), no_power::<T>(), |rows| {
            logarithms(rows, out)
        });
    }

    /// Writes as [`logarithms_by_lanes`], of rows which a block has each.
    ///
    /// # Safety
    /// As for [`logarithms_by_lanes`], with blocks of 256, 512 or 1024 threads and any shape of lanes.
    #[inline(always)]
    pub unsafe fn logarithms_by_block<T: FloatElement, const V: usize>(a: Logarithms<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let (matrix, out) = unsafe { matrices(a.input, a.out.get_unchecked(), a.rows, a.len) };
        // SAFETY: by this function's contract.
        let out = unsafe { log_out(a, out) };
        by_block::<T, V>(matrix, no_power::<T>(), |row| logarithms(row, out));
    }

    /// Returns the parameters of the columns.
    ///
    /// # Safety
    /// `weight` and `bias` have `len` elements, if they are there.
    #[inline(always)]
    unsafe fn affine<T: FloatElement>(a: Norm<T>) -> Affine<T> {
        // SAFETY: by this function's contract.
        let [weight, bias] = [a.weight, a.bias].map(|of| of.get().map(|of| unsafe { of.slice(a.len) }));
        Affine { weight, bias }
    }

    /// Writes the root mean square norm of each row, which lanes of a warp hold, or its layer norm if `is_centred` is not 0.
    ///
    /// # Safety
    /// As for [`softmax_by_lanes`]. `weight` and `bias` have `len` elements, if they are there.
    #[inline(always)]
    pub unsafe fn norm_by_lanes<T: FloatElement, const V: usize, const K: usize>(a: Norm<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let ((matrix, out), affine) = unsafe { (matrices(a.input, a.out, a.rows, a.len), affine(a)) };
        by_lanes::<T, V, K>(matrix, (a.log2_lanes, a.log2_pieces), nothing(), |rows| {
            norm(rows, out, affine, a.is_centred != 0, a.epsilon);
        });
    }

    /// Writes as [`norm_by_lanes`], of rows which a block has each.
    ///
    /// # Safety
    /// As for [`norm_by_lanes`], with blocks of 256, 512 or 1024 threads and any shape of lanes.
    #[inline(always)]
    pub unsafe fn norm_by_block<T: FloatElement, const V: usize>(a: Norm<T>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract.
        let ((matrix, out), affine) = unsafe { (matrices(a.input, a.out, a.rows, a.len), affine(a)) };
        by_block::<T, V>(matrix, nothing(), |row| norm(row, out, affine, a.is_centred != 0, a.epsilon));
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
