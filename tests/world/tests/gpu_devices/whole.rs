//! Operations on an array of which each rank has a part on its device.

use std::fmt::Debug;

use bytemuck::{CheckedBitPattern, NoUninit};
use warpfold::{
    All, Any, ArgMax, ArgMin, Communicator, Cpu, Cuda, Element, Kernel, Max, Mean, Min, Nccl, Op, Order,
    Product, Scan, Sum, Variance, World, columns, rows,
};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, Sample, samples};

/// Elements, of which the second rank begins within a tile.
const N: usize = 3_000_017;
const CUT: usize = 1_400_003;

/// Bits of several results.
pub fn bits<R: Bits>(results: &[R]) -> String {
    results.iter().map(|result| result.bits()).collect::<Vec<_>>().join(" ")
}

fn part<T>(x: &[T], rank: usize) -> &[T] {
    if rank == 0 { &x[..CUT] } else { &x[CUT..] }
}

fn flat<C, T, O>(world: &World<Nccl<C>>, cuda: &Cuda, op: O)
where
    C: Communicator,
    T: Element + Sample + CheckedBitPattern<Bits: NoUninit>,
    O: Kernel<T> + Op<T, Out: Bits> + Debug,
{
    let x = samples::<T>(Ordinary, 5, N as u64);
    let own = cuda.upload(part(&x, world.rank())).unwrap();
    let found = world.reduce(op, &own).unwrap().bits();
    assert_eq!(found, Cpu::new().reduce(op, &x).unwrap().bits(), "{op:?}");
    assert_eq!(found, cuda.reduce(op, &cuda.upload(&x).unwrap()).unwrap().bits(), "{op:?}");
}

/// Every basic operator, then rows, columns, a scan and a sort.
pub fn cases<C: Communicator>(world: &World<Nccl<C>>, cuda: &Cuda) {
    macro_rules! each {
        ($($element:ty: $($op:expr),*;)*) => { $( $( flat::<C, $element, _>(world, cuda, $op); )* )* };
    }
    each! {
        f32: Sum, Product, Mean, Min, Max, ArgMin, ArgMax, Variance, Any, All;
        f64: Sum, Mean, Max, ArgMin, Variance;
        i32: Sum, Product, Mean, Min, ArgMax;
        u8: Sum, Min, Any;
        i64: Sum, Max;
    }
    let x = samples::<f32>(Ordinary, 9, N as u64);
    let (cpu, width) = (Cpu::new(), 1000);
    let len = N / width * width;
    let cut = CUT / width * width;
    let (whole, all) = (&x[..len], cuda.upload(&x[..len]).unwrap());
    let own = if world.rank() == 0 { &whole[..cut] } else { &whole[cut..] };
    let (device, shape) = (cuda.upload(own).unwrap(), [own.len() / width, width]);
    let found = bits(&world.reduce(Sum, rows(&device, shape)).unwrap());
    assert_eq!(found, bits(&cpu.reduce(Sum, rows(whole, [len / width, width])).unwrap()));
    let one = cuda.reduce(Sum, rows(&all, [len / width, width])).unwrap();
    assert_eq!(found, bits(&one.to_vec().unwrap()));
    let found = bits(&world.reduce(Mean, columns(&device, shape)).unwrap());
    assert_eq!(found, bits(&cpu.reduce(Mean, columns(whole, [len / width, width])).unwrap()));
    let one = cuda.reduce(Mean, columns(&all, [len / width, width])).unwrap();
    assert_eq!(found, bits(&one.to_vec().unwrap()));

    let (own, rank) = (cuda.upload(part(&x, world.rank())).unwrap(), world.rank());
    let found = world.scan(Sum, &own, Scan::inclusive()).unwrap().to_vec().unwrap();
    let expected = cpu.scan(Sum, &x, Scan::inclusive()).unwrap();
    assert!(found.iter().zip(part(&expected, rank)).all(|(found, right)| found.is_same(right)));
    let found = world.sort(&own, Order::Descending).unwrap().to_vec().unwrap();
    let mut expected = x.clone();
    cpu.sort(&mut expected, Order::Descending).unwrap();
    assert_eq!(found.len(), part(&x, rank).len());
    assert!(found.iter().zip(part(&expected, rank)).all(|(found, right)| found.is_same(right)));
}
