//! Every operation once, on the faster backend. With the feature `cuda` and a GPU, the same lines also run on arrays in
//! its memory; many results stay there until `to_vec` copies them.

use ndarray::array;
use warpfold::{
    ArgMax, Auto, Dot, Error, Interpolation, Max, Mean, Op, Order, Scan, Sum, Variance, above, along, count,
    groups, operator, reduce, rows, runs, zip,
};

/// Greatest common divisor: a user's operator.
#[derive(Clone, Copy, Default)]
struct Gcd;

impl Op<u32> for Gcd {
    type Acc = u32;
    type Out = u32;
    const IDENTITY: u32 = 0;
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = true;
    fn lift(self, x: u32, _index: u64) -> u32 {
        x
    }
    fn combine(mut left: u32, mut right: u32) -> u32 {
        while right != 0 {
            (left, right) = (right, left % right);
        }
        left
    }
    fn finish(acc: u32, _len: u64) -> u32 {
        acc
    }
}

fn main() -> Result<(), Error> {
    let (auto, x) = (Auto::new(), vec![3.0f32, 1.0, 4.0, 1.5, 9.0, 2.5]);

    assert_eq!(auto.reduce(Sum, &x)?, 21.0);
    assert_eq!(auto.reduce(ArgMax, &x)?.map(|at| at.index), Some(4));
    assert_eq!(auto.reduce((Mean, Variance), &x)?, (Some(3.5), Some(7.0)));
    assert_eq!(auto.reduce(Dot, zip(&x, &x))?, 115.5);
    assert_eq!(auto.reduce(Gcd, &[84, 126, 210])?, 42);
    assert_eq!(auto.reduce(operator!(0, |a: u32, b| a ^ b), &[9, 4, 4])?, 9);
    assert_eq!(auto.reduce(count(|v: f32| v > 2.0), &x)?, 4);
    assert_eq!(reduce::<f32, Sum>(&x)?, 21.0);

    assert_eq!(auto.reduce(Max, rows(&x, [2, 3]))?, [Some(4.0), Some(9.0)]);
    assert_eq!(auto.reduce(Sum, groups(&[1u32, 0, 1, 0, 1, 0], &x, 2))?, [5.0, 16.0]);
    assert_eq!(
        auto.reduce(Sum, runs(&["a", "a", "b", "b", "b", "a"], &x))?,
        (vec!["a", "b", "a"], vec![4.0, 14.5, 2.5])
    );
    assert_eq!(auto.reduce(Sum, along(&array![[1.0, 2.0], [4.0, 8.0]], &[1]))?, array![3.0, 12.0].into_dyn());

    assert_eq!(auto.scan(Sum, &x, Scan::inclusive())?, [3.0, 4.0, 8.0, 9.5, 18.5, 21.0]);
    assert_eq!(auto.compact(above(2.0), &x)?, [3.0, 4.0, 9.0, 2.5]);
    assert_eq!(auto.top_k(&x, 2)?.iter().map(|at| at.value).collect::<Vec<_>>(), [9.0, 4.0]);
    assert_eq!(auto.quantiles(&x, &[0.25, 0.5], Interpolation::Linear)?, [1.75, 2.75]);
    let mut sorted = x.clone();
    auto.sort(&mut sorted, Order::Descending)?;
    assert_eq!(sorted, [9.0, 4.0, 3.0, 2.5, 1.5, 1.0]);

    #[cfg(feature = "cuda")]
    on_gpu(&x)?;
    println!("all as expected");
    Ok(())
}

/// The same lines after one upload. Your own operators and closures run on a GPU once their kernels are built: see
/// `own-op`.
#[cfg(feature = "cuda")]
fn on_gpu(x: &[f32]) -> Result<(), Error> {
    use warpfold::{Cuda, View};

    let cuda = match Cuda::open(0) {
        Err(Error::Unavailable { reason }) => return Ok(println!("no GPU: {reason}")),
        cuda => cuda?,
    };
    let x = cuda.upload(x)?;

    assert_eq!(cuda.reduce(Sum, &x)?, 21.0);
    assert_eq!(cuda.reduce(ArgMax, &x)?.map(|at| at.index), Some(4));
    assert_eq!((cuda.reduce(Mean, &x)?, cuda.reduce(Variance, &x)?), (Some(3.5), Some(7.0)));
    assert_eq!(cuda.reduce(Dot, zip(&x, &x))?, 115.5);

    assert_eq!(cuda.reduce(Max, rows(&x, [2, 3]))?.to_vec()?, [Some(4.0), Some(9.0)]);
    assert_eq!(cuda.reduce(Max, along(View::new(&x, &[2, 3])?, &[1]))?.to_vec()?, [Some(4.0), Some(9.0)]);
    let ids = cuda.upload(&[1u32, 0, 1, 0, 1, 0])?;
    assert_eq!(cuda.reduce(Sum, groups(&ids, &x, 2))?.to_vec()?, [5.0, 16.0]);
    let keys = cuda.upload(&['a', 'a', 'b', 'b', 'b', 'a'])?;
    let (keys, sums) = cuda.reduce(Sum, runs(&keys, &x))?;
    assert_eq!((keys.to_vec()?, sums.to_vec()?), (vec!['a', 'b', 'a'], vec![4.0, 14.5, 2.5]));

    assert_eq!(cuda.scan(Sum, &x, Scan::inclusive())?.to_vec()?, [3.0, 4.0, 8.0, 9.5, 18.5, 21.0]);
    assert_eq!(cuda.compact(above(2.0), &x)?.to_vec()?, [3.0, 4.0, 9.0, 2.5]);
    assert_eq!(cuda.top_k(&x, 2)?.0.to_vec()?, [9.0, 4.0]);
    assert_eq!(cuda.quantiles(&x, &[0.25, 0.5], Interpolation::Linear)?, [1.75, 2.75]);
    assert_eq!(cuda.sort(&x, Order::Descending)?.to_vec()?, [9.0, 4.0, 3.0, 2.5, 1.5, 1.0]);
    Ok(())
}
