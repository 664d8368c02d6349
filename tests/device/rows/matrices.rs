//! What reductions of rows and of columns are tested alike by: matrices in an array of samples, and every plan for each.

use std::fmt::Debug;

use warpfold::kernels::RowsKernel;
use warpfold::{DeviceResults, DeviceSlice, Element, Error, Op, Stream};
use warpfold_tests::data::Family::Special;
use warpfold_tests::{Bits, Sample, cuda, is_emulated, samples};

/// A matrix in an array: its first element, its rows and its columns.
pub(crate) type Matrix = (usize, usize, usize);

/// Checks each matrix that lies in as many samples. `check` gets its elements, on the host and on the device, and its
/// columns. It returns the number of plans that it took. In all there must be more than `least`.
pub(crate) fn each_matrix<T: Element + Sample>(
    (seed, len): (u64, usize),
    matrices: impl IntoIterator<Item = Matrix>,
    least: usize,
    check: impl Fn(&[T], &DeviceSlice<'_, T>, usize) -> usize,
) {
    let all = samples::<T>(Special, seed, len as u64);
    let device = cuda().upload(&all).unwrap();
    let mut plans = 0;
    for (first, rows, columns) in matrices {
        let range = first..first + rows * columns;
        if range.end <= len {
            plans += check(&all[range.clone()], &device.slice(range).unwrap(), columns);
        }
    }
    assert!(plans > least, "{plans}");
}

pub(crate) fn bits<O: Bits>(out: Vec<O>) -> Vec<String> {
    out.into_iter().map(|out| out.bits()).collect()
}

/// Compares the results of a call, and the results of a stream with every supported plan, with the expected bits. On
/// the emulated device a third of the plans is taken; `number` says which. Returns how many were supported.
pub(crate) fn every_way<T, O, P>(
    (shape, expected): ([usize; 2], &[String]),
    found: &DeviceResults<T, O>,
    (plans, number): (&[P], usize),
    with_plan: impl Fn(&Stream, P, &mut DeviceResults<T, O>) -> Result<(), Error>,
) -> usize
where
    T: Element,
    O: RowsKernel<T> + Default + Op<T, Out: Bits>,
    P: Copy + Debug,
{
    assert_eq!(bits(found.to_vec().unwrap()), expected, "{shape:?}");
    let stream = cuda().stream().unwrap();
    let mut out = cuda().results::<T, O>(expected.len()).unwrap();
    let mut supported = 0;
    for (&plan, i) in plans.iter().zip(number..) {
        if is_emulated() && !i.is_multiple_of(3) {
            continue;
        }
        match with_plan(&stream, plan, &mut out) {
            // Not supported for parts of this length, or with too many registers for the threads.
            Err(Error::Plan { .. }) => continue,
            answer => answer.unwrap(),
        }
        supported += 1;
        assert_eq!(bits(out.to_vec().unwrap()), expected, "{shape:?}, {plan:?}");
    }
    supported
}
