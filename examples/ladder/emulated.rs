//! Kernels in the emulator that are not rungs of gpu-kernels' ladder: the library's own, and those that move
//! data.

use cuda_std::emulator::{Counts, Launch, Misuse, Order};
use cuda_std::memory::{Atomic, Readable, Writable};
use gpu_kernels::arguments::Grid;
use gpu_kernels::arguments::ladder::{Between, Transpose};
use gpu_kernels::ladder::host::sectors::InSectors;
use gpu_kernels::ladder::{entry, transpose};
use gpu_kernels::tree;

use crate::number::Number;

/// The library's entry points, generated from its catalogue.
mod library {
    gpu_kernels::stamp_kernels! {
        reduce_sum_i32_in_i32: gpu_kernels::SumIn<i32>, i32;
        reduce_sum_f32: gpu_kernels::Sum, f32;
    }
}

/// A type that the library's kernels can sum.
pub(crate) trait Library: Number {
    /// The entry point for any number of blocks.
    const GRID: unsafe fn(Grid<Readable<Self>, Self, Self::Library>);
}

impl Library for i32 {
    const GRID: unsafe fn(Grid<Readable<Self>, Self, Self::Library>) = library::reduce_sum_i32_in_i32::grid;
}

impl Library for f32 {
    const GRID: unsafe fn(Grid<Readable<Self>, Self, Self::Library>) = library::reduce_sum_f32::grid;
}

/// The sum of the non-empty `x`, by the library's kernel in one launch with a ticket.
pub(crate) fn by_library<T: Library>(x: &[T], blocks: u32, order: Order) -> Result<(T, Counts), Misuse> {
    const THREADS: u32 = tree::THREADS as u32;
    let n = x.len() as u64;
    let x = InSectors::copied(x);
    let x = x.as_slice();
    let mut partials = vec![T::ZERO; tree::tiles::<T>(n) as usize];
    let (mut ticket, mut out) = ([0u32], [T::ZERO]);
    let arguments = Grid {
        input: x.into(),
        len: n,
        base: 0,
        log2_tile: tree::tile_len::<T>(n).ilog2(),
        partials: (&mut partials[..]).into(),
        ticket: Atomic::from(&mut ticket[..]).into(),
        out: Writable::from(&mut out[..]).into(),
        tag: 0,
        op: T::Library::default(),
    };
    let counts = Launch::new(blocks, THREADS)
        .order(order)
        .register(x)
        .register(&raw const partials[..])
        .register(&raw const ticket[..])
        .register(&raw const out[..])
        // SAFETY: all live as long as the launch, and there is room for a partial result of each tile.
        .run(|| unsafe { T::GRID(arguments) })?;
    Ok((out[0], counts))
}

/// A kernel of the coalescing experiment, with the number of elements per thread.
pub(crate) struct Copying {
    pub(crate) name: &'static str,
    pub(crate) per_thread: usize,
    kernel: unsafe fn(Between<f32>),
}

/// The experiment. [`Copying::name`] is the name of the entry point without `ladder_`.
pub(crate) const COPYING: [Copying; 5] = [
    Copying { name: "coalescing_direct", per_thread: 1, kernel: entry::direct },
    Copying { name: "coalescing_permuted", per_thread: 1, kernel: entry::permuted },
    Copying { name: "coalescing_misaligned", per_thread: 1, kernel: entry::misaligned },
    Copying { name: "coalescing_three_direct", per_thread: 3, kernel: entry::three_direct },
    Copying { name: "coalescing_three_through_shared", per_thread: 3, kernel: entry::three_through_shared },
];

impl Copying {
    /// The counts for `len` floats.
    pub(crate) fn count(&self, len: usize, threads: u32) -> Result<Counts, Misuse> {
        let (input, mut out) = (InSectors::filled(len, 1.0), InSectors::filled(len, 0.0));
        let (from, to) = (input.as_slice(), out.as_mut_slice());
        let blocks = (len as u64).div_ceil(self.per_thread as u64 * u64::from(threads)).max(1) as u32;
        let launch = Launch::new(blocks, threads).register(from).register(&raw const *to);
        let arguments = Between { input: from.into(), len: len as u64, out: to.into() };
        // SAFETY: both have `len` floats and live as long as the launch, which has a thread per float or per
        // three floats.
        launch.run(|| unsafe { (self.kernel)(arguments) })
    }
}

/// A transpose.
pub(crate) struct Transposing {
    pub(crate) name: &'static str,
    kernel: unsafe fn(Transpose<f32>),
}

/// All transposes. [`Transposing::name`] is the name of the entry point without `ladder_`.
pub(crate) const TRANSPOSING: [Transposing; 3] = [
    Transposing { name: "transpose_naive", kernel: entry::transpose_naive },
    Transposing { name: "transpose_tiled", kernel: entry::transpose_tiled },
    Transposing { name: "transpose_padded", kernel: entry::transpose_padded },
];

impl Transposing {
    /// The counts for a matrix with `side` rows and columns.
    pub(crate) fn count(&self, side: u32) -> Result<Counts, Misuse> {
        let len = (side * side) as usize;
        let (input, mut out) = (InSectors::filled(len, 1.0), InSectors::filled(len, 0.0));
        let (from, to) = (input.as_slice(), out.as_mut_slice());
        let tiles = side.div_ceil(transpose::TILE);
        let launch = Launch::new((tiles, tiles), (transpose::TILE, transpose::ROWS));
        let launch = launch.register(from).register(&raw const *to);
        let arguments = Transpose { input: from.into(), out: to.into(), width: side, height: side };
        // SAFETY: both have that many floats and live as long as the launch, which has a block per tile.
        launch.run(|| unsafe { (self.kernel)(arguments) })
    }
}
