//! Tunings: other plans, the same bits.

use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::kernels::Kernel;
use warpfold::plans::{LaunchConfig, Passes, Tuning};
use warpfold::{ArgMax, Element, Max, Op, Product, Sum, reference};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, is_emulated, samples, sizes};

/// A configuration for every class, each different from its neighbours and from the default.
fn odd<T: Element, O: Kernel<T> + Default>() -> Tuning {
    let mut tuning = Tuning::empty();
    let kinds = [
        (Passes::Recursive { fan_in: 2 }, 256, 1),
        (Passes::Block, 512, 1),
        (Passes::Grid, 512, 1),
        (Passes::Recursive { fan_in: 64 }, 512, 16),
        (Passes::Grid, 256, 64),
        (Passes::Recursive { fan_in: 4096 }, 256, 3),
        (Passes::Grid, 1024, 5),
    ];
    for (class, (passes, threads, blocks)) in (0..36).zip(kinds.into_iter().cycle()) {
        let config = LaunchConfig::new(passes, threads, blocks).unwrap();
        tuning.set::<T, O>(((1 << class) / size_of::<T>() as u64).max(1), config, (2, 1));
    }
    tuning
}

/// Compares a handle with odd plans with the reference at every size, by the blocking call, a stream and a
/// graph.
fn check<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(limit: u64) {
    let tuned = cuda().with_tuning(odd::<T, O>());
    let stream = tuned.stream().unwrap();
    let (mut compared, mut differ) = (0, 0);
    // On the emulated device the longest size is one of several tiles, and each size has one family.
    let limit = if is_emulated() { 20_000 } else { limit };
    for (seed, family) in [(21, Ordinary), (22, Special)] {
        let all = samples::<T>(family, seed, limit);
        let device = tuned.upload(&all).unwrap();
        tuned.prepare(O::default(), &device).unwrap();
        for n in sizes::up_to::<T>(limit) {
            if is_emulated() && n % 2 != seed % 2 {
                continue;
            }
            let slice = device.slice(0..n as usize).unwrap();
            let expected = reference::reduce::<T, O>(&all[..n as usize]).bits();
            let plan = tuned.plan::<T, O>(n).unwrap();
            assert_eq!(tuned.reduce(O::default(), &slice).unwrap().bits(), expected, "{family:?}, {plan}");
            assert_eq!(stream.reduce(O::default(), &slice).unwrap().bits(), expected, "{family:?}, {plan}");
            let mut out = tuned.scalar::<T, O>().unwrap();
            let mut graph =
                stream.capture(|stream| stream.reduce_into(O::default(), &slice, &mut out)).unwrap();
            graph.launch(&stream).unwrap();
            assert_eq!(out.get().unwrap().bits(), expected, "{family:?}, {plan}");
            compared += 1;
            differ += usize::from(plan != cuda().with_tuning(Tuning::empty()).plan::<T, O>(n).unwrap());
        }
    }
    assert!(2 * differ > compared, "only {differ} of {compared} plans were other ones");
}

#[test]
fn odd_plans_change_no_bit() {
    check::<f32, Sum>(3_000_000);
    check::<f64, Product>(1_000_000);
    check::<u32, ArgMax>(1_000_000);
    check::<i64, Max>(1_000_000);
    check::<u32, Strided>((1 << 23) + 5000);
    check::<u32, Ordered>(1_000_000);
    check::<u32, MatrixProduct>(1_000_000);
}

#[test]
fn the_plan_shown_is_the_tuned_one() {
    let mut tuning = Tuning::empty();
    let config = LaunchConfig::new(Passes::Recursive { fan_in: 32 }, 256, 2).unwrap();
    tuning.set::<f32, Sum>(1 << 20, config, (2, 1));
    let tuned = cuda().with_tuning(tuning);
    let usual = cuda().with_tuning(Tuning::empty());
    let mid = 1u64 << 20;
    for n in [mid - mid / 4, mid - 1, mid, mid + 1, mid + mid / 3] {
        let plan = tuned.plan::<f32, Sum>(n).unwrap();
        assert_eq!(plan, config.plan::<f32>(n, cuda().properties().multiprocessors).unwrap());
        assert_ne!(plan, usual.plan::<f32, Sum>(n).unwrap());
        assert!(plan.to_string().contains("then passes of 32 to one"), "{plan}");
    }
    // Other classes, operators and types are unchanged.
    assert_eq!(tuned.plan::<f32, Sum>(mid / 2).unwrap(), usual.plan::<f32, Sum>(mid / 2).unwrap());
    assert_eq!(tuned.plan::<f32, Max>(mid).unwrap(), usual.plan::<f32, Max>(mid).unwrap());
    assert_eq!(tuned.plan::<i32, Sum>(mid).unwrap(), usual.plan::<i32, Sum>(mid).unwrap());
}
