//! Elements that a formula selects: the order and the bits of the CPU.

use bytemuck::AnyBitPattern;
use warpfold::elements::{DevicePredicate, RankedNumber};
use warpfold::{Cpu, Error, formula};
use warpfold_tests::data::Family::{Ordinary, Special, SpecialOnly};
use warpfold_tests::formulas::{Grammar, random_predicate};
use warpfold_tests::{Sample, cuda, on_gpu_or_emulated, samples, sizes, takes_case};

fn bytes<T: bytemuck::NoUninit>(x: &[T]) -> &[u8] {
    bytemuck::cast_slice(x)
}

/// Compares what is selected from some elements on a device.
fn check<T: RankedNumber + AnyBitPattern, P: DevicePredicate<T>>(predicate: P, x: &[T], what: &str) {
    let there = cuda().upload(x).unwrap();
    for first in [0, 1, 7] {
        let Some(x) = x.get(first..) else { continue };
        let slice = there.slice(first..).unwrap();
        let what = format!("{what}, {} elements of {} bytes from {first}", x.len(), size_of::<T>());
        let found = cuda().compact(predicate, slice).unwrap().to_vec().unwrap();
        assert!(bytes(&found) == bytes(&Cpu::new().compact(predicate, x).unwrap()), "{what}");
        let (found, count) = cuda().partition(predicate, slice).unwrap();
        let (expected, of_cpu) = Cpu::new().partition(predicate, x).unwrap();
        assert_eq!(count, of_cpu, "{what}");
        assert!(bytes(&found.to_vec().unwrap()) == bytes(&expected), "{what}");
    }
}

/// Every size at which something changes.
fn every_size<T, P>(predicate: P)
where
    T: RankedNumber + AnyBitPattern + Sample,
    P: DevicePredicate<T>,
{
    let tile = 16_384 / size_of::<T>() as u64;
    let emulated = vec![0, 1, 2, 33, tile - 1, tile, tile + 1, 3 * tile + 77];
    for n in on_gpu_or_emulated(sizes::up_to::<T>(300_000), emulated) {
        check(predicate, &samples::<T>(Special, n, n), "a formula");
    }
}

#[test]
fn elements_of_every_type() {
    let (least, mask) = (0.25, 0x55);
    every_size(formula!(|v: f32; least: f32| -> bool { (v - 0.5).abs().lt(least) | v.ne(v) }));
    every_size(formula!(|v: f64| -> bool { (v * v).gt(1.0) & v.lt(0.0) }));
    every_size(formula!(|v: i32; mask: i32| -> bool { (v & mask).lt(v >> 3) }));
    every_size(formula!(|v: u32| -> bool { (v % 3).eq(0) }));
    every_size(formula!(|v: i64| -> bool { (v / -7).ge(v.min(0)) }));
    every_size(formula!(|v: u64| -> bool { ((v >> 17) ^ v).gt(v) }));
}

/// None, all, and captured numbers that change between launches of one kernel.
#[test]
fn every_selectivity() {
    let x: Vec<u32> =
        (0..on_gpu_or_emulated(3_000_000, 20_003)).map(|i| test_kernels::mix(i) as u32).collect();
    for share in [0.0, 0.01, 0.5, 0.99, 1.0] {
        let most = (share * f64::from(u32::MAX)) as u32;
        check(formula!(|v: u32; most: u32| -> bool { v.lt(most) }), &x, "a share");
    }
    check(formula!(|v: u32| -> bool { v.lt(v) }), &x, "none");
    check(formula!(|v: u32| -> bool { v.eq(v) }), &x, "all");
}

/// Two formulas of one kernel, and ranks between them.
#[test]
fn formulas_of_one_kernel_are_kept_apart() {
    let x: Vec<f32> = samples(Special, 3, 5000);
    let bits: Vec<u32> = x.iter().map(|x| x.to_bits()).collect();
    for _ in 0..3 {
        check(formula!(|v: f32| -> bool { v.gt(0.5) }), &x, "one");
        check(formula!(|v: f32| -> bool { v.lt(0.5) }), &x, "two");
        check(warpfold::above(0.5), &x, "ranks");
        // Words of the same size, read as another type.
        check(formula!(|v: u32| -> bool { v.gt(0x3f00_0000) }), &bits, "bits");
    }
}

/// The count stays on the device, and a graph replays the launch.
#[test]
fn into_memory_of_the_stream() {
    let x: Vec<f64> = samples(Special, 4, on_gpu_or_emulated(500_000, 20_000));
    let there = cuda().upload(&x).unwrap();
    let stream = cuda().stream().unwrap();
    let (mut out, mut count) = (cuda().values::<f64>(x.len()).unwrap(), cuda().values::<u64>(1).unwrap());
    let near = formula!(|v: f64| -> bool { v.abs().lt(1.0) });
    let expected = Cpu::new().compact(near, &x).unwrap();
    assert!(!expected.is_empty() && expected.len() < x.len());
    stream.compact_into(near, &there, (&mut out, &mut count)).unwrap();
    let mut graph =
        stream.capture(|stream| stream.compact_into(near, &there, (&mut out, &mut count))).unwrap();
    for _ in 0..3 {
        assert_eq!(count.to_vec().unwrap(), [expected.len() as u64]);
        assert!(bytes(&out.to_vec().unwrap()[..expected.len()]) == bytes(&expected));
        graph.launch(&stream).unwrap();
    }
    let mut short = cuda().values::<f64>(x.len() - 1).unwrap();
    let refused = stream.compact_into(near, &there, (&mut short, &mut count));
    assert!(matches!(refused, Err(Error::Room { needed, .. }) if needed == x.len()), "{refused:?}");
    stream.compact_into(near, there.slice(3..3).unwrap(), (&mut out, &mut count)).unwrap();
    assert_eq!(count.to_vec().unwrap(), [0]);
}

fn random_of<T, const SEED: u64>()
where
    T: Grammar + Sample + RankedNumber + AnyBitPattern,
    warpfold::Formula<warpfold_tests::formulas::RandomPredicate<T, SEED>>: DevicePredicate<T>,
{
    if !takes_case(SEED) {
        return;
    }
    let count = on_gpu_or_emulated(5000, 300);
    let x: Vec<T> =
        samples(Ordinary, SEED, count).into_iter().chain(samples(SpecialOnly, SEED, count)).collect();
    for first in [0, 1, 2] {
        let captured = [x[first], x[first + 3], x[first + 9]];
        check(random_predicate::<T, SEED>(captured), &x, &format!("seed {SEED}"));
    }
}

macro_rules! each_seed {
    ($seeds:tt $($name:ident: $type:ty;)*) => { $( each_seed! { @ $name $type, $seeds } )* };
    (@ $name:ident $type:ty, ($($seed:literal)*)) => {
        #[test]
        fn $name() {
            $(random_of::<$type, $seed>();)*
        }
    };
}
each_seed! {
    (1 2 3 4 5 6 7 8)
    random_of_f32: f32;
    random_of_f64: f64;
    random_of_i32: i32;
    random_of_i64: i64;
    random_of_u32: u32;
    random_of_u64: u64;
}
