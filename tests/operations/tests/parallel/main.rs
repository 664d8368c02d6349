//! Every job that threads of the CPU backend share, once each: several threads give the bits of one.
//! `.ci/sanitize` runs this under the thread sanitizer and `.ci/miri` under Miri, for which the tests of every row would take
//! hours.
#![allow(missing_docs)]

mod ranks;

use std::thread;

use test_kernels::mix;
use warpfold::Order::{Ascending, Descending};
use warpfold::{
    Above, Cpu, Dot, Error, Interpolation, Scan, Sum, View, along, chunks, columns, groups, rows, runs,
    segments, zip,
};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::samples;

/// 3.6 MB of f32: three tasks or more for each job. Tasks are smaller under Miri.
const N: usize = if cfg!(miri) { 18_000 } else { 900_000 };

const ABOVE: Above<f32> = Above { threshold: 0.5 };

struct Data {
    x: Vec<f32>,
    y: Vec<f32>,
    integers: Vec<i32>,
    /// Runs of 1 to 40 elements.
    keys: Vec<u32>,
    /// Ends of short segments and of one long one.
    offsets: Vec<usize>,
}

impl Data {
    fn new() -> Self {
        let mut offsets: Vec<usize> = (0..N / 2)
            .scan(0, |end, i| {
                *end += mix(i as u64) as usize % 17;
                Some(*end)
            })
            .take_while(|&end| end < N / 2)
            .collect();
        offsets.push(N);
        Self {
            x: samples(Ordinary, 1, N as u64),
            y: samples(Ordinary, 2, N as u64),
            integers: samples(Ordinary, 3, N as u64),
            keys: (0..N as u64).map(|i| mix(i / 20) as u32 % 100_000).collect(),
            offsets,
        }
    }

    fn ids(&self, groups: u32) -> Vec<u32> {
        (0..N as u64).map(|i| mix(i) as u32 % groups).collect()
    }
}

type Call = fn(&Cpu, &Data) -> Result<Vec<u8>, Error>;

fn bytes<T: bytemuck::NoUninit>(x: impl AsRef<[T]>) -> Vec<u8> {
    bytemuck::cast_slice(x.as_ref()).to_vec()
}

fn calls() -> Vec<(&'static str, Call)> {
    vec![
        ("reduce", |cpu, data| Ok(bytes([cpu.reduce(Sum, &data.x)?]))),
        ("a free operator", |cpu, data| Ok(bytes([cpu.reduce(Sum, &data.integers)?]))),
        ("pairs", |cpu, data| Ok(bytes([cpu.reduce(Dot, zip(&data.x, &data.y))?]))),
        ("rows", |cpu, data| Ok(bytes(cpu.reduce(Sum, rows(&data.x, [N / 100, 100]))?))),
        ("chunks", |cpu, data| Ok(bytes(cpu.reduce(Sum, chunks(&data.x, N / 2 - 50))?))),
        ("long columns", |cpu, data| Ok(bytes(cpu.reduce(Sum, columns(&data.x, [N / 10, 10]))?))),
        ("many columns", |cpu, data| Ok(bytes(cpu.reduce(Sum, columns(&data.x, [100, N / 100]))?))),
        ("axes", |cpu, data| {
            let view = View::new(&data.x, &[N / 150, 15, 10])?;
            let of_axes = |axes: &[usize]| cpu.reduce(Sum, along(view, axes));
            Ok([bytes(of_axes(&[1])?), bytes(of_axes(&[0, 2])?), bytes(of_axes(&[0])?)].concat())
        }),
        ("segments", |cpu, data| Ok(bytes(cpu.reduce(Sum, segments(&data.x, &data.offsets))?))),
        ("runs", |cpu, data| {
            let found = cpu.reduce(Sum, runs(&data.keys, &data.x))?;
            Ok(format!("{found:?}").into())
        }),
        ("groups", |cpu, data| {
            let mut found = Vec::new();
            for count in [10, 1000, N as u32 / 9, N as u32 / 2] {
                let ids = data.ids(count);
                found.extend(bytes(cpu.reduce(Sum, groups(&ids, &data.x, count as usize))?));
                found.extend(bytes(cpu.reduce(Sum, groups(&ids, &data.integers, count as usize))?));
            }
            Ok(found)
        }),
        ("scan", |cpu, data| Ok(bytes(cpu.scan(Sum, &data.x, Scan::inclusive())?))),
        ("scan of a free operator", |cpu, data| {
            Ok(bytes(cpu.scan(Sum, &data.integers, Scan::exclusive())?))
        }),
        ("scan of segments", |cpu, data| {
            Ok(bytes(cpu.scan(Sum, segments(&data.x, &data.offsets), Scan::inclusive())?))
        }),
        ("scan in place", |cpu, data| {
            let mut x = data.x.clone();
            cpu.scan(Sum, &mut x[..], Scan::inclusive())?;
            Ok(bytes(x))
        }),
        ("count", |cpu, data| Ok(bytes([cpu.count(ABOVE, &data.x)?]))),
        ("compact", |cpu, data| Ok(bytes(cpu.compact(ABOVE, &data.x)?))),
        ("unique", |cpu, data| Ok(bytes(cpu.unique(&data.keys)?))),
        ("partition", |cpu, data| Ok(bytes(cpu.partition(ABOVE, &data.x)?.0))),
        ("sort by digits", |cpu, data| {
            let mut x = data.x.clone();
            cpu.sort(&mut x, Ascending).unwrap();
            Ok(bytes(x))
        }),
        ("sort by comparisons", |cpu, data| {
            let mut x: Vec<u64> = data.ids(u32::MAX).into_iter().map(|id| mix(id.into())).collect();
            cpu.sort(&mut x, Descending).unwrap();
            Ok(bytes(x))
        }),
        ("sort of runs", |cpu, _| {
            let mut x: Vec<u64> = (0..N as u64).map(|i| (i % (N as u64 / 4 + 1)) << 20).collect();
            cpu.sort(&mut x, Ascending).unwrap();
            Ok(bytes(x))
        }),
        ("argsort", |cpu, data| Ok(bytes(cpu.argsort(&data.keys, Ascending)?))),
        ("top_k", |cpu, data| Ok(format!("{:?}", cpu.top_k(&data.x, 100)?).into())),
        ("quantiles", |cpu, data| Ok(bytes(cpu.quantiles(&data.x, &[0.1, 0.9], Interpolation::Linear)?))),
        ("median", |cpu, data| Ok(bytes([cpu.median(&data.integers)?]))),
    ]
}

#[test]
fn several_threads_give_the_bits_of_one() {
    let data = Data::new();
    let [one, own] = [1, 3].map(|threads| Cpu::with_threads(threads).unwrap());
    for (name, call) in calls() {
        let expected = call(&one, &data).unwrap();
        for cpu in [&own, &Cpu::new()] {
            assert!(call(cpu, &data).unwrap() == expected, "{name}: other bits with {cpu:?}");
        }
    }
}

/// Two callers use one pool at the same time, and drop it while the other may still work.
#[test]
fn callers_share_a_pool() {
    let data = Data::new();
    let (cpu, expected) = (Cpu::with_threads(2).unwrap(), Cpu::new().reduce(Sum, &data.x).unwrap());
    thread::scope(|scope| {
        for cpu in [cpu.clone(), cpu] {
            let data = &data;
            scope.spawn(move || {
                for _ in 0..5 {
                    assert_eq!(cpu.reduce(Sum, &data.x).unwrap().to_bits(), expected.to_bits());
                }
            });
        }
    });
}
