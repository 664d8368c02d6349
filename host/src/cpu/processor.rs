//! Code that depends on the processor: the width of its registers, and prefetching. None of it changes a result.

use std::ops::Range;

use gpu_kernels::{Element, Op};

use super::tiles;
use crate::error::Error;

/// Work on one thread that is compiled for the widest registers of each kind of processor.
pub(crate) trait Job {
    /// What it returns.
    type Done;

    /// Does the work. `on` is the kind of processor that this copy is compiled for. Always inlined, with all functions of its hot loops.
    fn run(self, on: impl Processor) -> Self::Done;
}

/// A kind of processor, which this one is.
pub(crate) trait Processor: Copy {
    /// Does a part of a job in a function of its own. It is compiled once for this kind, however many jobs have it.
    fn part<J: Job>(self, part: J) -> J::Done;
}

/// Any processor.
#[derive(Clone, Copy)]
struct Any;

impl Processor for Any {
    #[inline(never)]
    fn part<J: Job>(self, part: J) -> J::Done {
        part.run(self)
    }
}

macro_rules! kinds {
    ($($kind:ident $name:ident: $($feature:tt),*;)*) => { $(
        /// A processor with these features. Only `detect` makes it.
        #[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
        #[derive(Clone, Copy)]
        struct $kind(());

        #[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
        impl $kind {
            /// Returns this kind, if this processor is of it.
            #[inline(always)]
            fn detect() -> Option<Self> {
                (true $( && std::arch::is_x86_feature_detected!($feature) )*).then_some(Self(()))
            }
        }

        #[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
        impl Processor for $kind {
            #[inline(always)]
            fn part<J: Job>(self, part: J) -> J::Done {
                // SAFETY: `detect` found all features that the function is compiled for.
                unsafe { $name(part, self) }
            }
        }

        #[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
        $( #[target_feature(enable = $feature)] )*
        fn $name<J: Job>(job: J, on: $kind) -> J::Done {
            job.run(on)
        }
    )* };
}
kinds! {
    Avx512 avx512: "avx512f", "avx512bw", "avx512dq", "avx512vl";
    Avx2 avx2: "avx2";
}

/// Does a job in the widest registers that this processor has. The bits are the same for all widths: more lanes are
/// folded at once, each in its own order, and Rust never fuses a multiplication and an addition.
///
/// A build with debug assertions has only the narrowest version: it gains little from wide registers, and so compiles
/// each job only once.
pub(crate) fn widest<J: Job>(job: J) -> J::Done {
    #[cfg(all(target_arch = "x86_64", any(test, not(debug_assertions))))]
    {
        if let Some(on) = Avx512::detect() {
            return on.part(job);
        }
        if let Some(on) = Avx2::detect() {
            return on.part(job);
        }
    }
    Any.part(job)
}

/// The arguments of [`tiles::fold`].
pub(super) struct Tiles<'a, T: Element, O: Op<T>> {
    pub(super) op: O,
    pub(super) x: &'a [T],
    pub(super) tile_len: usize,
    pub(super) base: u64,
    pub(super) results: &'a mut [O::Acc],
}

impl<T: Element, O: Op<T>> Job for Tiles<'_, T, O> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, _: impl Processor) -> Result<(), Error> {
        tiles::fold::<T, O>(self.op, self.x, self.tile_len, self.base, self.results)
    }
}

/// Does [`tiles::fold`] in the widest registers that this processor has.
pub(super) fn fold_tiles<T: Element, O: Op<T>>(
    op: O,
    x: &[T],
    tile_len: usize,
    base: u64,
    results: &mut [O::Acc],
) -> Result<(), Error> {
    widest(Tiles { op, x, tile_len, base, results })
}

/// Prefetches the first two cache lines after `row` in memory: hardware prefetchers stop at the end of a page, and
/// start again when the next page is touched. Two lines are the best of 1 to 16 (docs/tuning/cpu.md).
#[inline(always)]
pub(super) fn touch_after<T>(row: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let next = row.as_ptr_range().end.cast::<i8>();
        for line in 0..2 {
            // SAFETY: a prefetch has no effect that a program can see, for any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(next.wrapping_add(64 * line)) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

/// Prefetches the elements in `range`, counted from the end of `rows`, if stable Rust has an instruction for it.
///
/// It prefetches to the second-level cache, because the first has no space for both the current and the next elements.
/// Sums from memory are then faster than with the first (docs/tuning/cpu.md).
#[inline(always)]
pub(super) fn prefetch_after<T>(rows: &[T], range: Range<usize>) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        let next = rows.as_ptr_range().end;
        let (start, end) = (range.start * size_of::<T>(), range.end * size_of::<T>());
        for byte in (start..end).step_by(64) {
            // SAFETY: a prefetch has no effect that a program can see, for any address.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(next.cast::<i8>().wrapping_add(byte)) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (rows, range);
}

/// Prefetches the cache line after the one of an element that is written now, for loops that write to many places in
/// turn, each in the order of memory: hardware prefetchers detect few such places, and a write that waits for its line
/// makes later writes wait. On a Xeon it more than halves the time (docs/tuning/cpu.md).
#[inline(always)]
pub(super) fn touch_line_after<T>(element: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect that a program can see, for any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const *element).cast::<i8>().wrapping_add(64)) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = element;
}

/// Elements of a block of [`read_ahead`].
pub(super) const BLOCK: usize = 16;

/// Returns `x` in blocks, and the elements after the last one. Prefetches elements some blocks ahead of each: for loops
/// that read several arrays, or write to many addresses, which hardware prefetchers do not keep up with. Blocks have a
/// constant length, so that a loop over one is unrolled. Such a loop is then as fast as from a cache
/// (docs/tuning/cpu.md).
#[inline(always)]
pub(super) fn read_ahead<T>(x: &[T]) -> (impl Iterator<Item = &[T; BLOCK]>, &[T]) {
    let (blocks, rest) = x.as_chunks::<BLOCK>();
    (blocks.iter().inspect(|block| prefetch_ahead(block)), rest)
}

/// Prefetches as many bytes as a block has, some blocks after it.
#[inline(always)]
fn prefetch_ahead<T>(block: &[T; BLOCK]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        /// Bytes that [`read_ahead`] prefetches ahead: the best of 512 to 4096 (docs/tuning/cpu.md).
        const AHEAD: usize = 1024;
        for byte in (AHEAD..AHEAD + size_of_val(block)).step_by(64) {
            // SAFETY: a prefetch has no effect that a program can see, for any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(block.as_ptr().cast::<i8>().wrapping_add(byte)) }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = block;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::neighbours;
    use gpu_kernels::{ArgMax, Max, Min, Product, Sum, reference, tree};

    type Fold<T, O> = fn(O, &[T], usize, u64, &mut [<O as Op<T>>::Acc]) -> Result<(), Error>;

    /// Returns all compiled versions that this processor can run, not only the widest.
    fn ways<T: Element, O: Op<T>>() -> Vec<(&'static str, Fold<T, O>)> {
        let mut ways: Vec<(_, Fold<T, O>)> =
            vec![("chosen", fold_tiles::<T, O>), ("any processor's", tiles::fold::<T, O>)];
        #[cfg(target_arch = "x86_64")]
        if Avx2::detect().is_some() {
            ways.push(("AVX2", |op, x, tile_len, base, results| {
                Avx2::detect().unwrap().part(Tiles { op, x, tile_len, base, results })
            }));
        }
        ways
    }

    fn check<T: Element, O: Op<T> + Default>(at: impl Fn(u64) -> T) {
        let x: Vec<T> = (0..40_000).map(at).collect();
        for n in [0_usize, 1, 7, 1000, 1024, 1025, 2047, 2048, 4096, 4097, 16_385, 40_000] {
            let tile_len = tree::tile_len::<T>(n as u64) as usize;
            for (way, fold) in ways::<T, O>() {
                let mut results = vec![O::IDENTITY; n.div_ceil(tile_len)];
                fold(O::default(), &x[..n], tile_len, 0, &mut results).unwrap();
                let acc = neighbours::fold::<T, O>(&mut results);
                let expected = reference::fold(O::default(), &x[..n]);
                assert_eq!(bytemuck::bytes_of(&acc), bytemuck::bytes_of(&expected), "{way}, {n} elements");
            }
        }
    }

    /// One third of the elements are NaN, which extremes skip.
    fn float(i: u64) -> f32 {
        if i % 3 == 1 { f32::NAN } else { (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f32 - 8e6 }
    }

    #[test]
    fn every_way_gives_the_bits_of_the_reference() {
        check::<f32, Sum>(|i| 1.0 / (i + 1) as f32);
        check::<f64, Product>(|i| 1.0 + 1.0 / (i + 1) as f64);
        check::<i32, Sum>(|i| (i as i32).wrapping_mul(0x9E37_79B9_u32 as i32));
        check::<u64, Max>(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        check::<f32, Min>(float);
        check::<f64, Max>(|i| f64::from(float(i)));
        check::<f32, ArgMax>(float);
    }

    /// An operator over bytes and pairs of bytes. Their rows have more lanes than rows of wider elements.
    #[derive(Clone, Copy, Default)]
    struct Mixed<const COMMUTATIVE: bool>;
    macro_rules! mixed {
        ($($element:ty),*) => { $(
            impl<const COMMUTATIVE: bool> Op<$element> for Mixed<COMMUTATIVE> {
                type Acc = u64;
                type Out = u64;
                const IDENTITY: u64 = 0;
                const COMMUTATIVE: bool = COMMUTATIVE;
                fn lift(self, x: $element, index: u64) -> u64 {
                    (u64::from(x) + index).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1
                }
                fn combine(left: u64, right: u64) -> u64 {
                    // Neither associative nor commutative: the result is the tree.
                    if left == 0 || right == 0 { left | right } else { left.wrapping_mul(3) ^ right.rotate_left(7) | 1 }
                }
                fn finish(acc: u64, _len: u64) -> u64 {
                    acc
                }
            }
        )* };
    }
    mixed!(u8, u16);

    #[test]
    fn short_elements_give_the_bits_of_the_reference() {
        check::<u8, Mixed<true>>(|i| i as u8);
        check::<u16, Mixed<true>>(|i| i as u16);
        check::<u8, Mixed<false>>(|i| i as u8);
        check::<u16, Mixed<false>>(|i| i as u16);
    }

    /// A user's element for which the user implements an operator of this crate.
    #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(transparent)]
    struct Own(f32);

    impl Op<Own> for Max {
        type Acc = f32;
        type Out = f32;
        const IDENTITY: f32 = -0.0;
        const COMMUTATIVE: bool = true;
        fn lift(self, x: Own, _index: u64) -> f32 {
            x.0
        }
        fn combine(left: f32, right: f32) -> f32 {
            left + right
        }
        fn finish(acc: f32, _len: u64) -> f32 {
            acc
        }
    }

    #[test]
    fn an_operator_over_a_users_element_follows_the_tree_whatever_its_name() {
        check::<Own, Max>(|i| Own(1.0 / (i + 1) as f32));
    }
}
