//! Results finished by a kernel, under the emulator, of accumulators of more elements than a test folds: each has the bits of the
//! host's `finish`. tests/device has the others.
#![allow(missing_docs)]

use cuda_std::emulator::{Launch, Order};
use cuda_std::memory::Readable;
use gpu_kernels::arguments::Finish;
use gpu_kernels::entry::rows as entry;
use gpu_kernels::{Storable, StoredOf};
use warpfold::{Element, Mean, Op, StdDev, Variance, reference};
use warpfold_tests::data::Family::Special;
use warpfold_tests::{Bits, Sample, samples, stored_bits};

/// Numbers of elements. A float rounds some of them.
const LENS: [u64; 5] = [1000, (1 << 24) + 1, (1 << 53) + 1, 1 << 58, 3];

/// Runs the kernel over accumulators of `len` elements each, or of the lengths between offsets.
fn run<T: Element, O: Op<T, Out: Storable>>(
    finish: unsafe fn(Finish<T, O>),
    accs: &[O::Acc],
    len: u64,
    offsets: Option<&[u64]>,
) -> Vec<StoredOf<T, O>> {
    let mut out: Vec<StoredOf<T, O>> = vec![bytemuck::Zeroable::zeroed(); accs.len()];
    let (count, between) = (accs.len() as u64, offsets.map(Readable::from));
    let arguments =
        Finish { accs: accs.into(), count, len, offsets: between.into(), out: (&mut out[..]).into() };
    Launch::new(2, 32)
        .order(Order::Interleaved(4))
        .register(accs)
        .register(offsets.unwrap_or(&[]))
        .register(&raw const out[..])
        // SAFETY: all arrays live as long as the launch and have the lengths given.
        .run(|| unsafe { finish(arguments) })
        .unwrap_or_else(|misuse| panic!("{count} of {len}: {misuse}"));
    out
}

/// Accumulators of few elements that are said to be of many: all of the same number, and each of another.
fn check<T: Element + Sample, O: Op<T, Out: Bits + Storable<Stored: Bits>> + Default>(
    finish: unsafe fn(Finish<T, O>),
) {
    let accs: Vec<O::Acc> =
        samples::<T>(Special, 42, 400).chunks(5).map(|x| reference::fold(O::default(), x)).collect();
    let bits = |out: Vec<StoredOf<T, O>>| out.iter().map(Bits::bits).collect::<Vec<_>>();
    for len in LENS {
        let right: Vec<String> = accs.iter().map(|&acc| stored_bits(O::finish(acc, len))).collect();
        assert_eq!(bits(run::<T, O>(finish, &accs, len, None)), right, "{len} elements each");
    }
    let lens = || LENS.into_iter().cycle().take(accs.len());
    let ends = lens().scan(7, |end, len| {
        *end += len;
        Some(*end)
    });
    let offsets: Vec<u64> = std::iter::once(7).chain(ends).collect();
    let right: Vec<String> =
        accs.iter().zip(lens()).map(|(&acc, len)| stored_bits(O::finish(acc, len))).collect();
    assert_eq!(bits(run::<T, O>(finish, &accs, 5, Some(&offsets))), right);
}

#[test]
fn results_of_more_elements_than_floats_count() {
    check::<f32, Mean>(entry::reduce_mean_f32::finish);
    check::<i64, Mean>(entry::reduce_mean_i64::finish);
    check::<f64, Variance>(entry::reduce_variance_f64::finish);
    check::<i64, StdDev>(entry::reduce_stddev_i64::finish);
}
