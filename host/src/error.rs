//! What can go wrong, and what to do about it.

use std::ops::Range;
use std::sync::Arc;

mod code;
#[cfg(feature = "cuda")]
mod driver;
mod rank_fault;
mod unavailable;
mod version;

pub use code::DriverCode;
pub use rank_fault::RankFault;
pub use unavailable::Unavailable;
pub use version::Version;

/// Why a reduction gave no result.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Float arithmetic on a thread or a device is not the one that results are defined by.
    #[error("{} has {found}, so results would differ from other machines: {}", whose_arithmetic(*device), remedy(*device))]
    FloatEnvironment {
        /// What was found.
        found: &'static str,
        /// The device, or `None` for the calling thread or one that folds on the CPU.
        device: Option<usize>,
    },
    /// The slice given to [`Cpu::fold_tiles`](crate::Cpu::fold_tiles) is not as long as the tiles named.
    #[error("tiles {}..{} of an input of {of} elements are not the {given} elements given: \
             see warpfold::tree::tile_len", tiles.start, tiles.end)]
    Tiles {
        /// The tiles named.
        tiles: Range<u64>,
        /// Elements in the whole input.
        of: u64,
        /// Elements given.
        given: u64,
    },
    /// A [`Plan`](crate::Plan) of this shape cannot be launched.
    #[error("no such plan: {why}")]
    Plan {
        /// What a plan must be.
        why: &'static str,
    },
    /// The elements of an array do not lie in memory as [`AsElements::elements`](crate::AsElements::elements) gives
    /// them.
    #[error("{why}: its elements cannot be folded where they are; AsElements::elements copies them")]
    NotInPlace {
        /// How they lie.
        why: &'static str,
    },
    /// The operating system gave fewer threads than wanted.
    #[error("could not start {wanted} threads: ask for fewer")]
    Threads {
        /// Threads wanted.
        wanted: usize,
        /// What the thread pool said.
        #[source]
        cause: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// Two arrays whose elements are folded in pairs are not of one length.
    #[error(
        "elements are paired by their index, but one array has {left} and the other {right}: cut the longer one"
    )]
    Lengths {
        /// Elements of the first.
        left: u64,
        /// Elements of the second.
        right: u64,
    },
    /// A call gives another number of results than there is room for.
    #[error(
        "the call gives {results} results, but what they are to go to has room for {room}: make room for as many"
    )]
    Results {
        /// Results that the call gives: as many as elements, rows, segments or groups.
        results: u64,
        /// Results that there is room for.
        room: u64,
    },
    /// Bytes in device memory that another library wrote are no element.
    #[error("device memory holds bytes that are no {element}: write only what the type allows")]
    NoElement {
        /// The type of the elements.
        element: &'static str,
    },
    /// An exclusive scan would begin with the result of no elements, and the operator has none.
    #[error(
        "an exclusive scan begins with the result of no elements, which this operator has not: give an initial value of at \
             least one element, by Scan::exclusive().from(..), or scan inclusively"
    )]
    NoInitialValue,
    /// A shape is not that of the elements given.
    #[error(
        "an array of shape {shape:?} is not {given} elements: the product of the shape's lengths must be their number"
    )]
    Shape {
        /// The shape.
        shape: Arc<[usize]>,
        /// Elements given.
        given: u64,
    },
    /// A view has more dimensions than there may be, or not one stride for each.
    #[error(
        "a view of {dimensions} dimensions and {strides} strides: give one stride for each of at most {most} dimensions"
    )]
    Dimensions {
        /// Dimensions of the shape.
        dimensions: usize,
        /// Strides given.
        strides: usize,
        /// The most dimensions that a view may have.
        most: usize,
    },
    /// Elements of a strided view would stand outside its slice.
    #[error(
        "the view's elements stand from {first} to {last}, but the slice has {len}: check the offset, the shape and \
             the strides, which count elements"
    )]
    ViewBounds {
        /// Where the lowest element would stand.
        first: i128,
        /// Where the highest element would stand.
        last: i128,
        /// Elements of the slice.
        len: usize,
    },
    /// An axis is not one of the array's, or named twice, or missing where all must be named.
    #[error("axes {axes:?} of an array of {dimensions} dimensions: {why}")]
    Axes {
        /// The axes named.
        axes: Arc<[usize]>,
        /// Dimensions of the array.
        dimensions: usize,
        /// What they must be.
        why: &'static str,
    },
    /// The chunks that an array is to be cut into have no elements.
    #[error("chunks of no elements: give a length of at least 1")]
    ChunkLength,
    /// An offset of a segment is less than the one before it, negative or beyond the elements.
    #[error(
        "offset {at} is {offset}: {why}; offsets must ascend from at least 0 to at most {len}, the number of elements"
    )]
    Offset {
        /// The offset's place among the offsets.
        at: usize,
        /// The offset.
        offset: i128,
        /// What is wrong with it.
        why: &'static str,
        /// Elements given.
        len: usize,
    },
    /// An element's group is not one of the groups.
    #[error(
        "element {at} is in group {group}, but there are {groups}, counted from 0: give as many as the greatest id and one"
    )]
    Group {
        /// The element's place.
        at: usize,
        /// The group's id.
        group: i128,
        /// How many groups there are.
        groups: usize,
    },
    /// A slice that elements are to be written to is too short. Nothing was written.
    #[error("{needed} elements are to be written, but the slice has room for {room}: give a longer one")]
    Room {
        /// Elements to be written.
        needed: usize,
        /// Elements of the slice.
        room: usize,
    },
    /// More elements were asked for than there are.
    #[error("{wanted} elements were asked for, but there are {len}: ask for at most as many")]
    TooFew {
        /// Elements asked for.
        wanted: usize,
        /// Elements that there are.
        len: usize,
    },
    /// A quantile of no elements.
    #[error("no elements have no quantile: ask for one where there is an element")]
    NoElements,
    /// A quantile is not a fraction of the elements.
    #[error("quantile {q} was asked for: it must be from 0 to 1")]
    Quantile {
        /// What was asked for.
        q: f64,
    },
    /// The memory for as many results was not to be had.
    #[error("there is no memory for {results} results: reduce fewer rows at a time")]
    TooManyResults {
        /// Results wanted.
        results: usize,
    },
    /// An environment variable has a value that nothing is known of.
    #[error("the environment variable {variable} is `{found}`: set it to {known}, or unset it")]
    Setting {
        /// Its name.
        variable: &'static str,
        /// Its value.
        found: Arc<str>,
        /// The values that are known.
        known: &'static str,
    },
    /// There is no GPU to use. The CPU backend works.
    #[error("no GPU: {reason}")]
    Unavailable {
        /// Why.
        #[source]
        reason: Unavailable,
    },
    /// The device has not enough free memory. Nothing was lost: a smaller request may succeed.
    #[error(
        "the device has no {bytes} bytes free: drop arrays, reduce from host memory (warpfold::host), or \
             close other programs on this GPU"
    )]
    OutOfMemory {
        /// Bytes asked for.
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
        /// The newest CUDA that the driver knows.
        driver: Version,
    },
    /// The driver could not load a kernel.
    #[error("the kernel `{entry}` could not be loaded: {code}{}{log}", if log.is_empty() { "" } else { "; log: " })]
    Kernel {
        /// The kernel.
        entry: &'static str,
        /// What the driver answered.
        code: DriverCode,
        /// What its compiler said.
        log: Arc<str>,
    },
    /// An earlier error left the device unusable in this process.
    #[error(
        "the GPU stopped working in this process: restart it (the CPU backend still works). First cause: {first_cause}"
    )]
    Poisoned {
        /// The error that did it.
        #[source]
        first_cause: Arc<Error>,
    },
    /// The process was forked after it had used a GPU, which CUDA does not survive.
    #[error(
        "this process was forked from one that had used the GPU: use the GPU in one of them only, or start the \
             other by exec (Command does)"
    )]
    Forked,
    /// A range is not within its array.
    #[error("elements {}..{} are not within an array of {len}", range.start, range.end)]
    OutOfBounds {
        /// The range asked for.
        range: Range<usize>,
        /// The array's length.
        len: usize,
    },
    /// Memory of one device was given to another.
    #[error(
        "the array is on device {array} and the stream on device {stream}: upload it to the stream's device"
    )]
    OtherDevice {
        /// Device of the array, the result or the graph.
        array: usize,
        /// Device of the stream.
        stream: usize,
    },
    /// A call that waits for the device was made while its stream was recording a graph.
    #[error(
        "{during} is not possible while the stream records a graph: use calls whose results stay on the device, as reduce_into, scan_into and finish_into"
    )]
    Capturing {
        /// What was asked for.
        during: &'static str,
    },
    /// Memory or a stream of another library cannot be used.
    #[error("what was lent at {address:#x} cannot be used: {why}")]
    Foreign {
        /// The pointer or the stream's handle, as a number.
        address: u64,
        /// Why not, and what to do.
        why: &'static str,
    },
    /// A reduction's kernels ended and wrote no result to the host.
    #[error(
        "the kernels ended without a result: they were built for another version of warpfold; rebuild them (if they \
             are warpfold's own, please report it, with what `warpfold::about` says)"
    )]
    NoResult,
    /// The caller's own progress callback broke off a reduction. Nothing was lost, and nothing is left of it.
    #[error("stopped by its caller after {done} of {total} elements: the reduction has no result")]
    Stopped {
        /// Elements that were folded.
        done: u64,
        /// Elements that were to be.
        total: u64,
    },
    /// A rank of a [`World`](crate::World) did not do its part.
    #[error("rank {rank} {fault}")]
    Rank {
        /// The rank.
        rank: usize,
        /// Why not.
        #[source]
        fault: RankFault,
    },
    /// An earlier call of this [`World`](crate::World) was broken off, so its ranks no longer agree on what comes next.
    #[error(
        "an earlier call was broken off, and its World cannot be used again: start all ranks anew. First cause: {first_cause}"
    )]
    WorldClosed {
        /// The error that did it.
        #[source]
        first_cause: Arc<Error>,
    },
    /// The driver answered an error.
    #[error("{during}: {code}")]
    Driver {
        /// What it answered.
        code: DriverCode,
        /// What it was asked for.
        during: &'static str,
    },
}

/// Where float arithmetic is another.
fn whose_arithmetic(device: Option<usize>) -> String {
    match device {
        None => "this thread's floating-point environment".into(),
        Some(device) => format!("the floating-point arithmetic of device {device}"),
    }
}

/// What to do about it.
fn remedy(device: Option<usize>) -> &'static str {
    match device {
        None => "restore the default before the call (often a library built with -ffast-math changed it)",
        Some(_) => {
            "reduce on the CPU (warpfold::Cpu), and report the device and the driver, as nvidia-smi names them"
        }
    }
}

/// Fails if two arrays that are to be folded side by side are not of one length.
pub(crate) fn check_lengths(left: usize, right: usize) -> Result<(), Error> {
    if left == right { Ok(()) } else { Err(Error::Lengths { left: left as u64, right: right as u64 }) }
}

/// Fails if there is not room for as many results as a call gives.
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
            (Error::OutOfMemory { bytes: 123 }, &["no 123 bytes free", "drop arrays"]),
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
            (Error::TooManyResults { results: 9 }, &["9 results", "fewer rows"]),
            (Error::Room { needed: 7, room: 5 }, &["7 elements", "room for 5", "longer"]),
            (Error::TooFew { wanted: 7, len: 5 }, &["7 elements", "there are 5", "at most"]),
            (Error::Quantile { q: 1.5 }, &["quantile 1.5", "from 0 to 1"]),
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
