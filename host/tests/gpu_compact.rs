//! Compaction, on the emulated driver: the launches get the right arguments, the states are cleared
//! before each, and nothing is freed too early.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use bytemuck::AnyBitPattern;
use emulated::{leaves_nothing, numbers};
use warpfold::{
    Above, Below, ByRank, Cpu, Cuda, Error, IsNan, NanGreatest, NonZero, Not, RankedNumber, Within,
};

fn check<T, P>(cuda: &Cuda, predicate: P, x: &[T])
where
    T: RankedNumber + AnyBitPattern,
    P: ByRank<T>,
{
    let cpu = Cpu::new();
    let bytes = |x: &[T]| bytemuck::cast_slice::<T, u8>(x).to_vec();
    let on = cuda.upload(x).expect("an upload");
    for first in [0, 1] {
        let on = on.slice(first..).expect("a slice");
        let x = &x[first..];
        let found = cuda.compact(predicate, on).expect("elements").to_vec().expect("a copy");
        assert_eq!(bytes(&found), bytes(&cpu.compact(predicate, x).expect("elements")));
        let (found, count) = cuda.partition(predicate, on).expect("elements");
        let (all, of_cpu) = cpu.partition(predicate, x).expect("elements");
        assert_eq!((bytes(&found.to_vec().expect("a copy")), count), (bytes(&all), of_cpu));
    }
}

#[test]
fn every_type_and_predicate() {
    leaves_nothing("every_type_and_predicate", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(10_000);
        check(&cuda, Above { threshold: 100 }, &x);
        check(&cuda, Not { predicate: Within { ends: [-5, 300] } }, &x);
        check(&cuda, IsNan, &x);
        check(&cuda, NonZero, &x.iter().map(|&x| x as u8).collect::<Vec<_>>());
        check(&cuda, Below { threshold: -3 }, &x.iter().map(|&x| x as i8).collect::<Vec<_>>());
        check(&cuda, Below { threshold: 77 }, &x.iter().map(|&x| x as u16).collect::<Vec<_>>());
        check(&cuda, Above { threshold: -1 }, &x.iter().map(|&x| i64::from(x) << 40).collect::<Vec<_>>());
        let floats = |x: i32| [0.0, -0.0, f32::NAN, x as f32 - 500.0][x as usize % 4];
        let floats: Vec<f32> = x.iter().map(|&x| floats(x)).collect();
        check(&cuda, NonZero, &floats);
        check(&cuda, IsNan, &floats);
        check(&cuda, Within { ends: [-20.0, 0.0] }, &floats);
        check(&cuda, Above { threshold: -0.0 }, &floats.iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
        let short: Vec<_> = floats.iter().map(|&x| warpfold::f16::from_f32(x)).collect();
        check(&cuda, Below { threshold: warpfold::f16::ONE }, &short);
        let floats = NanGreatest::wrap_slice(&floats);
        check(&cuda, IsNan, floats);
        check(&cuda, NonZero, floats);
        check(&cuda, Above { threshold: NanGreatest(-20.0) }, floats);
        check(&cuda, Below { threshold: NanGreatest(warpfold::f16::ONE) }, NanGreatest::wrap_slice(&short));
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn flags_of_elements_of_every_size() {
    leaves_nothing("flags_of_elements_of_every_size", || {
        let cuda = Cuda::open(0).expect("the device");
        let (numbers, _) = numbers(9_001);
        let flags: Vec<bool> = numbers.iter().map(|x| x % 3 == 0).collect();
        let on_flags = cuda.upload(&flags).expect("an upload");
        let cpu = Cpu::new();
        macro_rules! sizes {
            ($($element:ty: $make:expr;)*) => { $(
                let make: fn(&i32) -> $element = $make;
                let x: Vec<$element> = numbers.iter().map(make).collect();
                let on = cuda.upload(&x).expect("an upload");
                let found = cuda.compact_by_flags(&on_flags.as_slice(), &on.as_slice()).expect("elements");
                assert_eq!(found.to_vec().expect("a copy"), cpu.compact_by_flags(&flags, &x).expect("elements"));
                let (found, count) = cuda.partition_by_flags(&on_flags.as_slice(), &on.as_slice()).expect("elements");
                let others: Vec<bool> = flags.iter().map(|flag| !flag).collect();
                let [first, second] = [&flags, &others].map(|flags| cpu.compact_by_flags(flags, &x).expect("elements"));
                assert_eq!((found.to_vec().expect("a copy"), count), ([&first[..], &second].concat(), first.len()));
            )* };
        }
        sizes! {
            u8: |&x| x as u8;
            i16: |&x| x as i16;
            f32: |&x| x as f32;
            u64: |&x| x as u64;
            u128: |&x| x as u128;
        }
        let triples = cuda.upload(&[[1_u32; 3]; 9_001]).expect("an upload");
        let refused = cuda.compact_by_flags(on_flags.as_slice(), triples.as_slice());
        assert!(matches!(refused, Err(Error::Plan { .. })), "{refused:?}");
        let few = cuda.upload(&[1_u32; 3]).expect("an upload");
        let refused = cuda.compact_by_flags(on_flags.as_slice(), few.as_slice());
        assert!(matches!(refused, Err(Error::Lengths { left: 9_001, right: 3 })), "{refused:?}");
    });
}

#[test]
fn the_first_of_each_run() {
    leaves_nothing("the_first_of_each_run", || {
        let cuda = Cuda::open(0).expect("the device");
        let (numbers, _) = numbers(20_001);
        for run in [1, 3, 5000] {
            let x: Vec<i32> = (0..numbers.len()).map(|i| numbers[i / run] % 2).collect();
            let on = cuda.upload(&x).expect("an upload");
            let found = cuda.unique(on.as_slice()).expect("elements").to_vec().expect("a copy");
            assert_eq!(found, Cpu::new().unique(&x).expect("elements"));
            let x: Vec<u128> = x.iter().map(|&x| (x as u128) << 77).collect();
            let on = cuda.upload(&x).expect("an upload");
            let found = cuda.unique(on.as_slice()).expect("elements").to_vec().expect("a copy");
            assert_eq!(found, Cpu::new().unique(&x).expect("elements"));
        }
        assert_eq!(cuda.failed_frees(), 0);
    });
}

#[test]
fn the_count_stays_on_the_device_and_graphs_replay() {
    leaves_nothing("the_count_stays_on_the_device_and_graphs_replay", || {
        let cuda = Cuda::open(0).expect("the device");
        let (x, _) = numbers(5_000);
        let on = cuda.upload(&x).expect("an upload");
        let stream = cuda.stream().expect("a stream");
        let (mut out, mut count) =
            (cuda.values::<i32>(5_000).expect("room"), cuda.values::<u64>(1).expect("room"));
        let above = Above { threshold: 7 };
        let expected = Cpu::new().compact(above, &x).expect("elements");
        stream.compact_into(above, on.as_slice(), &mut out, &mut count).expect("a launch");
        assert_eq!(count.to_vec().expect("a count"), [expected.len() as u64]);
        assert_eq!(out.to_vec().expect("elements")[..expected.len()], expected);
        let mut graph = stream
            .capture(|stream| stream.compact_into(NonZero, on.as_slice(), &mut out, &mut count))
            .expect("a graph");
        let expected = Cpu::new().compact(NonZero, &x).expect("elements");
        for _ in 0..3 {
            graph.launch(&stream).expect("a launch");
            assert_eq!(count.to_vec().expect("a count"), [expected.len() as u64]);
            assert_eq!(out.to_vec().expect("elements")[..expected.len()], expected);
        }
        let mut short = cuda.values::<i32>(4_999).expect("room");
        let refused = stream.compact_into(NonZero, on.as_slice(), &mut short, &mut count);
        assert!(matches!(refused, Err(Error::Room { needed: 5_000, room: 4_999 })), "{refused:?}");
        let none = on.slice(3..3).expect("a slice");
        stream.compact_into(NonZero, none, &mut out, &mut count).expect("a launch");
        assert_eq!(count.to_vec().expect("a count"), [0]);
        assert!(cuda.compact(NonZero, none).expect("elements").is_empty());
    });
}
