//! A call of every method, on parts of a whole that is divided within tiles.

use std::fmt::Debug;

use warpfold::{
    Above, ArgMin, Bins, Communicator, Elements, Error, Interpolation, Order, Scan, Sum, SumIn, View, World,
    along, binned, chunks, columns, groups, rows, runs, segments,
};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::samples;

/// A call on one rank. Its result is text.
pub type Verb<C> = fn(&World<C>) -> Result<String, Error>;

/// All methods, with their names.
pub fn verbs<C: Communicator>() -> Vec<(&'static str, Verb<C>)> {
    vec![
        ("reduce", |world| said(world.reduce(Sum, &part(world)))),
        ("reduce_of_a_free_operator", |world| said(world.reduce(ArgMin, &part(world)))),
        ("rows", |world| said(world.reduce(Sum, rows(&part(world)[..3000], [30, 100])))),
        ("columns", |world| said(world.reduce(Sum, columns(&part(world)[..3000], [1000, 3])))),
        ("axes_with_the_cut_one", |world| {
            said(world.reduce(Sum, along(View::new(&part(world)[..3000], &[100, 10, 3])?, &[0, 2])))
        }),
        ("other_axes", |world| {
            said(world.reduce(Sum, along(View::new(&part(world)[..3000], &[100, 10, 3])?, &[2])))
        }),
        ("chunks", |world| said(world.reduce(Sum, chunks(&part(world), 700)))),
        ("segments", |world| said(world.reduce(Sum, segments(&part(world), &OFFSETS)))),
        ("runs", |world| said(world.reduce(Sum, runs(&keys(world), &part(world))))),
        ("groups", |world| said(world.reduce(Sum, groups(&keys(world), &part(world), 9 + RANKS)))),
        ("groups_of_a_free_operator", |world| {
            said(world.reduce(ArgMin, groups(&keys(world), &part(world), 9 + RANKS)))
        }),
        ("scan", |world| said(world.scan(Sum, &part(world), Scan::inclusive()))),
        ("scan_of_segments", |world| {
            said(world.scan(Sum, segments(&part(world), &OFFSETS), Scan::exclusive()))
        }),
        ("count", |world| said(world.count(ABOVE, &part(world)))),
        ("compact", |world| said(world.compact(ABOVE, &part(world)))),
        ("compact_by_flags", |world| said(world.compact_by_flags(&[true; 9], &[1u8; 9]))),
        ("histogram", |world| said(world.histogram(&Bins::even(-4.0..=4.0, 9)?, &part(world)))),
        ("binned", |world| {
            said(world.reduce(Sum, binned(&Bins::even(-4.0..=4.0, 9)?, &part(world), &part(world))))
        }),
        ("unique", |world| said(world.unique(&part(world)))),
        ("partition", |world| said(world.partition(ABOVE, &part(world)))),
        ("top_k", |world| said(world.top_k(&part(world), 10))),
        ("bottom_k", |world| said(world.bottom_k(&part(world), 10))),
        ("median", |world| said(world.median(&part(world)))),
        ("quantiles", |world| said(world.quantiles(&part(world), &[0.1, 0.9], Interpolation::Linear))),
        ("argsort", |world| said(world.argsort(&part(world), Order::Descending))),
        ("sort", |world| {
            let mut x = part(world);
            let sorted = world.sort(&mut x, Order::Ascending);
            // A failed call has changed nothing.
            assert!(sorted.is_ok() || x == part(world));
            said(sorted.map(|()| x))
        }),
        ("sort_pairs", |world| {
            let (mut keys, mut values) = (part(world), part(world));
            said(world.sort_pairs(&mut keys, &mut values, Order::Ascending).map(|()| (keys, values)))
        }),
        ("sort_into", |world| {
            let last = world.size().saturating_sub(1).min(RANKS - 1);
            let (x, mut out) = (part(world), vec![7.0; 3000 + 100 * last.saturating_sub(own(world))]);
            let sorted = world.sort_into(&x, &mut out, Order::Ascending);
            assert!(sorted.is_ok() || out.iter().all(|&x| x == 7.0));
            said(sorted.map(|()| out))
        }),
        ("sort_pairs_into", |world| {
            let (keys, values) = (part(world), keys(world));
            let (mut to, mut of_to) = (keys.clone(), values.clone());
            let sorted = world.sort_pairs_into(&keys, &values, &mut to, &mut of_to, Order::Descending);
            said(sorted.map(|()| (to, of_to)))
        }),
        ("argsort_into", |world| {
            let (x, mut out) = (part(world), vec![0; part(world).len()]);
            let sorted = world.argsort_into(&x, &mut out, Order::Ascending);
            said(sorted.map(|()| out))
        }),
        ("all_reduce", |world| {
            let array = || samples::<i32>(Ordinary, own(world) as u64, 1000);
            let mut x = array();
            let folded = world.all_reduce(SumIn::<i32>::default(), &mut x);
            assert!(folded.is_ok() || x == array());
            said(folded.map(|()| x))
        }),
        ("rows_with_gaps", |world| said(world.reduce(Sum, rows(&gaps(world, 3000), [30, 100])))),
        ("columns_with_gaps", |world| said(world.reduce(Sum, columns(&gaps(world, 3000), [1000, 3])))),
        ("chunks_with_gaps", |world| said(world.reduce(Sum, chunks(&gaps(world, usize::MAX), 700)))),
        ("segments_with_gaps", |world| said(world.reduce(Sum, segments(&gaps(world, usize::MAX), &OFFSETS)))),
        ("runs_with_gaps", |world| said(world.reduce(Sum, runs(&keys(world), &gaps(world, usize::MAX))))),
        ("groups_with_gaps", |world| {
            said(world.reduce(Sum, groups(&keys(world), &gaps(world, usize::MAX), 9 + RANKS)))
        }),
        ("scan_with_gaps", |world| said(world.scan(Sum, &gaps(world, usize::MAX), Scan::inclusive()))),
        ("scan_of_segments_with_gaps", |world| {
            said(world.scan(Sum, segments(&gaps(world, usize::MAX), &OFFSETS), Scan::exclusive()))
        }),
        ("top_k_with_gaps", |world| said(world.top_k(&gaps(world, usize::MAX), 10))),
        ("argsort_with_gaps", |world| said(world.argsort(&gaps(world, usize::MAX), Order::Ascending))),
        ("reduce_scatter", |world| {
            said(world.reduce_scatter(Sum, &samples::<f32>(Ordinary, own(world) as u64, 1000)))
        }),
    ]
}

const ABOVE: Above<f32> = Above { threshold: 0.0 };

const OFFSETS: [u64; 5] = [0, 10, 3005, 3010, 12_000];

/// More ranks than these calls are made on.
const RANKS: usize = 64;

/// The number of a rank, also of one whose communicator says any number.
fn own<C: Communicator>(world: &World<C>) -> usize {
    world.rank() % RANKS
}

fn part<C: Communicator>(world: &World<C>) -> Vec<f32> {
    let rank = own(world) as u64;
    samples(Ordinary, rank, 3000 + 100 * rank)
}

/// The first `len` elements of a part. Some are missing, but none on rank 2.
fn gaps<C: Communicator>(world: &World<C>, len: usize) -> Elements<'static, f32> {
    let is_missing = |at: usize| own(world) != 2 && at % 7 == own(world) % 7;
    let x = part(world).into_iter().take(len).enumerate();
    x.map(|(at, x)| (!is_missing(at)).then_some(x)).collect()
}

/// Two keys on each rank; the next rank begins with the second.
fn keys<C: Communicator>(world: &World<C>) -> Vec<u32> {
    (0..part(world).len()).map(|at| (own(world) + at / 1500) as u32).collect()
}

fn said<R: Debug>(found: Result<R, Error>) -> Result<String, Error> {
    found.map(|found| format!("{found:?}"))
}
