//! Results finished by a kernel, under the emulator: each has the bits of the host's `finish` of the same
//! accumulator.
#![allow(missing_docs)]

use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::Finish;
use gpu_kernels::{Storable, StoredOf};
use warpfold::{Accumulator, Element, Op, reference};
use warpfold_tests::data::Family::{Ordinary, Special, SpecialOnly};
use warpfold_tests::{Bits, Sample, samples, stored_bits};

/// Numbers of elements: those without a mean or a variance, and those that a float rounds.
const LENS: [u64; 8] = [0, 1, 2, 3, 1000, (1 << 24) + 1, (1 << 53) + 1, 1 << 58];

/// Accumulators of one special element each, of few and of many elements with NaN and infinities among them,
/// and of none.
fn accumulators<T: Element + Sample, O: Op<T>>(op: O) -> Vec<O::Acc> {
    let fold = |x: &[T]| reference::fold(op, x);
    let mut accs: Vec<_> = T::special().into_iter().chain(T::nans()).map(|x| fold(&[x])).collect();
    for (family, seed) in [(Ordinary, 41), (Special, 42), (SpecialOnly, 43)] {
        accs.extend(samples::<T>(family, seed, 60).chunks(5).map(fold));
    }
    accs.push(fold(&samples::<T>(Ordinary, 44, 3000)));
    accs.push(O::IDENTITY);
    accs
}

/// Memory filled with this byte.
fn filled<A: bytemuck::Pod>(len: usize, byte: u8) -> Vec<A> {
    let mut cells = vec![A::zeroed(); len];
    bytemuck::cast_slice_mut::<A, u8>(&mut cells).fill(byte);
    cells
}

/// Runs the kernel over accumulators of `len` elements each, or of the lengths between offsets.
fn run<T: Element, O: Op<T>>(
    finish: unsafe fn(Finish<T, O>),
    accs: &[O::Acc],
    len: u64,
    offsets: Option<&[u64]>,
    (blocks, threads, order): (u32, u32, Order),
) -> Vec<StoredOf<T, O>>
where
    O::Out: Storable,
{
    let mut out = filled::<StoredOf<T, O>>(accs.len(), 0xa5);
    let (from, to, count) = (accs.as_ptr(), out.as_mut_ptr(), accs.len() as u64);
    let between = offsets.map_or(std::ptr::null(), <[u64]>::as_ptr);
    let arguments = Finish { accs: from, count, len, offsets: between, out: to };
    Launch::new(blocks, threads)
        .order(order)
        .register(accs)
        .register(offsets.unwrap_or(&[]))
        .register(&raw const out[..])
        // SAFETY: all arrays live as long as the launch and have the lengths given.
        .run(|| unsafe { finish(arguments) })
        .unwrap_or_else(|misuse| panic!("{count} of {len}, {blocks} blocks of {threads}: {misuse}"));
    out
}

/// Every accumulator with every number of elements: all with the same number, and each with another.
fn check<T: Element + Sample, O: Op<T> + Default>(finish: unsafe fn(Finish<T, O>))
where
    O::Out: Bits + Storable<Stored: Bits>,
{
    let accs = accumulators::<T, O>(O::default());
    let expected =
        |acc: O::Acc, len: u64| stored_bits(O::finish(if len == 0 { O::IDENTITY } else { acc }, len));
    let bits = |out: Vec<StoredOf<T, O>>| out.iter().map(Bits::bits).collect::<Vec<_>>();
    for len in LENS {
        let right: Vec<String> = accs.iter().map(|&acc| expected(acc, len)).collect();
        let found = run::<T, O>(finish, &accs, len, None, (2, 32, Order::Reversed));
        assert_eq!(bits(found), right, "{len} elements each");
    }
    // A number of elements for each accumulator: an odd step visits all numbers.
    let lens: Vec<u64> = (0..accs.len()).map(|i| LENS[(i * 3 + 1) % LENS.len()]).collect();
    let mut offsets = vec![7];
    offsets.extend(lens.iter().scan(7u64, |end, &len| {
        *end += len;
        Some(*end)
    }));
    let accs: Vec<O::Acc> =
        accs.into_iter().zip(&lens).map(|(acc, &len)| if len == 0 { rubbish() } else { acc }).collect();
    let right: Vec<String> = accs.iter().zip(&lens).map(|(&acc, &len)| expected(acc, len)).collect();
    for launch in [(1, 32, Order::InOrder), (3, 64, Order::Interleaved(4)), (1, 256, Order::Shuffled(5))] {
        let found = run::<T, O>(finish, &accs, 5, Some(&offsets), launch);
        assert_eq!(bits(found), right, "{launch:?}");
    }
    let (blocks, threads, order) = (1, 32, Order::InOrder);
    assert!(run::<T, O>(finish, &[], 3, None, (blocks, threads, order)).is_empty());
}

/// The contents of results that were not written.
fn rubbish<A: Accumulator>() -> A {
    filled::<A>(1, 0x3c)[0]
}

macro_rules! every_row {
    ($($row:ident: $op:ty, $element:ty;)*) => { $(
        #[test]
        fn $row() {
            check::<$element, $op>(gpu_kernels::entry::rows::$row::finish);
        }
    )* };
}
warpfold_tests::for_each_sampled_rows_kernel!(every_row);

/// Users' operators, one of which has an array as its result.
mod of_a_user {
    use super::*;
    macro_rules! every_test_row {
        ($($row:ident: $op:ty, $element:ty;)*) => { $(
            #[test]
            fn $row() {
                check::<$element, $op>(test_kernels::kernels::rows::$row::finish);
            }
        )* };
    }
    test_kernels::for_each_test_kernel!(every_test_row);
}
