//! Wrong parts on a device: an error on every rank before anything is moved, and all ranks can continue.

use warpfold::{Dot, Error, Max, RankFault, Sum, zip};

use super::cuts::ending;
use super::devices::device;
use super::ranks::on_each;

#[test]
fn parts_of_two_lengths_are_refused_on_every_rank() {
    let found = on_each(&ending(&[2, 4], 6), |world, _| {
        let x = device(world).upload(&[1.0f32, 2.0, 3.0]).unwrap();
        let wrong = world.rank() == 1;
        let y = x.slice(usize::from(wrong)..).unwrap();
        let is_named = match world.reduce(Dot, zip(x.as_slice(), y)) {
            Err(Error::Lengths { left: 3, right: 2 }) => wrong,
            Err(Error::Rank { rank: 1, fault: RankFault::Refused { .. } }) => !wrong,
            _ => false,
        };
        assert_eq!(world.reduce(Sum, &x).unwrap(), 18.0);
        is_named.to_string()
    });
    assert_eq!(found, ["true"; 3]);
}

#[test]
fn other_operators_are_refused() {
    let found = on_each(&ending(&[2], 4), |world, _| {
        let x = device(world).upload(&[1.0f32, 2.0]).unwrap();
        let refused = match world.rank() {
            0 => world.reduce(Sum, &x).map(drop),
            _ => world.reduce(Max, &x).map(drop),
        };
        assert_eq!(world.reduce(Max, &x).unwrap(), Some(2.0));
        matches!(refused, Err(Error::Rank { rank: 1, fault: RankFault::Disagrees { .. } })).to_string()
    });
    assert_eq!(found, ["true"; 2]);
}
