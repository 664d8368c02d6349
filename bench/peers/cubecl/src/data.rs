//! The f32 elements of `bench`'s datum.rs, generated on the device.

use cubecl::{client::Client, prelude::*, server::Handle};

/// The upper 24 bits of SplitMix64's output at each index, scaled to [0, 1).
#[cube(launch_unchecked)]
fn uniform(output: &mut [f32]) {
    if ABSOLUTE_POS < output.len() {
        let mut x = (u64::cast_from(ABSOLUTE_POS) + 1u64) * 0x9E37_79B9_7F4A_7C15u64;
        x = (x ^ (x >> 30u64)) * 0xBF58_476D_1CE4_E5B9u64;
        x = (x ^ (x >> 27u64)) * 0x94D0_49BB_1331_11EBu64;
        x = x ^ (x >> 31u64);
        output[ABSOLUTE_POS] = f32::cast_from(x >> 40u64) * (1.0f32 / 16777216.0f32);
    }
}

/// Elements 0 to `n` - 1.
pub fn uniform_f32(client: &Client, n: usize) -> Handle {
    let output = client.empty(n * size_of::<f32>());
    let cube = CubeDim::new(client, n);
    let count = cubecl::calculate_cube_count_elemwise(client, n, cube);
    // SAFETY: the buffer has `n` elements, and the kernel compares its position with them.
    unsafe { uniform::launch_unchecked(client, count, cube, BufferArg::from_raw_parts(output.clone(), n)) };
    output
}

/// Writes a zero, which `shared_sum` adds to.
#[cube(launch_unchecked)]
fn clear(output: &mut [f32]) {
    if ABSOLUTE_POS < output.len() {
        output[ABSOLUTE_POS] = 0.0f32;
    }
}

/// Enqueues a zero for the one element of `output`.
pub fn zero(client: &Client, output: Handle) {
    let (count, cube) = (CubeCount::Static(1, 1, 1), CubeDim::new_1d(1));
    // SAFETY: the buffer has one element, and the kernel compares its position with that.
    unsafe { clear::launch_unchecked(client, count, cube, BufferArg::from_raw_parts(output, 1)) };
}
