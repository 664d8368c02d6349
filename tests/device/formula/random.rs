//! Random formulas: of each element the device has the bits that the CPU has. The sum of one result shows it.

use warpfold::formula::Mapped;
use warpfold::kernels::Kernel;
use warpfold::{Cpu, Formula, Op, Sum};
use warpfold_tests::data::Family::{Ordinary, SpecialOnly};
use warpfold_tests::formulas::{Grammar, Random, random};
use warpfold_tests::{Bits, Sample, cuda, on_gpu_or_emulated, samples, takes_case};

fn same_of<T, const SEED: u64>()
where
    T: Grammar + Sample + Bits,
    Mapped<Sum, Formula<Random<T, SEED>>>: Kernel<T> + Op<T, Out: Bits>,
{
    if !takes_case(SEED) {
        return;
    }
    let count = on_gpu_or_emulated(100, 12);
    let x: Vec<T> =
        samples(Ordinary, SEED, count).into_iter().chain(samples(SpecialOnly, SEED, count)).collect();
    let there = cuda().upload(&x).unwrap();
    for first in [0, 1, 2] {
        let op = Sum.of(random::<T, SEED>([x[first], x[first + 3], x[first + 9]]));
        for (i, one) in x.iter().enumerate() {
            let found = cuda().reduce(op, there.slice(i..i + 1).unwrap()).unwrap();
            let expected = Cpu::new().reduce(op, &x[i..=i]).unwrap();
            assert!(
                found.is_same(&expected),
                "seed {SEED}, {}: {} and not {}",
                one.bits(),
                found.bits(),
                expected.bits()
            );
        }
    }
}

macro_rules! each_seed {
    ($seeds:tt $($name:ident: $type:ty;)*) => { $( each_seed! { @ $name $type, $seeds } )* };
    (@ $name:ident $type:ty, ($($seed:literal)*)) => {
        #[test]
        fn $name() {
            $(same_of::<$type, $seed>();)*
        }
    };
}
each_seed! {
    (1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    of_f32: f32;
    of_f64: f64;
    of_i32: i32;
    of_i64: i64;
    of_u32: u32;
    of_u64: u64;
}
