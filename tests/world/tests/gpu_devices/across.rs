//! Arrays that the ranks fold element by element: by NCCL and the devices, against the CPU's columns, or
//! the obvious fold where a column of ranks has another tree.

use std::fmt::Debug;

use bytemuck::{CheckedBitPattern, NoUninit};
use test_kernels::{Ordered, Strided};
use warpfold::elements::Accumulator;
use warpfold::kernels::{RowsKernel, Storable, StoredOf};
use warpfold::{
    ArgMax, Communicator, Cpu, Cuda, Element, Max, Mean, Nccl, Op, Sum, SumIn, Variance, World, columns,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

use super::pairs::reference;

/// Nothing, one element, small arrays, one piece, and several: 18 MiB and 80 MiB of f32.
pub const LENS: [usize; 8] = [0, 1, 5, 1000, 65_536, 70_001, (9 << 19) + 3, (20 << 20) + 1];
/// Lengths around the length of a small array, of a vector, and of a piece of 2048 f32 each.
pub const SHORT_LENS: [usize; 9] = [0, 1, 255, 257, 4095, 4096, 4097, 20_000, 99_999];

/// Elements after which long arrays repeat: prime, so that no piece or share is like another.
const DISTINCT: usize = 200_003;

/// The arrays of all ranks, one after the other.
fn arrays<T: Sample>(len: usize, ranks: usize) -> Vec<T> {
    let family = if len.is_multiple_of(2) { Ordinary } else { Special };
    let array = |rank| samples::<T>(family, 3 + rank, len.min(DISTINCT) as u64).into_iter().cycle().take(len);
    (0..ranks as u64).flat_map(array).collect()
}

/// Whether all bits are the same.
#[track_caller]
fn assert_same<R: Bits>(found: &[R], right: &[R], what: &str) {
    assert_eq!(found.len(), right.len(), "{what}");
    let other = found.iter().zip(right).position(|(found, right)| !found.is_same(right));
    assert!(other.is_none(), "{what}: element {other:?}");
}

/// all_reduce of arrays: new ones and in place, on streams and in a graph.
fn all<C, T, O>(world: &World<Nccl<C>>, cuda: &Cuda, op: O, len: usize)
where
    C: Communicator,
    T: Accumulator + Sample + CheckedBitPattern<Bits: NoUninit> + Bits,
    O: RowsKernel<T> + Op<T, Out = T> + Debug,
{
    let ranks = world.size();
    let (what, x) = (format!("{op:?} of {len}"), arrays::<T>(len, ranks));
    let own = &x[world.rank() * len..][..len];
    let right = Cpu::new().reduce(op, columns(&x, [ranks, len])).unwrap();
    let found = world.all_reduce(op, &cuda.upload(own).unwrap()).unwrap();
    assert_same(&found.to_vec().unwrap(), &right, &what);
    let mut values = cuda.values::<T>(len).unwrap();
    values.copy_from_slice(own).unwrap();
    world.all_reduce(op, &mut values).unwrap();
    assert_same(&values.to_vec().unwrap(), &right, &what);

    let stream = cuda.stream().unwrap();
    let mut graph = stream.capture(|stream| world.all_reduce_on(stream, op, &mut values)).unwrap();
    for _ in 0..2 {
        values.copy_from_slice(own).unwrap();
        graph.launch(&stream).unwrap();
        assert_same(&values.to_vec().unwrap(), &right, &format!("{what}, in a graph"));
        values.copy_from_slice(own).unwrap();
        world.all_reduce_on(&stream, op, &mut values).unwrap();
        assert_same(&values.to_vec().unwrap(), &right, &format!("{what}, on a stream"));
    }
}

/// reduce_scatter of arrays.
fn shares<C, T, O>(world: &World<Nccl<C>>, cuda: &Cuda, op: O, len: usize)
where
    C: Communicator,
    T: Element + Sample + CheckedBitPattern<Bits: NoUninit>,
    O: RowsKernel<T> + Op<T, Out: Storable<Stored: Bits>> + Debug,
{
    let ranks = world.size();
    let (what, x) = (format!("{op:?} of {len}, in shares"), arrays::<T>(len, ranks));
    let (rank, own) = (world.rank(), cuda.upload(&x[world.rank() * len..][..len]).unwrap());
    let right = if O::COMMUTATIVE {
        Cpu::new().reduce(op, columns(&x, [ranks, len])).unwrap()
    } else {
        reference(op, &(0..ranks).map(|rank| &x[rank * len..][..len]).collect::<Vec<_>>())
    };
    let right: Vec<StoredOf<T, O>> = right.into_iter().map(Storable::store).collect();
    let right = &right[len * rank / ranks..len * (rank + 1) / ranks];
    assert_same(&world.reduce_scatter(op, &own).unwrap().to_vec().unwrap(), right, &what);
    let mut out = cuda.values(right.len()).unwrap();
    let enqueued = world.reduce_scatter_on(&cuda.stream().unwrap(), op, &own, &mut out);
    if ranks > 2 && !O::COMMUTATIVE && !O::ASSOCIATIVE {
        assert!(enqueued.is_err(), "{what}: goes through host memory");
        return;
    }
    enqueued.unwrap();
    assert_same(&out.to_vec().unwrap(), right, &what);
}

/// Operators that round, wrap, have results of other types, tell the order of ranks, and do not commute.
pub fn cases<C: Communicator>(world: &World<Nccl<C>>, cuda: &Cuda, lens: &[usize]) {
    for &len in lens {
        all::<C, f32, _>(world, cuda, Sum, len);
        shares::<C, f32, _>(world, cuda, Max, len);
        if len > 1 << 20 {
            continue;
        }
        all::<C, f64, _>(world, cuda, Sum, len);
        all::<C, i64, _>(world, cuda, Sum, len);
        all::<C, i32, _>(world, cuda, SumIn::<i32>::default(), len);
        shares::<C, f32, _>(world, cuda, Mean, len);
        shares::<C, f64, _>(world, cuda, Variance, len);
        shares::<C, i32, _>(world, cuda, ArgMax, len);
        shares::<C, u8, _>(world, cuda, Sum, len);
        shares::<C, u32, _>(world, cuda, Strided::default(), len);
        shares::<C, u32, _>(world, cuda, Ordered::default(), len);
    }
}
