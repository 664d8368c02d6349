//! Arrays of all ranks, element by element: against the obvious fold in pairs of neighbours.

use std::fmt::Debug;

use test_kernels::{Ordered, Strided, mix};
use warpfold::{Any, BitXor, Cpu, Element, Error, Mean, Op, RankFault, Sum, SumIn, Variance, columns};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

use super::cuts::{assert_all, bits, concat, ending};
use super::pairs::reference;
use super::ranks::{MOST, on_each};

cases!(
    sums_of_floats,
    integers,
    shares_with_an_order_of_their_own,
    shares_of_other_outputs,
    long_arrays,
    it_is_a_reduction_of_columns,
    arrays_of_other_lengths_are_refused
);

/// The numbers of ranks to test.
fn numbers() -> impl Iterator<Item = usize> {
    [1, 2, 3, 4, 7, 8, 64].into_iter().filter(|&ranks| ranks <= MOST)
}

fn arrays<T: Sample + Clone>(ranks: usize, n: u64) -> Vec<Vec<T>> {
    let array =
        |rank: usize| samples::<T>(if rank % 3 == 2 { Special } else { Ordinary }, mix(rank as u64), n);
    (0..ranks).map(array).collect()
}

/// As many empty parts as ranks.
fn none(ranks: usize) -> Vec<std::ops::Range<usize>> {
    ending(&vec![0; ranks - 1], 0)
}

fn agrees<T, O>(op: O)
where
    T: Element + Sample + bytemuck::CheckedBitPattern + Bits,
    O: Op<T, Out = T> + Debug,
{
    for ranks in numbers() {
        for n in [0, 1, 63, 64, 5001] {
            let arrays = arrays::<T>(ranks, n);
            let expected = reference(op, &arrays);
            let found = on_each(&none(ranks), |world, _| {
                let mut x = arrays[world.rank()].clone();
                world.all_reduce(op, &mut x).unwrap();
                bits(&x)
            });
            assert_all(&found, &bits(&expected), &format!("{op:?} of {n} on {ranks} ranks"));
        }
    }
}

fn sums_of_floats() {
    agrees::<f32, _>(Sum);
    agrees::<f64, _>(Sum);
}

fn integers() {
    agrees::<i32, _>(SumIn::<i32>::default());
    agrees::<u64, _>(SumIn::<u64>::default());
    agrees::<u8, _>(BitXor);
}

fn shares_agree<T, O>(op: O)
where
    T: Element + Sample + bytemuck::CheckedBitPattern,
    O: Op<T, Out: Bits> + Debug,
{
    for ranks in numbers() {
        for n in [0, 1, 63, 64, 5000] {
            let arrays = arrays::<T>(ranks, n);
            let expected = reference(op, &arrays);
            let found = on_each(&none(ranks), |world, _| {
                let share = world.reduce_scatter(op, &arrays[world.rank()]).unwrap();
                let n = n as usize;
                assert_eq!(share.len(), n * (world.rank() + 1) / ranks - n * world.rank() / ranks);
                bits(&share)
            });
            assert_eq!(concat(&found), bits(&expected), "{op:?} of {n} on {ranks} ranks");
        }
    }
}

fn shares_with_an_order_of_their_own() {
    shares_agree::<u32, _>(Ordered::default());
    shares_agree::<u32, _>(Strided::default());
}

fn shares_of_other_outputs() {
    shares_agree::<f32, _>((Mean, Variance));
    shares_agree::<bool, _>(Any);
}

/// Several threads on each rank.
fn long_arrays() {
    let arrays = arrays::<f32>(3, 700_001);
    let expected = bits(&reference(Sum, &arrays));
    let found = on_each(&none(3), |world, _| {
        let mut x = arrays[world.rank()].clone();
        world.all_reduce(Sum, &mut x).unwrap();
        bits(&x)
    });
    assert!(found.iter().all(|found| *found == expected));
}

/// For an operator that commutes, the tree is the same as for a reduction of as many elements as ranks.
fn it_is_a_reduction_of_columns() {
    let arrays = arrays::<f32>(7, 300);
    let expected = Cpu::new().reduce(Sum, columns(&arrays.concat(), [7, 300])).unwrap();
    assert_eq!(bits(&reference(Sum, &arrays)), bits(&expected));
}

fn arrays_of_other_lengths_are_refused() {
    let found = on_each(&none(3), |world, _| {
        let mut x = vec![1.0f32; if world.rank() == 1 { 9 } else { 8 }];
        let refused = world.all_reduce(Sum, &mut x);
        assert!(
            matches!(refused, Err(Error::Rank { rank: 1, fault: RankFault::Disagrees { .. } })),
            "{refused:?}"
        );
        world.all_reduce(Sum, &mut x[..8]).unwrap();
        x[0].bits()
    });
    assert_eq!(found, [3.0_f32; 3].map(|sum| sum.bits()));
}
