//! Compiles and runs, which shows that the other programs fail for their own reasons.

use cuda_std::Arguments;
use warpfold::kernels::{Entry, Kernel};
use warpfold::{Cpu, Op, Sum, reduce};

#[derive(Clone, Copy, Default)]
struct SquaredTotal;

impl Op<f32> for SquaredTotal {
    type Acc = f64;
    type Out = f64;
    const IDENTITY: f64 = -0.0;
    const COMMUTATIVE: bool = true;
    fn lift(self, x: f32, _index: u64) -> f64 {
        f64::from(x) * f64::from(x)
    }
    fn combine(left: f64, right: f64) -> f64 {
        left + right
    }
    fn finish(acc: f64, _len: u64) -> f64 {
        acc
    }
}

#[derive(Clone, Copy, bytemuck::NoUninit)]
#[repr(C)]
struct Sample {
    weight: f32,
    count: u32,
}

#[derive(Clone, Copy, Default)]
struct Count;

impl Op<Sample> for Count {
    type Acc = u64;
    type Out = u64;
    const IDENTITY: u64 = 0;
    fn lift(self, x: Sample, _index: u64) -> u64 {
        u64::from(x.count) * u64::from(x.weight > 0.0)
    }
    fn combine(left: u64, right: u64) -> u64 {
        left + right
    }
    fn finish(acc: u64, _len: u64) -> u64 {
        acc
    }
}

cuda_std::kernel! {
    /// Rounds numbers down.
    ///
    /// # Safety
    /// Both pointers are valid for `len` numbers.
    pub unsafe fn floor(input: *const f32, len: u64, output: *mut u32) {
        let _ = (input, len, output);
    }
}

fn launch<A: Arguments>(_: Entry<A>, arguments: A) -> usize {
    arguments.with_pointers(|pointers| pointers.len())
}

fn has_kernels<O: Kernel<f32>>() {}

fn main() {
    let (input, mut output) = ([1.5f32], [0u32]);
    let arguments = floor { input: input.as_ptr(), len: 1, output: output.as_mut_ptr() };
    assert_eq!(launch(Entry::new("floor", "floor", ""), arguments), 3);
    has_kernels::<Sum>();
    assert_eq!(reduce::<f32, Sum>(&[1.0, 2.0]).unwrap(), 3.0);
    assert_eq!(Cpu::new().reduce(SquaredTotal, &[1.0f32, 2.0]).unwrap(), 5.0);
    assert_eq!(reduce::<f32, SquaredTotal>(&[1.0, 2.0]).unwrap(), 5.0);
    let samples = [Sample { weight: 1.0, count: 3 }, Sample { weight: 0.0, count: 4 }];
    assert_eq!(Cpu::new().reduce(Count, &samples).unwrap(), 3);
}
