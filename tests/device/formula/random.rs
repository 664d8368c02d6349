//! Random formulas: of each element the device has the bits that the CPU has. The sum of one result shows it. Random operators, over arrays.

use warpfold::formula::Mapped;
use warpfold::kernels::Kernel;
use warpfold::{Cpu, Formula, Op, Sum};
use warpfold_tests::data::Family::{Ordinary, SpecialOnly};
use warpfold_tests::formulas::{Grammar, Random, RandomOperator, random};
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

/// The operators neither commute nor associate.
fn operators_of<T, const SEED: u64>()
where
    T: Grammar + Sample + Bits,
    RandomOperator<T, SEED>: Kernel<T> + Op<T, Out: Bits>,
{
    if !takes_case(SEED) {
        return;
    }
    let op = RandomOperator::<T, SEED>::new();
    for n in on_gpu_or_emulated([2, 77, 4099, 300_000], [2, 77, 4099, 9000]) {
        for family in [Ordinary, SpecialOnly] {
            let x: Vec<T> = samples(family, SEED, n);
            let found = cuda().reduce(op, &cuda().upload(&x).unwrap()).unwrap();
            let expected = Cpu::new().reduce(op, &x).unwrap();
            assert!(
                found.is_same(&expected),
                "seed {SEED}, {n}: {} and not {}",
                found.bits(),
                expected.bits()
            );
        }
    }
}

macro_rules! each_seed {
    ($check:ident, $seeds:tt $($name:ident: $type:ty;)*) => { $( each_seed! { @ $check $name $type, $seeds } )* };
    (@ $check:ident $name:ident $type:ty, ($($seed:literal)*)) => {
        #[test]
        fn $name() {
            $($check::<$type, $seed>();)*
        }
    };
}
each_seed! {
    same_of, (1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
    of_f32: f32;
    of_f64: f64;
    of_i32: i32;
    of_i64: i64;
    of_u32: u32;
    of_u64: u64;
}
each_seed! {
    operators_of, (1 2 3 4 5 6 7 8)
    operators_of_f32: f32;
    operators_of_f64: f64;
    operators_of_i32: i32;
    operators_of_i64: i64;
    operators_of_u32: u32;
    operators_of_u64: u64;
}
