//! The entry point of packing: raw arguments become handles, then one call.
//!
//! `<entry>_pack` is one of [`move_kernels!`](crate::move_kernels).

/// The generic bodies that the stamps call. Each may overlap the launch before it, like the bodies of
/// [`entry::raw`](crate::entry::raw).
pub mod raw {
    use cuda_std::grid::wait_for_earlier_launches;

    use super::super::boxes::BOX_BYTES;
    use super::super::copy;
    use crate::arguments::Pack;
    use crate::word::Word;

    cuda_std::shared_bytes! {
        /// The words of a box.
        fn moves_box: 12288
    }

    /// Copies the words of a strided view to `out`, contiguous and in row-major order.
    ///
    /// # Safety
    /// Launched with blocks of [`BOX_THREADS`](crate::pack::boxes::BOX_THREADS) threads. `input` has `len` words, and `out` room
    /// for as many words as the view has, which `boxes` describes. `K` is
    /// [`words_per_thread`](crate::pack::boxes::words_per_thread), and `PLACES` as many as [`BOX_BYTES`] hold.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn pack<W: Word, const K: usize, const PLACES: usize>(a: Pack<W>) {
        const { assert!(PLACES * size_of::<W::Shared>() == BOX_BYTES) }
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; boxes write each word of the view to its own place.
        let (input, out) = unsafe { (a.input.slice(a.len), a.out.cells(u64::MAX)) };
        copy::boxes::<W, K>(input, out, &a.boxes, moves_box().array::<W::Shared, PLACES>().slice());
    }
}
