//! Elements that are selected: what the ranks have, put end to end, is what the CPU selects of the whole.

use warpfold::{Above, Cpu, Element, Error, IsNan, Predicate, RankFault};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

use super::ranks::{assert_all, assert_whole, cuts, ending, on_each};

const LENGTHS: [u64; 4] = [0, 1, 100, 20_000];

fn bits<O: Bits>(outs: &[O]) -> String {
    outs.iter().map(Bits::bits).collect::<Vec<_>>().join(" ")
}

fn agrees<T: Element + Sample + Bits + bytemuck::CheckedBitPattern>(predicate: impl Predicate<T>) {
    for n in LENGTHS {
        let x = samples::<T>(Special, 3, n);
        let count = Cpu::new().count(predicate, &x).unwrap();
        let kept = Cpu::new().compact(predicate, &x).unwrap();
        let (parted, selected) = Cpu::new().partition(predicate, &x).unwrap();
        for cut in cuts::<T>(x.len()) {
            let what = format!("{n} in {cut:?}");
            let found = on_each(&cut, |world, part| {
                let x = &x[part];
                let (parted, selected) = world.partition(predicate, x).unwrap();
                let flags: Vec<bool> = x.iter().map(|&x| predicate.holds(x)).collect();
                let kept = world.compact(predicate, x).unwrap();
                assert_eq!(bits(&world.compact_by_flags(&flags, x).unwrap()), bits(&kept), "{what}");
                (world.count(predicate, x).unwrap(), selected, kept, parted)
            });
            let counts = found.iter().map(|(all, selected, ..)| [*all, *selected]);
            assert!(counts.into_iter().all(|counts| counts == [count, selected as u64]), "{what}");
            let found_kept: Vec<T> = found.iter().flat_map(|(_, _, kept, _)| kept.clone()).collect();
            assert_eq!(bits(&found_kept), bits(&kept), "{what}");
            let found_parted: Vec<Vec<T>> = found.into_iter().map(|(.., parted)| parted).collect();
            assert_whole(&found_parted, &parted, &cut, &what);
        }
    }
}

#[test]
fn elements_that_a_predicate_holds_of() {
    agrees::<f32>(Above { threshold: 0.5 });
    agrees::<f64>(IsNan);
    agrees::<i8>(Above { threshold: -100 });
}

/// Runs that begin, end and go on at cuts; a NaN differs from itself, and zeros of both signs do not.
#[test]
fn the_first_of_each_run() {
    for n in LENGTHS {
        let values = [0.0, -0.0, f32::NAN, 1.5];
        let x: Vec<f32> =
            samples::<u32>(Ordinary, 5, n).iter().map(|&random| values[random as usize / 64 % 4]).collect();
        let long: Vec<f32> = (0..n).map(|i| (i / 3000) as f32).collect();
        for x in [x, long] {
            let expected = bits(&Cpu::new().unique(&x).unwrap());
            for cut in cuts::<f32>(x.len()) {
                let found = on_each(&cut, |world, part| world.unique(&x[part]).unwrap()).concat();
                assert_all(&[bits(&found)], &expected, &format!("{n} in {cut:?}"));
            }
        }
    }
}

#[test]
fn flags_of_another_length_are_refused() {
    let x = [1u8, 2, 3];
    let found = on_each(&ending(&[3], 6), |world, _| {
        let flags = [true; 3];
        match world.compact_by_flags(&flags[world.rank()..], &x) {
            Err(Error::Lengths { .. }) => assert_eq!(world.rank(), 1),
            Err(Error::Rank { rank: 1, fault: RankFault::Refused { .. } }) => assert_eq!(world.rank(), 0),
            other => panic!("{other:?}"),
        }
        world.compact_by_flags(&flags, &x).unwrap()
    });
    assert_eq!(found, [x; 2]);
}
