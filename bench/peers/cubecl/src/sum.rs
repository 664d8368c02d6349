//! The ways to sum an array with cubek-reduce's public functions. None of them sums a large array at the
//! device's speed in one call, so combinations of two are tried too.

use cubecl::{
    client::Client,
    config::autotune::AutotuneLevel,
    prelude::*,
    server::Handle,
    zspace::{Shape, Strides},
};
use cubek_reduce::{
    ReduceDtypes,
    components::instructions::ReduceOperationConfig,
    launch::{ReduceStrategy, RoutineStrategy, VectorizationStrategy},
    reduce,
    routines::{BlueprintStrategy, cube::CubeStrategy, plane::PlaneStrategy},
    shared_sum,
};

use crate::data;

/// What folds a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Folder {
    /// A warp.
    Plane,
    /// A block.
    Cube,
}

/// A way to sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// One `reduce`, of one row.
    Once(Folder),
    /// `reduce` of this many rows, then of the results.
    Twice(Folder, usize),
    /// A zero, then `shared_sum` with this many cubes, each of which adds to it atomically.
    Shared(u32),
}

/// The most rows of [`Way::Twice`].
pub const ROWS: usize = 1 << 13;

/// The ways to try for `n` elements, the most promising first.
pub fn ways(n: usize) -> Vec<Way> {
    let mut ways = Vec::new();
    for rows in [1024, 512, 2048, 256, 4096, 128, 64, 32, ROWS] {
        if n / rows >= 1024 && (rows >= 256 || n <= 1 << 20) {
            ways.push(Way::Twice(Folder::Cube, rows));
        }
    }
    // As many cubes as a GPU has multiprocessors, or a multiple; up to 64, as burn tries.
    for cubes in [1056, 528, 264, 132, 64, 32, 8, 1] {
        if n / cubes as usize >= 512 || cubes == 1 {
            ways.push(Way::Shared(cubes));
        }
    }
    ways.push(Way::Once(Folder::Cube));
    if n <= 1 << 16 {
        ways.push(Way::Once(Folder::Plane));
    }
    ways
}

/// Part of a buffer of `bytes` bytes.
pub fn part(buffer: &Handle, bytes: usize, start: usize, length: usize) -> Handle {
    let mut part = buffer.clone();
    if start > 0 {
        part = part.offset_start(start as u64);
    }
    if start + length < bytes {
        part = part.offset_end((bytes - start - length) as u64);
    }
    part
}

/// Enqueues the sum of the `n` elements of `input` to the element of `output`, with [`ROWS`] elements of
/// scratch.
pub fn sum(
    client: &Client,
    way: Way,
    (input, n): (Handle, usize),
    between: &Handle,
    output: Handle,
) -> Result<(), String> {
    match way {
        Way::Once(folder) => rows(client, folder, (input, [1, n]), (output, 1)),
        Way::Twice(folder, count) => {
            let between = part(between, ROWS * 4, 0, count * 4);
            rows(client, folder, (input, [count, n / count]), (between.clone(), count))?;
            rows(client, Folder::Cube, (between, [1, count]), (output, 1))
        }
        Way::Shared(cubes) => {
            data::zero(client, output.clone());
            let (input, output) = (tensor(input, [1, n]), tensor(output, [1, 1]));
            shared_sum(client, input, output, cubes, f32::elem_type_native()).map_err(|error| error.to_string())
        }
    }
}

/// Enqueues the sum of each row.
fn rows(
    client: &Client,
    folder: Folder,
    (input, shape): (Handle, [usize; 2]),
    (output, count): (Handle, usize),
) -> Result<(), String> {
    let routine = match folder {
        Folder::Plane => {
            RoutineStrategy::Plane(BlueprintStrategy::Inferred(PlaneStrategy { independent: true }))
        }
        Folder::Cube => RoutineStrategy::Cube(BlueprintStrategy::Inferred(CubeStrategy { use_planes: true })),
    };
    let vectorization = VectorizationStrategy { parallel_output_vectorization: false };
    let strategy = ReduceStrategy { routine, vectorization, autotune_level: AutotuneLevel::Full };
    let f32 = f32::elem_type_native();
    let dtypes = ReduceDtypes { input: f32, output: f32, accumulation: f32 };
    let (input, output) = (tensor(input, shape), tensor(output, [count, 1]));
    reduce(client, input, output, 1, strategy, ReduceOperationConfig::Sum, dtypes)
        .map_err(|error| error.to_string())
}

fn tensor(buffer: Handle, shape: [usize; 2]) -> TensorBinding {
    let strides = Strides::from([shape[1], 1]);
    // SAFETY: every caller's buffer has as many elements as its shape.
    unsafe { TensorBinding::from_raw_parts(buffer, strides, Shape::from(shape)) }
}
