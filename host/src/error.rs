//! Errors, each with advice.

use std::ops::Range;
use std::sync::Arc;

mod code;
mod debug;
#[cfg(feature = "cuda")]
mod driver;
mod rank_fault;
mod unavailable;
mod version;

pub use code::DriverCode;
pub use rank_fault::RankFault;
pub use unavailable::Unavailable;
pub use version::Version;

/// Why a call failed, and what to do.
///
/// `Debug` prints the message too, then the variant. The standard library prints this if an error leaves `main`. Errors are equal if
/// they are of one variant and have one message.
///
/// ```
/// use warpfold::{Cpu, Error, Max, Scan};
///
/// let error = Cpu::new().scan(Max, &[1, 2], Scan::exclusive()).err();
/// assert_eq!(error, Some(Error::NoInitialValue));
/// let printed = format!("{:?}", Error::ChunkLength);
/// assert_eq!(printed, "chunks of length 0: give a length of at least 1 (Error::ChunkLength)");
/// ```
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Float arithmetic on a thread or a device differs from the arithmetic that defines results.
    #[error("{} has {found}, so results would differ from other machines: {}", whose_arithmetic(*device), remedy(*device))]
    FloatEnvironment {
        /// The difference.
        found: &'static str,
        /// The device; `None` for the calling thread or another CPU thread that folds.
        device: Option<usize>,
    },
    /// The slice given to [`Cpu::fold_tiles`](crate::Cpu::fold_tiles) does not have the length of the given tiles.
    #[error("tiles {}..{} of an input of {of} elements are not the {given} elements given: \
             see warpfold::tree::tile_len", tiles.start, tiles.end)]
    Tiles {
        /// The given tiles.
        tiles: Range<u64>,
        /// Number of elements of the whole input.
        of: u64,
        /// Number of elements given.
        given: u64,
    },
    /// A [`Plan`](crate::plans::Plan) of this shape cannot be launched.
    #[error("no such plan: {why}")]
    Plan {
        /// What a plan must be.
        why: &'static str,
    },
    /// The elements of an array are not contiguous in the order of
    /// [`AsElements::elements`](crate::AsElements::elements).
    #[error("{why}: its elements cannot be folded where they are; AsElements::elements copies them")]
    NotInPlace {
        /// How they are stored.
        why: &'static str,
    },
    /// Elements of an array are missing, such as Arrow's nulls, where the call needs all of them.
    #[error("{missing} elements of the array are missing (null), the first at {first}: {why}")]
    Missing {
        /// Number of missing elements.
        missing: u64,
        /// The index of the first.
        first: u64,
        /// Why they are needed, and what to do.
        why: &'static str,
    },
    /// The operating system could not start enough threads.
    #[error(
        "could not start {wanted} threads ({cause}): ask for fewer, or raise the limits on threads and memory"
    )]
    Threads {
        /// Number of threads wanted.
        wanted: usize,
        /// The error of the thread pool.
        #[source]
        cause: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// Two arrays whose elements are folded in pairs have different lengths. Missing elements, such as nulls, count.
    #[error(
        "elements are paired by their index, but one array has {left} and the other {right}: cut the longer one"
    )]
    Lengths {
        /// Length of the first array.
        left: u64,
        /// Length of the second array.
        right: u64,
    },
    /// The destination has room for another number of results than the call returns.
    #[error(
        "the call returns {results} results, but the destination has room for {room}: make room for {results}"
    )]
    Results {
        /// Number of results: the number of elements, rows, segments or groups.
        results: u64,
        /// Number of results for which there is room.
        room: u64,
    },
    /// Bytes in device memory that another library wrote are not a valid element.
    #[error("device memory contains bytes that are not a valid {element}: write only values of that type")]
    NoElement {
        /// The type of the elements.
        element: &'static str,
    },
    /// An exclusive scan would begin with the result of empty input, and the operator has none.
    #[error(
        "an exclusive scan begins with the result of empty input, which this operator does not have: give an initial \
             value by Scan::exclusive().from(acc, 1), or scan inclusively"
    )]
    NoInitialValue,
    /// A shape does not fit the number of elements.
    #[error(
        "an array of shape {shape:?} does not have {given} elements: the product of the lengths must be their number"
    )]
    Shape {
        /// The shape.
        shape: Arc<[usize]>,
        /// Number of elements given.
        given: u64,
    },
    /// A view has too many dimensions, or not one stride for each.
    #[error(
        "a view of {dimensions} dimensions and {strides} strides: give one stride for each of at most {most} dimensions"
    )]
    Dimensions {
        /// Number of dimensions of the shape.
        dimensions: usize,
        /// Number of strides given.
        strides: usize,
        /// Most dimensions of a view.
        most: usize,
    },
    /// Elements of a strided view would lie outside its slice.
    #[error(
        "the view's elements lie from {first} to {last}, but the slice has {len}: check the offset, the shape and \
             the strides, which count elements"
    )]
    ViewBounds {
        /// Position of the lowest element.
        first: i128,
        /// Position of the highest element.
        last: i128,
        /// Number of elements of the slice.
        len: usize,
    },
    /// An axis is out of range, named twice, or missing where all must be named.
    #[error("axes {axes:?} of an array of {dimensions} dimensions: {why}")]
    Axes {
        /// The named axes.
        axes: Arc<[usize]>,
        /// Number of dimensions of the array.
        dimensions: usize,
        /// What is wrong with the axes.
        why: &'static str,
    },
    /// The requested chunks have length 0.
    #[error("chunks of length 0: give a length of at least 1")]
    ChunkLength,
    /// The requested windows have length 0, or are 0 elements apart.
    #[error("windows of {len} elements, {step} apart: give a length and a step of at least 1")]
    Window {
        /// Elements of a window.
        len: usize,
        /// Elements from one window's first to the next one's.
        step: usize,
    },
    /// An offset of segments is less than the one before it, negative, or beyond the elements.
    #[error(
        "offset {at} is {offset}: {why}; offsets must ascend from at least 0 to at most {len}, the number of elements"
    )]
    Offset {
        /// The index of the offset.
        at: usize,
        /// The offset.
        offset: i128,
        /// What is wrong with it.
        why: &'static str,
        /// Number of elements.
        len: usize,
    },
    /// A group's id is out of range.
    #[error(
        "element {at} is in group {group}, but there are {groups} groups, counted from 0: count one more than the greatest id"
    )]
    Group {
        /// The index of the id.
        at: usize,
        /// The id.
        group: i128,
        /// Number of groups.
        groups: usize,
    },
    /// A row's label is not a column.
    #[error("row {row} has label {label}, but there are {columns} columns, counted from 0")]
    Label {
        /// The row.
        row: usize,
        /// Its label.
        label: i128,
        /// Number of columns.
        columns: usize,
    },
    /// A destination slice is too short. Nothing was written.
    #[error("{needed} elements are to be written, but the slice has room for {room}: give a longer one")]
    Room {
        /// Number of elements to write.
        needed: usize,
        /// Length of the slice.
        room: usize,
    },
    /// More elements were requested than there are.
    #[error("{wanted} elements were asked for, but there are {len}: ask for at most as many")]
    TooFew {
        /// Number of elements requested.
        wanted: usize,
        /// Number of elements.
        len: usize,
    },
    /// A part has fewer elements than are selected from each part.
    #[error(
        "part {part} has {len} elements, and {wanted} of each part are wanted: ask for fewer, or leave the part out"
    )]
    PartTooShort {
        /// The part, counted from 0.
        part: usize,
        /// The number of elements wanted of each part.
        wanted: usize,
        /// The number that this one has.
        len: usize,
    },
    /// A quantile of empty input was requested.
    #[error("empty input has no quantile: pass at least one element")]
    NoElements,
    /// A requested quantile is not from 0 to 1.
    #[error("quantile {q} was asked for: it must be from 0 to 1")]
    Quantile {
        /// The requested quantile.
        q: f64,
    },
    /// Bins of a histogram cannot be made.
    #[error("no such bins: {why}")]
    Bins {
        /// What is wrong with them, and what to do.
        why: Arc<str>,
    },
    /// There is not enough host memory for the results, or for values on the way to them. Nothing was lost: a smaller request may
    /// succeed, or the same one once memory is free.
    #[error(
        "there is not enough memory for {results} results or intermediate values: work on fewer rows, groups or elements \
             at a time, or free memory"
    )]
    TooManyResults {
        /// Number of results or intermediate values.
        results: usize,
    },
    /// An environment variable has an unknown value.
    #[error("the environment variable {variable} is `{found}`: set it to {known}, or unset it")]
    Setting {
        /// The variable.
        variable: &'static str,
        /// Its value.
        found: Arc<str>,
        /// The known values.
        known: &'static str,
    },
    /// No GPU can be used. The CPU backend works.
    #[error("no GPU: {reason}")]
    Unavailable {
        /// Why.
        #[source]
        reason: Unavailable,
    },
    /// The device does not have enough free memory. Nothing was lost: a smaller request may succeed.
    #[error(
        "the device does not have {bytes} bytes free: drop arrays, reduce from host memory (warpfold::host), or \
             close other programs on this GPU"
    )]
    OutOfMemory {
        /// Requested bytes.
        bytes: u64,
    },
    /// A kernel's PTX is newer than the driver.
    #[error(
        "the kernel `{entry}` is PTX {ptx}, newer than the driver (for CUDA {driver}): update the driver, or build \
             the kernel for an older PTX version"
    )]
    PtxTooNew {
        /// The kernel.
        entry: &'static str,
        /// Its PTX version.
        ptx: Version,
        /// The newest CUDA version that the driver supports.
        driver: Version,
    },
    /// The driver could not load a kernel.
    #[error("the kernel `{entry}` could not be loaded: {code}{}{log}", if log.is_empty() { "" } else { "; log: " })]
    Kernel {
        /// The kernel.
        entry: &'static str,
        /// The driver's code.
        code: DriverCode,
        /// The log of the driver's compiler.
        log: Arc<str>,
    },
    /// An earlier error left the device unusable in this process.
    #[error(
        "the GPU stopped working in this process: restart it (the CPU backend still works). First cause: {first_cause}"
    )]
    Poisoned {
        /// The error that caused it.
        #[source]
        first_cause: Arc<Error>,
    },
    /// The process was forked after it had used a GPU. CUDA does not survive that.
    #[error(
        "this process was forked from one that had used the GPU: use the GPU in one of them only, or start the \
             other by exec (Command does)"
    )]
    Forked,
    /// A range is not within its array.
    #[error("elements {}..{} are not within an array of {len}", range.start, range.end)]
    OutOfBounds {
        /// The requested range.
        range: Range<usize>,
        /// The array's length.
        len: usize,
    },
    /// Memory of one device was given to another.
    #[error(
        "what is on device {array} was used with device {stream}: use arrays, results, graphs, events and streams of one device"
    )]
    OtherDevice {
        /// Device of the array, the result, the graph or the event.
        array: usize,
        /// Device of the stream, or of the other event.
        stream: usize,
    },
    /// A call that waits for the device was made while its stream was recording a graph.
    #[error(
        "{during} is not possible while the stream records a graph: use calls whose results stay on the device, such as reduce_into, scan_into and finish_into"
    )]
    Capturing {
        /// What the call was for.
        during: &'static str,
    },
    /// Memory or a stream of another library cannot be used.
    #[error("the memory or stream at {address:#x} cannot be used: {why}")]
    Foreign {
        /// The pointer or the stream's handle, as a number.
        address: u64,
        /// Why, and what to do.
        why: &'static str,
    },
    /// A reduction's kernels ended and wrote no result to the host.
    #[error(
        "the kernels ended without a result: they were built for another version of warpfold; rebuild them (if they \
             are warpfold's own, please report it, with what `warpfold::about` says)"
    )]
    NoResult,
    /// The caller's own progress callback stopped a reduction. Nothing was lost, and no partial result is kept.
    #[error("stopped by its caller after {done} of {total} elements: the reduction has no result")]
    Stopped {
        /// Number of elements folded.
        done: u64,
        /// Number of elements in all.
        total: u64,
    },
    /// A rank of a [`World`](crate::World) did not take part in a call.
    #[error("rank {rank} {fault}")]
    Rank {
        /// The rank.
        rank: usize,
        /// Why not.
        #[source]
        fault: RankFault,
    },
    /// An earlier call of this [`World`](crate::World) failed, so its ranks may no longer agree on the next one.
    #[error(
        "an earlier call was broken off, and its World cannot be used again: start all ranks anew. First cause: {first_cause}"
    )]
    WorldClosed {
        /// The error that caused it.
        #[source]
        first_cause: Arc<Error>,
    },
    /// NCCL did not move memory between the ranks' devices.
    #[error("{during}: {why}")]
    Nccl {
        /// What the call was for.
        during: &'static str,
        /// Why, and what to do.
        why: Arc<str>,
    },
    /// The driver returned an error.
    #[error("{during}: {code}")]
    Driver {
        /// The driver's code.
        code: DriverCode,
        /// What the call was for.
        during: &'static str,
    },
}

/// Names the machine that does the float arithmetic.
fn whose_arithmetic(device: Option<usize>) -> String {
    match device {
        None => "this thread's floating-point environment".into(),
        Some(device) => format!("the floating-point arithmetic of device {device}"),
    }
}

/// Returns advice.
fn remedy(device: Option<usize>) -> &'static str {
    match device {
        None => "restore the default before the call (often a library built with -ffast-math changed it)",
        Some(_) => {
            "reduce on the CPU (warpfold::Cpu), and report the device and the driver, as nvidia-smi names them"
        }
    }
}

/// Fails if two arrays that are to be folded in pairs have different lengths.
pub(crate) fn check_lengths(left: usize, right: usize) -> Result<(), Error> {
    if left == right { Ok(()) } else { Err(Error::Lengths { left: left as u64, right: right as u64 }) }
}

/// Fails unless the destination has room for exactly the results of a call.
pub(crate) fn check_results(results: usize, room: usize) -> Result<(), Error> {
    if results == room { Ok(()) } else { Err(Error::Results { results: results as u64, room: room as u64 }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    #[test]
    fn messages_say_what_happened_and_what_to_do() {
        let illegal = Error::Driver { code: DriverCode::ILLEGAL_ADDRESS, during: "waiting for the stream" };
        let poisoned = Error::Poisoned { first_cause: Arc::new(illegal.clone()) };
        let driver = Version { major: 11, minor: 4 };
        let kernel = |log: &str| Error::Kernel { entry: "sum", code: DriverCode(218), log: log.into() };
        for (error, parts) in [
            (
                illegal,
                &["waiting for the stream: CUDA_ERROR_ILLEGAL_ADDRESS (700): ", "restart the process"][..],
            ),
            (
                poisoned.clone(),
                &["restart it", "First cause: waiting for the stream: CUDA_ERROR_ILLEGAL_ADDRESS"],
            ),
            (Error::OutOfMemory { bytes: 123 }, &["does not have 123 bytes free", "drop arrays"]),
            (
                Error::PtxTooNew { entry: "sum", ptx: Version { major: 8, minor: 0 }, driver },
                &["PTX 8.0", "CUDA 11.4"],
            ),
            (
                Error::Unavailable { reason: Unavailable::NoDriver },
                &["no GPU: no NVIDIA driver", "install one"],
            ),
            (
                Error::Unavailable { reason: Unavailable::DriverTooOld { found: driver } },
                &["CUDA 11.4: update it"],
            ),
            (Error::OutOfBounds { range: 3..9, len: 5 }, &["elements 3..9", "an array of 5"]),
            (Error::Foreign { address: 0x70, why: "it is too small" }, &["at 0x70", "it is too small"]),
            (Error::NotInPlace { why: "the array has nulls" }, &["the array has nulls: ", "elements copies"]),
            (
                Error::Missing { missing: 2, first: 7, why: "pass offsets without nulls" },
                &["2 elements of the array are missing", "the first at 7: pass offsets"],
            ),
            (Error::NoResult, &["without a result", "rebuild them"]),
            (
                Error::FloatEnvironment { found: "products fused with sums", device: Some(3) },
                &["arithmetic of device 3 has products fused with sums", "warpfold::Cpu"],
            ),
            (
                Error::FloatEnvironment { found: "a rounding mode", device: None },
                &["this thread's floating-point environment has a rounding mode", "restore the default"],
            ),
            (kernel("line 7"), &["`sum`", "(218)", "; log: line 7"]),
            (
                Error::Shape { shape: [3, 4].into(), given: 11 },
                &["shape [3, 4]", "11 elements", "the product"],
            ),
            (Error::ViewBounds { first: -1, last: 7, len: 6 }, &["from -1 to 7", "has 6", "strides"]),
            (Error::Label { row: 2, label: 7, columns: 5 }, &["row 2", "label 7", "5 columns"]),
            (Error::TooManyResults { results: 9 }, &["9 results", "fewer rows"]),
            (Error::Room { needed: 7, room: 5 }, &["7 elements", "room for 5", "longer"]),
            (Error::TooFew { wanted: 7, len: 5 }, &["7 elements", "there are 5", "at most"]),
            (Error::Quantile { q: 1.5 }, &["quantile 1.5", "from 0 to 1"]),
            (
                Error::PartTooShort { part: 3, wanted: 7, len: 5 },
                &["part 3", "5 elements", "7 of each part", "leave the part out"],
            ),
            (Error::NoElements, &["no quantile"]),
            (
                Error::Rank { rank: 3, fault: RankFault::Late { limit: std::time::Duration::from_secs(2) } },
                &["rank 3 sent nothing within 2s", "raise the limit"],
            ),
            (
                Error::WorldClosed { first_cause: Arc::new(Error::Rank { rank: 1, fault: RankFault::Gone }) },
                &["World cannot be used again", "First cause: rank 1 is gone"],
            ),
        ] {
            let text = error.to_string();
            assert!(parts.iter().all(|part| text.contains(part)), "{text}");
            assert!(!text.contains("  "), "{text}");
        }
        assert!(!kernel("").to_string().contains("log:"));
        assert!(poisoned.source().is_some_and(|source| source.to_string().contains("700")));
    }
}
