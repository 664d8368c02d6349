//! A shipped entry fixes the arguments of its launch: its kind of kernel, its operator and its elements.

use std::ptr;

use cuda_std::Arguments;
use warpfold::arguments::{Block, Partials};
use warpfold::kernels::{Entry, Kernel};
use warpfold::{Max, Sum};

fn launch<A: Arguments>(_: Entry<A>, _: A) {}

fn main() {
    let partials = Partials::<f32, Sum> { input: ptr::null_mut(), count: 2, fan_in: 2, out: ptr::null_mut(), tag: 0 };
    launch(<Sum as Kernel<f32>>::FOLD.partials, partials);
    launch(<Sum as Kernel<f32>>::FOLD.block, partials);
    launch(<Sum as Kernel<f64>>::FOLD.partials, partials);
    launch(<Max as Kernel<f32>>::FOLD.partials, partials);
    // Two arrays for a kernel that reads one.
    let input = warpfold::addresses::Two(ptr::null::<f32>(), ptr::null());
    launch(<Sum as Kernel<f32>>::FOLD.block, Block { input, len: 0, base: 0, out: ptr::null_mut(), tag: 0, op: Sum });
}
