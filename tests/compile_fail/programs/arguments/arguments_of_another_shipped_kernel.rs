//! A shipped entry fixes the arguments of its launch: its kind of kernel, its operator and its elements.

use cuda_std::Arguments;
use cuda_std::memory::Writable;
use warpfold::addresses::{Readable, Two};
use warpfold::arguments::{Block, Partials};
use warpfold::kernels::{Entry, Kernel};
use warpfold::{Max, Sum};

fn launch<A: Arguments>(_: Entry<A>, _: A) {}

fn main() {
    let (sums, mut out) = ([0.0], [0.0]);
    let (input, out) = (Readable::from(&sums[..]), Writable::from(&mut out[..]));
    let partials = Partials::<f32, Sum> { input: out, count: 2, fan_in: 2, out, tag: 0 };
    launch(<Sum as Kernel<f32>>::FOLD.partials, partials);
    launch(<Sum as Kernel<f32>>::FOLD.block, partials);
    launch(<Sum as Kernel<f64>>::FOLD.partials, partials);
    launch(<Max as Kernel<f32>>::FOLD.partials, partials);
    // Two arrays for a kernel that reads one.
    let input = Two(input, input);
    launch(<Sum as Kernel<f32>>::FOLD.block, Block { input, len: 0, base: 0, out, tag: 0, op: Sum });
}
