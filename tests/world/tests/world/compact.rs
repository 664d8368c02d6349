//! Compaction over all ranks: the concatenated results are the CPU's for the whole.

use warpfold::{Above, Cpu, Element, Error, IsNan, Predicate, RankFault};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

use super::cuts::{assert_parts, bits, concat, cuts, ending};
use super::ranks::on_each;

cases!(elements_that_a_predicate_holds_of, the_first_of_each_run, flags_of_another_length_are_refused);

const LENGTHS: [u64; 4] = [0, 1, 100, 20_000];

fn agrees<T: Element + Sample + Bits + bytemuck::CheckedBitPattern>(predicate: impl Predicate<T>) {
    for n in LENGTHS {
        let x = samples::<T>(Special, 3, n);
        let count = Cpu::new().count(predicate, &x).unwrap();
        let kept = Cpu::new().compact(predicate, &x).unwrap();
        let (parted, selected) = Cpu::new().partition(predicate, &x).unwrap();
        for cut in cuts::<T>(x.len()) {
            let what = format!("{n} in {cut:?}");
            let found = on_each(&cut, |world, part| {
                let (parted, selected) = world.partition(predicate, &x[part.clone()]).unwrap();
                let count = world.count(predicate, &x[part]).unwrap();
                format!("{count}, {selected}: {}", bits(&parted))
            });
            let expected = |part| format!("{count}, {selected}: {}", bits(&parted[part]));
            assert_parts(&found, &cut, expected, &what);
            let found = on_each(&cut, |world, part| {
                let flags: Vec<bool> = x[part.clone()].iter().map(|&x| predicate.holds(x)).collect();
                let kept = bits(&world.compact(predicate, &x[part.clone()]).unwrap());
                assert_eq!(bits(&world.compact_by_flags(&flags, &x[part]).unwrap()), kept, "{what}");
                kept
            });
            assert_eq!(concat(&found), bits(&kept), "{what}");
        }
    }
}

fn elements_that_a_predicate_holds_of() {
    agrees::<f32>(Above { threshold: 0.5 });
    agrees::<f64>(IsNan);
    agrees::<i8>(Above { threshold: -100 });
}

/// Runs that begin, end and continue where parts meet; a NaN differs from itself, and zeros of both signs are
/// equal.
fn the_first_of_each_run() {
    for n in LENGTHS {
        let values = [0.0, -0.0, f32::NAN, 1.5];
        let x: Vec<f32> =
            samples::<u32>(Ordinary, 5, n).iter().map(|&random| values[random as usize / 64 % 4]).collect();
        let long: Vec<f32> = (0..n).map(|i| (i / 3000) as f32).collect();
        for x in [x, long] {
            let expected = bits(&Cpu::new().unique(&x).unwrap());
            for cut in cuts::<f32>(x.len()) {
                let found = on_each(&cut, |world, part| bits(&world.unique(&x[part]).unwrap()));
                assert_eq!(concat(&found), expected, "{n} in {cut:?}");
            }
        }
    }
}

fn flags_of_another_length_are_refused() {
    let x = [1u8, 2, 3];
    let found = on_each(&ending(&[3], 6), |world, _| {
        let flags = [true; 3];
        match world.compact_by_flags(&flags[world.rank()..], &x) {
            Err(Error::Lengths { .. }) => assert_eq!(world.rank(), 1),
            Err(Error::Rank { rank: 1, fault: RankFault::Refused { .. } }) => assert_eq!(world.rank(), 0),
            other => panic!("{other:?}"),
        }
        bits(&world.compact_by_flags(&flags, &x).unwrap())
    });
    assert_eq!(found, [x; 2].map(|part| bits(&part)));
}
