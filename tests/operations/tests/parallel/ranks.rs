//! Threads as ranks, which wait for each other: each method of `World` once.

use std::thread;

use warpfold::Order::Ascending;
use warpfold::{Cpu, Error, Max, Mean, Scan, Sum, SumIn, Threads, World, columns, groups};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::samples;

use super::{ABOVE, N, bytes};

/// Elements of a rank.
const PART: usize = N / 5;

/// A call of a backend, whose result comes as bytes.
type CallOf<B> = fn(&B, &[f32]) -> Result<Vec<u8>, Error>;

/// A call on one rank with its part, and the same of the CPU over all parts.
struct Verb {
    name: &'static str,
    of_rank: CallOf<World<Threads>>,
    of_all: CallOf<Cpu>,
    /// Whether each rank has a part of the result, and not all of it.
    in_parts: bool,
}

fn ids(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits() % 1000).collect()
}

fn verbs() -> Vec<Verb> {
    macro_rules! both {
        ($name:literal, $in_parts:literal, |$backend:ident, $x:ident| $call:expr) => {
            Verb {
                name: $name,
                of_rank: |$backend, $x| $call,
                of_all: |$backend, $x| $call,
                in_parts: $in_parts,
            }
        };
    }
    vec![
        both!("reduce", false, |backend, x| Ok(bytes([backend.reduce(Sum, x)?]))),
        both!("a free operator", false, |backend, x| Ok(format!("{:?}", backend.reduce(Max, x)?).into())),
        both!("columns", false, |backend, x| Ok(bytes(backend.reduce(Sum, columns(x, [x.len() / 10, 10]))?))),
        both!("scan", true, |backend, x| Ok(bytes(backend.scan(Sum, x, Scan::inclusive())?))),
        both!("count", false, |backend, x| Ok(bytes([backend.count(ABOVE, x)?]))),
        both!("compact", true, |backend, x| Ok(bytes(backend.compact(ABOVE, x)?))),
        both!("groups", false, |backend, x| {
            Ok(format!("{:?}", backend.reduce(Mean, groups(&ids(x), x, 1000))?).into())
        }),
        both!("median", false, |backend, x| Ok(bytes([backend.median(x)?]))),
        both!("top_k", false, |backend, x| Ok(format!("{:?}", backend.top_k(x, 10)?).into())),
        Verb {
            name: "sort",
            of_rank: |world, x| {
                let mut x = x.to_vec();
                world.sort(&mut x, Ascending)?;
                Ok(bytes(x))
            },
            of_all: |cpu, x| {
                let mut x = x.to_vec();
                cpu.sort(&mut x, Ascending).unwrap();
                Ok(bytes(x))
            },
            in_parts: true,
        },
    ]
}

/// Calls `call` on each rank, with its part of `x`.
fn on_ranks(x: &[f32], call: impl Fn(&World<Threads>, &[f32]) -> Vec<u8> + Sync) -> Vec<Vec<u8>> {
    let parts = x.chunks(PART);
    thread::scope(|scope| {
        let call = &call;
        let ranks: Vec<_> = World::threads(parts.len())
            .into_iter()
            .zip(parts)
            .map(|(world, part)| scope.spawn(move || call(&world, part)))
            .collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

#[test]
fn threads_as_ranks_have_the_bits_of_the_whole() {
    let x = samples::<f32>(Ordinary, 4, 3 * N as u64 / 5);
    for Verb { name, of_rank, of_all, in_parts } in verbs() {
        let expected = of_all(&Cpu::new(), &x).unwrap();
        let found = on_ranks(&x, |world, part| of_rank(world, part).unwrap());
        if in_parts {
            assert!(found.concat() == expected, "{name}");
        } else {
            assert!(found.iter().all(|found| *found == expected), "{name}");
        }
    }
}

/// Arrays of the ranks are folded element by element.
#[test]
fn arrays_of_ranks_are_folded() {
    let all = samples::<f32>(Ordinary, 5, 3 * PART as u64);
    let integers = |x: &[f32]| x.iter().map(|x| x.to_bits() as i32).collect::<Vec<_>>();
    let expected: Vec<i32> = (0..PART)
        .map(|i| all.chunks(PART).fold(0_i32, |sum, x| sum.wrapping_add(x[i].to_bits() as i32)))
        .collect();
    let found = on_ranks(&all, |world, x| {
        let mut x = integers(x);
        world.all_reduce(SumIn::<i32>::default(), &mut x).unwrap();
        bytes(x)
    });
    assert!(found.iter().all(|found| *found == bytes(&expected)));
    let found = on_ranks(&all, |world, x| {
        bytes(world.reduce_scatter(SumIn::<i32>::default(), &integers(x)).unwrap())
    });
    assert!(found.concat() == bytes(&expected));
}
