//! Histograms over all ranks: every rank has the counts of the whole.

use warpfold::{Bins, Cpu, Error, Max, RankFault, Sum, binned};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::samples;

use super::cuts::{assert_all, bits, cuts};
use super::ranks::on_each;

cases!(the_counts_of_the_whole, elements_by_bin_of_the_whole, other_bins_on_a_rank_are_refused);

fn the_counts_of_the_whole() {
    let even = Bins::even(-4.0..=4.0_f32, 100).unwrap();
    for bins in [even, Bins::from_edges(&[-1.0, 0.0, 0.5]).unwrap()] {
        for n in [0, 1, 20_000] {
            let x = samples::<f32>(Special, 3, n);
            let expected = format!("{:?}", Cpu::new().histogram(&bins, &x).unwrap());
            for cut in cuts::<f32>(x.len()) {
                let found =
                    on_each(&cut, |world, part| format!("{:?}", world.histogram(&bins, &x[part]).unwrap()));
                assert!(found.iter().all(|found| *found == expected), "{n} in {cut:?}");
            }
        }
    }
}

fn elements_by_bin_of_the_whole() {
    let bins = Bins::even(-4.0..=4.0_f32, 10).unwrap();
    for n in [0, 1, 20_000] {
        let (keys, x) = (samples::<f32>(Special, 3, n), samples::<f32>(Ordinary, 4, n));
        let sums = bits(&Cpu::new().reduce(Sum, binned(&bins, &keys, &x)).unwrap());
        let greatest = bits(&Cpu::new().reduce(Max, binned(&bins, &keys, &keys)).unwrap());
        for cut in cuts::<f32>(x.len()) {
            let found = on_each(&cut, |world, part| {
                let keys = &keys[part.clone()];
                let of_keys = bits(&world.reduce(Max, binned(&bins, keys, keys)).unwrap());
                assert_eq!(of_keys, greatest, "{n} in {part:?}");
                bits(&world.reduce(Sum, binned(&bins, keys, &x[part])).unwrap())
            });
            assert_all(&found, &sums, &format!("{n} in {cut:?}"));
        }
    }
}

/// As many bins, of other edges.
fn other_bins_on_a_rank_are_refused() {
    let found = on_each(&[0..3, 3..6], |world, _| {
        let bins = Bins::from_edges(&[0.0, 1.0 + world.rank() as f32]).unwrap();
        let found = world.histogram(&bins, &[0.5; 3]);
        assert!(
            matches!(&found, Err(Error::Rank { rank: 1, fault: RankFault::Disagrees { .. } })),
            "{found:?}"
        );
        "refused".into()
    });
    assert_eq!(found, ["refused"; 2]);
}
