//! Operations on one array. Each rank has a part of it on its device.

use std::fmt::Debug;
use std::ops::Range;

use bytemuck::{CheckedBitPattern, NoUninit};
use warpfold::kernels::Kernel;
use warpfold::{
    All, Any, ArgMax, ArgMin, Communicator, Cpu, Cuda, Element, Max, Mean, Min, Nccl, Op, Order, Product,
    Scan, Sum, Variance, World, columns, rows,
};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, Sample, samples};

/// Elements of all ranks.
const N: usize = 3_000_017;

/// Divisions of N elements between ranks, at multiples of `width`: parts of like lengths that begin within a tile; a long
/// last part, and of three or more an empty one before it.
fn divisions(ranks: usize, width: usize) -> [Vec<Range<usize>>; 2] {
    let cut = |at: usize| at / width * width;
    let even = |rank: usize| if rank == ranks { cut(N) } else { cut((N - 66_671) * rank / ranks) };
    let late = |rank: usize| match ranks - rank {
        _ if rank == 0 => 0,
        0 => cut(N),
        1 | 2 => cut(N / 5),
        _ => cut(N / 5 * rank / ranks),
    };
    [
        (0..ranks).map(|rank| even(rank)..even(rank + 1)).collect(),
        (0..ranks).map(|rank| late(rank)..late(rank + 1)).collect(),
    ]
}

/// Bits of several results.
pub fn bits<R: Bits>(results: &[R]) -> String {
    results.iter().map(|result| result.bits()).collect::<Vec<_>>().join(" ")
}

fn flat<C, T, O>(world: &World<Nccl<C>>, cuda: &Cuda, op: O)
where
    C: Communicator,
    T: Element + Sample + CheckedBitPattern<Bits: NoUninit>,
    O: Kernel<T> + Op<T, Out: Bits> + Debug,
{
    let x = samples::<T>(Ordinary, 5, N as u64);
    let one = cuda.reduce(op, &cuda.upload(&x).unwrap()).unwrap().bits();
    assert_eq!(one, Cpu::new().reduce(op, &x).unwrap().bits(), "{op:?}");
    for parts in divisions(world.size(), 1) {
        let own = cuda.upload(&x[parts[world.rank()].clone()]).unwrap();
        assert_eq!(world.reduce(op, &own).unwrap().bits(), one, "{op:?} {parts:?}");
    }

    // Parts that begin with tiles, on a stream and in a graph.
    let (len, ranks) = (1 << 21, world.size());
    let whole = &x[..len + 5];
    let one = Cpu::new().reduce(op, whole).unwrap().bits();
    let at = |rank: usize| if rank == ranks { len + 5 } else { rank * ((len / ranks) >> 17 << 17) };
    let own = cuda.upload(&whole[at(world.rank())..at(world.rank() + 1)]).unwrap();
    let (stream, mut result) = (cuda.stream().unwrap(), cuda.scalar::<T, O>().unwrap());
    world.reduce_on(&stream, op, &own, &mut result).unwrap();
    assert_eq!(result.get().unwrap().bits(), one, "{op:?} on a stream");
    let mut result = cuda.scalar::<T, O>().unwrap();
    let mut graph = stream.capture(|stream| world.reduce_on(stream, op, &own, &mut result)).unwrap();
    for _ in 0..2 {
        graph.launch(&stream).unwrap();
        assert_eq!(result.get().unwrap().bits(), one, "{op:?} in a graph");
    }
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
    let (whole, all) = (&x[..len], cuda.upload(&x[..len]).unwrap());
    let shape = [len / width, width];
    let sums = bits(&cpu.reduce(Sum, rows(whole, shape)).unwrap());
    let means = bits(&cpu.reduce(Mean, columns(whole, shape)).unwrap());
    assert_eq!(sums, bits(&cuda.reduce(Sum, rows(&all, shape)).unwrap().to_vec().unwrap()));
    assert_eq!(means, bits(&cuda.reduce(Mean, columns(&all, shape)).unwrap().to_vec().unwrap()));
    for parts in divisions(world.size(), width) {
        let own = &whole[parts[world.rank()].clone()];
        let (device, shape) = (cuda.upload(own).unwrap(), [own.len() / width, width]);
        assert_eq!(bits(&world.reduce(Sum, rows(&device, shape)).unwrap()), sums, "{parts:?}");
        assert_eq!(bits(&world.reduce(Mean, columns(&device, shape)).unwrap()), means, "{parts:?}");
    }

    let scanned = cpu.scan(Sum, &x, Scan::inclusive()).unwrap();
    let mut sorted = x.clone();
    cpu.sort(&mut sorted, Order::Descending).unwrap();
    for parts in divisions(world.size(), 1) {
        let part = &parts[world.rank()];
        let own = cuda.upload(&x[part.clone()]).unwrap();
        let found = world.scan(Sum, &own, Scan::inclusive()).unwrap().to_vec().unwrap();
        assert_eq!(bits(&found), bits(&scanned[part.clone()]), "scan, {parts:?}");
        let found = world.sort(&own, Order::Descending).unwrap().to_vec().unwrap();
        assert_eq!(bits(&found), bits(&sorted[part.clone()]), "sort, {parts:?}");
    }
}
