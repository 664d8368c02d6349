//! The scan kernel, under the emulator: the bits of the reference, in any order in which blocks run and wait
//! for each other.
#![allow(missing_docs)]

use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::Scan;
use gpu_kernels::scan::{Kind, reference, shapes, tree};
use gpu_kernels::{Any, ArgMin, Element, Matrix2, MatrixProduct, Mean, Op, Storable, StoredOf, Sum, f16};
use test_kernels::Ordered;
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

mod kernels {
    gpu_kernels::stamp_scan_kernels! {
        sum_f32: gpu_kernels::Sum, f32;
        sum_u8: gpu_kernels::Sum, u8;
        sum_f16: gpu_kernels::Sum, gpu_kernels::f16;
        any_bool: gpu_kernels::Any, bool;
        mean_f64: gpu_kernels::Mean, f64;
        argmin_f32: gpu_kernels::ArgMin, f32;
        ordered_u32: test_kernels::Ordered, u32;
        wide: crate::Wide, [u64; 8];
        matrix_u64: gpu_kernels::MatrixProduct, gpu_kernels::Matrix2<u64>;
        matrix_u128: gpu_kernels::MatrixProduct, gpu_kernels::Matrix2<u128>;
    }
}

type Kernel<T, O> = unsafe fn(Scan<T, O>);

/// The places of elements and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    /// Both at a multiple of 16 bytes.
    Aligned,
    /// Both one element after that.
    Beyond,
    /// Outputs replace the elements.
    InPlace,
}

const ORDERS: [Order; 4] = [Order::InOrder, Order::Reversed, Order::Shuffled(7), Order::Interleaved(7)];

/// Places aligned to 16 bytes, plus `skipped`.
fn places<S: Copy>(fill: S, len: usize, skipped: usize) -> (Vec<S>, usize) {
    let places = vec![fill; len + skipped + 16];
    let first = (0..16).find(|&i| places[i..].as_ptr().addr().is_multiple_of(16)).unwrap();
    (places, first + skipped)
}

/// The outputs of the launch.
fn scanned<T: Element, O: Op<T, Out: Storable>>(
    kernel: Kernel<T, O>,
    op: O,
    x: &[T],
    (kind, init, before): (Kind, O::Acc, u64),
    (lie, order): (Lie, Order),
) -> Vec<StoredOf<T, O>> {
    let len = x.len();
    let skipped = usize::from(lie == Lie::Beyond);
    let (mut elements, first) = places(x[0], len, skipped);
    elements[first..first + len].copy_from_slice(x);
    let poison: StoredOf<T, O> = bytemuck::pod_read_unaligned(&vec![0xa5; size_of::<StoredOf<T, O>>()]);
    let (mut outs, first_out) = places(poison, len, skipped);
    let mut state = vec![0_u64; shapes::state_words::<T, O::Acc>(len as u64) as usize];
    let (input, state_at) = (elements[first..].as_mut_ptr(), state.as_mut_ptr());
    let out = if lie == Lie::InPlace {
        assert_eq!(size_of::<T>(), size_of::<StoredOf<T, O>>());
        input.cast()
    } else {
        outs[first_out..].as_mut_ptr()
    };
    let (len, is_inclusive) = (len as u64, u32::from(kind == Kind::Inclusive));
    let arguments = Scan { input, len, is_inclusive, init, before, state: state_at, out, op };
    Launch::new(shapes::tiles::<T>(len) as u32, shapes::SCAN_THREADS)
        .order(order)
        .register(&raw const elements[first..first + x.len()])
        .register(&raw const outs[first_out..first_out + x.len()])
        .register(&raw const state[..])
        // SAFETY: all arrays live as long as the launch and have the lengths given.
        .run(|| unsafe { kernel(arguments) })
        .unwrap_or_else(|misuse| panic!("{len} elements, {lie:?}, {order:?}: {misuse}"));
    if lie == Lie::InPlace {
        let bytes = bytemuck::cast_slice::<T, u8>(&elements[first..first + x.len()]);
        return bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect();
    }
    outs[first_out..first_out + x.len()].to_vec()
}

fn agree<T, O>(kernel: Kernel<T, O>, x: &[T], lies: &[Lie], orders: &[Order])
where
    T: Element,
    O: Op<T, Out: Storable<Stored: Bits>> + Default,
{
    let init = O::default().lift(x[x.len() / 2], 3);
    for (kind, init, before) in [(Kind::Inclusive, O::IDENTITY, 0), (Kind::Exclusive, init, 1)] {
        let expected = reference::scan_by(O::default(), x, kind, (init, before));
        let expected: Vec<_> = expected.into_iter().map(Storable::store).collect();
        for &lie in lies {
            for &order in orders {
                let found = scanned(kernel, O::default(), x, (kind, init, before), (lie, order));
                let at =
                    found.iter().zip(&expected).position(|(found, expected)| found.bits() != expected.bits());
                assert_eq!(
                    at.map(|at| (at, found[at].bits(), expected[at].bits())),
                    None,
                    "{} elements, {kind:?}, {lie:?}, {order:?}: (output, found, expected)",
                    x.len()
                );
            }
        }
    }
}

/// Lengths at the ends of quads, runs, rows and tiles.
fn every_end<T: Element + Sample, O: Op<T, Out: Storable<Stored: Bits>> + Default>(
    kernel: Kernel<T, O>,
    lies: &[Lie],
) {
    let (row, tile) = (tree::row_len::<T>(), tree::tile_len::<T>());
    let x = samples::<T>(Special, 1, 3 * tile as u64 + 1);
    for n in [1, tree::run_len::<T>() + 1, row, tile - 1, tile + row + 3] {
        agree(kernel, &x[..n], lies, &[Order::InOrder]);
    }
    agree(kernel, &x, lies, &ORDERS);
}

#[test]
fn elements_of_four_bytes() {
    every_end::<f32, Sum>(kernels::sum_f32::array, &[Lie::Aligned, Lie::Beyond, Lie::InPlace]);
    every_end::<u32, Ordered>(kernels::ordered_u32::array, &[Lie::Aligned]);
    every_end::<f32, ArgMin>(kernels::argmin_f32::array, &[Lie::Aligned]);
}

#[test]
fn elements_of_other_sizes() {
    every_end::<u8, Sum>(kernels::sum_u8::array, &[Lie::Aligned, Lie::Beyond]);
    every_end::<f16, Sum>(kernels::sum_f16::array, &[Lie::InPlace]);
    every_end::<bool, Any>(kernels::any_bool::array, &[Lie::Aligned, Lie::InPlace]);
    every_end::<f64, Mean>(kernels::mean_f64::array, &[Lie::Aligned, Lie::InPlace]);
    every_end::<Matrix2<u64>, MatrixProduct>(kernels::matrix_u64::array, &[Lie::Aligned]);
    every_end::<Matrix2<u128>, MatrixProduct>(kernels::matrix_u128::array, &[Lie::InPlace]);
}

/// A hash of the tree over elements of 64 bytes. A run has one of these, so few elements make a group.
#[derive(Clone, Copy, Default)]
struct Wide;

impl Op<[u64; 8]> for Wide {
    type Acc = u64;
    type Out = u64;
    const IDENTITY: u64 = 0;
    fn lift(self, x: [u64; 8], index: u64) -> u64 {
        Ordered::default().lift(x[0] as u32, index)
    }
    fn combine(left: u64, right: u64) -> u64 {
        Ordered::combine(left, right)
    }
    fn finish(acc: u64, _len: u64) -> u64 {
        acc
    }
}

/// The prefix of each group is passed from group to group, while blocks wait for each other.
#[test]
fn more_than_a_group() {
    let n = tree::group_len::<[u64; 8]>() as u64 + 700;
    let x: Vec<[u64; 8]> = samples::<u64>(Ordinary, 3, n).into_iter().map(|x| [x; 8]).collect();
    let (init, order) = (Wide.lift(x[7], 3), Order::Interleaved(3));
    let expected = reference::scan_by(Wide, &x, Kind::Inclusive, (init, 1));
    let wanted = (Kind::Inclusive, init, 1);
    let found = scanned(kernels::wide::array, Wide, &x, wanted, (Lie::Aligned, order));
    assert_eq!(found.iter().zip(&expected).position(|(found, expected)| found != expected), None);
}
