//! The entry points: raw arguments become handles, then one call into the rung.

use cuda_std::atomic::AtomicCells;
use cuda_std::global::GlobalCells;
use cuda_std::kernel;
use cuda_std::memory::Pointer;

use crate::arguments::ladder::{Between, Transpose, WithTicket};
use crate::ladder;

/// A rung's entry point as the emulator calls it.
pub type Sum<T> = unsafe fn(Between<T>);

/// Stamps entry points `name = "export": body;` for one element type, and their list.
macro_rules! sums {
    ($list:ident: $element:ident, $output:ident; $($name:ident = $export:literal: $body:path;)*) => {
        /// These entry points, by name.
        #[cfg(not(target_arch = "nvptx64"))]
        pub const $list: &[(&str, Sum<$element>)] =
            &[$((concat!("ladder_", $export, "_", stringify!($element)), $name)),*];

        $(kernel! {
            #[doc = concat!("`", stringify!($body), "` of ", stringify!($element), ".")]
            ///
            /// # Safety
            /// Launched with blocks of a size that the [rung](crate::ladder::host::rung) takes, in one dimension. `input` has
            /// `len` numbers, and `out` room for as many as the step leaves. Cells that are added to atomically are zero.
            pub unsafe fn $name as concat!("ladder_", $export, "_", stringify!($element)) =>
                |a: Between<$element>| {
                // SAFETY: by this function's contract; every thread of the block makes the same call, and no index passes what
                // the step leaves.
                unsafe { $body(a.input.slice(a.len), $output::new(a.out.address(), u64::MAX)) }
            }
        })*
    };
}

/// Stamps every rung for some element types.
macro_rules! rungs {
    ($($element:ident)*) => { $(
        #[doc = concat!("The rungs that add ", stringify!($element), ".")]
        pub mod $element {
            use super::*;

            sums! { ADDING: $element, AtomicCells;
                atomic = "01_atomic": ladder::atomic::per_element;
                atomic_per_thread = "12_atomic_per_thread": ladder::single_pass::atomic_per_thread;
                atomic_per_block = "12_atomic_per_block": ladder::single_pass::atomic_per_block;
            }
            sums! { WRITING: $element, GlobalCells;
                pairwise = "02_pairwise": ladder::pairwise::halve;
                divergent = "03_divergent": ladder::interleaved::divergent;
                strided = "04_strided": ladder::interleaved::strided;
                sequential = "05_sequential": ladder::sequential::reduce;
                first_add = "06_first_add": ladder::first_add::reduce;
                last_warp = "07_last_warp": ladder::last_warp::reduce;
                unrolled_64 = "08_unrolled_64": ladder::unrolled::reduce::<$element, 64>;
                unrolled_128 = "08_unrolled_128": ladder::unrolled::reduce::<$element, 128>;
                unrolled_256 = "08_unrolled_256": ladder::unrolled::reduce::<$element, 256>;
                unrolled_512 = "08_unrolled_512": ladder::unrolled::reduce::<$element, 512>;
                unrolled_1024 = "08_unrolled_1024": ladder::unrolled::reduce::<$element, 1024>;
                grid_stride_64 = "09_grid_stride_64": ladder::grid_stride::reduce::<$element, 64>;
                grid_stride_128 = "09_grid_stride_128": ladder::grid_stride::reduce::<$element, 128>;
                grid_stride_256 = "09_grid_stride_256": ladder::grid_stride::reduce::<$element, 256>;
                grid_stride_512 = "09_grid_stride_512": ladder::grid_stride::reduce::<$element, 512>;
                grid_stride_1024 = "09_grid_stride_1024": ladder::grid_stride::reduce::<$element, 1024>;
                any_size = "10_any_size": ladder::any_size::reduce;
                one_block = "14_one_block": ladder::one_block::any_length;
                threads_only = "14_threads_only": ladder::one_block::threads_only;
                shuffle = "15_shuffle": ladder::shuffle::reduce;
            }

            kernel! {
                /// Rung 13.
                ///
                /// # Safety
                /// As for the others, with room in `out` for the total and one sum per block, and a `ticket` that is 0.
                pub unsafe fn ticket as concat!("ladder_13_ticket_", stringify!($element)) =>
                    |a: WithTicket<$element>| {
                    // SAFETY: by this function's contract.
                    unsafe {
                        ladder::ticket::reduce(
                            a.input.slice(a.len),
                            a.out.cells(u64::from(cuda_std::thread::grid_dim_x()) + 1),
                            a.ticket.ticket(),
                        );
                    }
                }
            }
        }
    )* };
}
rungs!(i32 f32);

/// Stamps the scans of one block.
macro_rules! block_scans {
    ($($name:ident: $body:path;)*) => { $(
        kernel! {
            #[doc = concat!("`", stringify!($body), "`.")]
            ///
            /// # Safety
            /// Launched with one block of a power of two of threads, at most 512. `input` has `len` integers, at most as many as
            /// the block scans, and `out` room for as many.
            pub unsafe fn $name as concat!("ladder_", stringify!($name)) =>
                |a: Between<i32>| {
                // SAFETY: by this function's contract; each thread writes its own elements.
                let (input, out) = unsafe { (a.input.slice(a.len), a.out.cells(a.len)) };
                $body(input, out);
            }
        }
    )* };
}
block_scans! {
    scan_hillis_steele: ladder::block_scan::hillis_steele;
    scan_blelloch: ladder::block_scan::blelloch::<i32, false>;
    scan_blelloch_padded: ladder::block_scan::blelloch::<i32, true>;
}

/// Stamps the coalescing experiment.
macro_rules! copies {
    ($($name:ident: $body:path;)*) => { $(
        kernel! {
            #[doc = concat!("`", stringify!($body), "`.")]
            ///
            /// # Safety
            /// Launched in one dimension with a thread per element, or per three. `input` has `len` floats, and `out` room for as
            /// many.
            pub unsafe fn $name as concat!("ladder_coalescing_", stringify!($name)) =>
                |a: Between<f32>| {
                // SAFETY: by this function's contract; each thread writes its own elements.
                let (input, out) = unsafe { (a.input.slice(a.len), a.out.cells(a.len)) };
                $body(input, out);
            }
        }
    )* };
}
copies! {
    direct: ladder::coalescing::direct;
    permuted: ladder::coalescing::permuted;
    misaligned: ladder::coalescing::misaligned;
    three_direct: ladder::coalescing::three_direct;
    three_through_shared: ladder::coalescing::three_through_shared;
}

/// Stamps the transposes.
macro_rules! transposes {
    ($($name:ident: $body:path;)*) => { $(
        kernel! {
            #[doc = concat!("`", stringify!($body), "`.")]
            ///
            /// # Safety
            /// Launched with blocks of 32 x 8 threads, one per tile. `input` has `height` rows of `width` floats, and `out` room
            /// for as many.
            pub unsafe fn $name as concat!("ladder_", stringify!($name)) =>
                |a: Transpose<f32>| {
                let len = u64::from(a.width) * u64::from(a.height);
                // SAFETY: by this function's contract; each thread writes its own elements.
                let (input, out) = unsafe { (a.input.slice(len), a.out.cells(len)) };
                $body(input, out, ladder::transpose::Extent { width: a.width, height: a.height });
            }
        }
    )* };
}
transposes! {
    transpose_naive: ladder::transpose::naive;
    transpose_tiled: ladder::transpose::tiled::<32>;
    transpose_padded: ladder::transpose::tiled::<33>;
}
