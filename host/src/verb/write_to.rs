//! Requests whose results go to memory that exists.

/// Runs `request`, and writes its results to `out`. Methods that end in `_into` do this.
///
/// | method | on | `out` |
/// |---|---|---|
/// | `reduce_into` | `Stream` | `&mut` a `DeviceScalar` for one result, `DeviceResults` for many |
/// | `scan_into` | `Cpu`, `Auto`; `Stream` | `&mut` a slice, a `Vec` or an array; `DeviceValues` |
/// | `compact_into`, `compact_by_flags_into`, `unique_into`, `partition_into` | `Cpu`, `Auto` | `&mut` a slice, a `Vec` or an array; returns the number selected, and leaves the rest of `out` |
/// | `softmax_into`, `log_softmax_into`, `rms_norm_into`, `layer_norm_into`, `softmax_gradient_into` and its like | `Cpu`, `Auto`; `Stream` | `&mut` a slice, a `Vec` or an array; `DeviceValues` |
/// | `sum_exp_into`, `log_sum_exp_into`, `log_mean_exp_into`, `cross_entropy_into` | `Stream` | `&mut DeviceValues` |
/// | `compact_into` | `Stream` | `&mut DeviceValues` of the elements and of their number, in a tuple |
/// | `histogram_into` | `Stream` | `&mut DeviceValues` of the counts and of the three numbers of elements in no bin, in a tuple |
/// | `sort_into`, `argsort_into`, `sort_pairs_into` | `Stream`, `World` | `&mut DeviceValues`; in a `World` also slices, and of pairs a tuple of two |
///
/// A `Stream` only enqueues. Arrays may be dropped at once: their memory is freed when the stream has been waited for. After 64 different
/// arrays, results and kernels without a wait, the call itself waits for the stream. A recorded graph keeps the operator's parameters.
///
/// In a `World`, the outputs of all ranks together have the length of all parts; a rank's own may be longer or shorter than its part.
///
/// # Errors
/// The errors of the request; [`Error::Results`](crate::Error::Results) if `out` has another length, or
/// [`Error::Room`](crate::Error::Room) if it is too short for a compaction;
/// [`Error::OtherDevice`](crate::Error::OtherDevice) if `out` is on another device;
/// [`Error::Capturing`](crate::Error::Capturing) if a sort is recorded. Errors of a device and of offsets there come
/// from the calls that read `out`. After an error `out` of a reduction on a device is unchanged, unless a later wait
/// fails too.
///
/// ```
/// use warpfold::{Cpu, Scan, Sum, above};
///
/// let (cpu, x) = (Cpu::new(), [1, 3, 2, 6]);
/// let mut sums = [0i64; 4];
/// cpu.scan_into(Sum, &x, &mut sums, Scan::inclusive())?;
/// assert_eq!(sums, [1, 4, 6, 12]);
/// let mut out = vec![0; 4];
/// assert_eq!(cpu.compact_into(above(2), &x, &mut out)?, 2);
/// assert_eq!(out, [3, 6, 0, 0]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WriteTo<R, D> {
    /// What to run.
    pub request: R,
    /// Where the results go.
    pub out: D,
}
