//! The first few elements, medians and quantiles over all ranks: every rank has the CPU's results for the
//! whole.

use test_kernels::mix;
use warpfold::elements::{SortKey, TotalOrder};
use warpfold::{At, Cpu, Error, Interpolation, IsNan, Predicate, RankFault};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

use super::cuts::{assert_all, bits, cuts, ending};
use super::ranks::on_each;

cases!(
    the_first_few,
    quantiles_of_floats,
    quantiles_of_integers,
    a_nan_anywhere_is_a_nan_everywhere,
    long_arrays,
    wrong_calls_are_refused
);

const LENGTHS: [u64; 2] = [63, 20_000];

/// Samples, all kinds of NaN and zeros, few values, and one value.
fn inputs<T: Sample>(n: u64) -> Vec<Vec<T>> {
    let some = samples::<T>(Special, 9, 50);
    let few = (0..n).map(|i| some[mix(i) as usize % 3]).collect();
    vec![samples(Ordinary, n, n), samples(Special, n, n), few, vec![some[7]; n as usize]]
}

fn both<T: Bits>(top: &[At<T>], bottom: &[At<T>]) -> String {
    bits(top) + "; " + &bits(bottom)
}

fn first_agree<T: TotalOrder + Sample + Bits>() {
    for n in LENGTHS {
        for (input, x) in inputs::<T>(n).iter().enumerate() {
            let k = [1, 300, 7][input % 3].min(x.len());
            let cpu = Cpu::new();
            let expected = both(&cpu.top_k(x, k).unwrap(), &cpu.bottom_k(x, k).unwrap());
            for cut in cuts::<T>(x.len()) {
                let found = on_each(&cut, |world, part| {
                    let top = world.top_k(&x[part.clone()], k).unwrap();
                    both(&top, &world.bottom_k(&x[part], k).unwrap())
                });
                assert_all(&found, &expected, &format!("input {input}: {k} of {n} in {cut:?}"));
            }
        }
    }
}

fn the_first_few() {
    first_agree::<f32>();
    first_agree::<u64>();
    first_agree::<i8>();
}

fn quantiles_agree<T: SortKey<Quantile: Bits> + Sample>(how: Interpolation) {
    let qs = [0.5, 0.0, 1.0, 0.25, 0.999, 0.3];
    for n in LENGTHS {
        for (input, mut x) in inputs::<T>(n).into_iter().enumerate() {
            if input > 0 {
                // Without NaN, since otherwise the result would be only NaN.
                x.retain(|&x| !IsNan.holds(x));
                x.push(samples::<T>(Ordinary, 1, 1)[0]);
            }
            let cpu = Cpu::new();
            let expected =
                bits(&cpu.quantiles(&x, &qs, how).unwrap()) + "; " + &cpu.median(&x).unwrap().bits();
            for cut in cuts::<T>(x.len()) {
                let found = on_each(&cut, |world, part| {
                    let found = world.quantiles(&x[part.clone()], &qs, how).unwrap();
                    bits(&found) + "; " + &world.median(&x[part]).unwrap().bits()
                });
                assert_all(&found, &expected, &format!("input {input}: {n} in {cut:?}"));
            }
        }
    }
}

fn quantiles_of_floats() {
    quantiles_agree::<f32>(Interpolation::Linear);
    quantiles_agree::<f64>(Interpolation::Nearest);
}

fn quantiles_of_integers() {
    quantiles_agree::<i64>(Interpolation::Linear);
    quantiles_agree::<u8>(Interpolation::Midpoint);
}

/// One NaN on one rank makes all quantiles NaN on every rank.
fn a_nan_anywhere_is_a_nan_everywhere() {
    let mut x = samples::<f32>(Ordinary, 1, 1000);
    x[700] = -f32::NAN;
    for cut in cuts::<f32>(x.len()) {
        let found = on_each(&cut, |world, part| world.median(&x[part]).unwrap().bits());
        assert_all(&found, &f32::NAN.bits(), &format!("{cut:?}"));
    }
}

/// Many elements on each rank, counted by several threads.
fn long_arrays() {
    let x = samples::<f64>(Ordinary, 3, 600_000);
    let expected = bits(&Cpu::new().quantiles(&x, &[0.1, 0.5], Interpolation::Linear).unwrap());
    let found = on_each(&ending(&[400_000], x.len()), |world, part| {
        bits(&world.quantiles(&x[part], &[0.1, 0.5], Interpolation::Linear).unwrap())
    });
    assert_all(&found, &expected, "two quantiles");
}

fn wrong_calls_are_refused() {
    let x = [1u16, 2, 3];
    let found = on_each(&ending(&[3, 3], 6), |world, part| {
        let x = &x[..part.len()];
        let few = world.top_k(x, 7);
        assert!(matches!(few, Err(Error::TooFew { wanted: 7, len: 6 })), "{few:?}");
        let none = world.median(&[0u16; 0]);
        assert!(matches!(none, Err(Error::NoElements)), "{none:?}");
        let q = world.quantiles(x, &[1.5], Interpolation::Linear);
        assert!(matches!(q, Err(Error::Quantile { .. })), "{q:?}");
        let other = world.bottom_k(x, if world.rank() == 1 { 2 } else { 1 });
        assert!(
            matches!(other, Err(Error::Rank { rank: 1, fault: RankFault::Disagrees { .. } })),
            "{other:?}"
        );
        bits(&world.bottom_k(x, 2).unwrap())
    });
    let expected = [(0, 1_u16), (3, 1)].map(|(index, value)| At { index, value });
    assert_all(&found, &bits(&expected), "the first two of both ranks");
}
