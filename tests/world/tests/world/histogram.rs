//! Histograms over all ranks: every rank has the counts of the whole.

use warpfold::{Bins, Cpu, Error, RankFault};
use warpfold_tests::data::Family::Special;
use warpfold_tests::samples;

use super::cuts::cuts;
use super::ranks::on_each;

cases!(the_counts_of_the_whole, other_bins_on_a_rank_are_refused);

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
