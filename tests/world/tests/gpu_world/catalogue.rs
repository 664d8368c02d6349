//! Every pair of the catalogue over four ranks, with a cut at a tile, in a vector and in a lane.

use bytemuck::{CheckedBitPattern, NoUninit, Pod};
use warpfold::kernels::Kernel;
use warpfold::{Cpu, Element, Op, addresses::Two, tree, zip};
use warpfold_tests::data::Family::Special;
use warpfold_tests::{Bits, Sample, samples};

use super::cuts::{assert_all, ending};
use super::devices::Whole;
use super::ranks::on_each;

/// Ends of parts of an array of five tiles and a rest.
fn ends<T>() -> [usize; 3] {
    let tile = tree::tile_len::<T>(0) as usize;
    [tile + tree::lanes::<T>() + 3, 2 * tile, 4 * tile + 1]
}

fn len<T>() -> usize {
    5 * tree::tile_len::<T>(0) as usize + 1001
}

fn check<T, O>()
where
    T: Element + Sample + CheckedBitPattern<Bits: NoUninit>,
    O: Kernel<T> + Default + Op<T, Out: Bits>,
{
    let x = samples::<T>(Special, 3, len::<T>() as u64);
    let expected = Cpu::new().reduce(O::default(), &x).unwrap().bits();
    let whole = Whole::new(&x);
    let cut = ending(&ends::<T>(), x.len());
    let found =
        on_each(&cut, |world, part| world.reduce(O::default(), whole.part(world, part)).unwrap().bits());
    assert_all(&found, &expected, "");
}

fn check_pairs<T, O>()
where
    T: Element + Pod + Sample,
    O: Kernel<[T; 2], Two<T>> + Default + Op<[T; 2], Out: Bits>,
{
    let n = len::<[T; 2]>();
    let (x, y) = (samples::<T>(Special, 3, n as u64), samples::<T>(Special, 4, n as u64));
    let expected = Cpu::new().reduce(O::default(), zip(&x, &y)).unwrap().bits();
    let (whole_x, whole_y) = (Whole::new(&x), Whole::new(&y));
    let cut = ending(&ends::<[T; 2]>(), n);
    let found = on_each(&cut, |world, part| {
        let (x, y) = (whole_x.part(world, part.clone()), whole_y.part(world, part));
        world.reduce(O::default(), zip(x, y)).unwrap().bits()
    });
    assert_all(&found, &expected, "");
}

macro_rules! every_row {
    ($($row:ident: $op:ty, $element:ty;)*) => { $(
        #[test]
        fn $row() {
            check::<$element, $op>();
        }
    )* };
}
gpu_kernels::for_each_kernel!(every_row);

macro_rules! every_row_of_pairs {
    ($($row:ident: $op:ty, $element:ty;)*) => { $(
        #[test]
        fn $row() {
            check_pairs::<$element, $op>();
        }
    )* };
}
gpu_kernels::for_each_zip_kernel!(every_row_of_pairs);
