//! More elements than 32 bits can count.

use rayon::prelude::*;
use test_kernels::mix;
use warpfold::plans::{Passes, Plan};
use warpfold::{ArgMax, Cpu, Min, Sum};
use warpfold_tests::{Bits, cuda, is_emulated};

/// Sums, an extremum and an index beyond 2^31 and 2^32 elements, if the device's memory allows. At least 2^31 + 1
/// elements of f32 (8 GiB) are needed.
#[test]
fn beyond_2_to_the_32() {
    // An emulated device would take hours.
    if is_emulated() {
        return;
    }
    let sizes: Vec<usize> = [(1 << 31) - 1, 1 << 31, (1 << 31) + 1, (1 << 32) + 7]
        .into_iter()
        .filter(|n| *n as u64 * 4 < cuda().properties().memory_bytes)
        .collect();
    assert!(sizes.len() >= 3, "the device needs more than 8 GiB of memory");
    let value = |i: usize| {
        let random = mix(i as u64);
        f32::from_bits((random as u32 & 0x83ff_ffff) + 0x3b00_0000)
    };
    let mut all = vec![0.0f32; sizes[sizes.len() - 1]];
    all.par_iter_mut().enumerate().for_each(|(i, x)| *x = value(i));
    let last = all.len() - 2;
    all[last] = 1.0e30;
    let device = cuda().upload(&all).unwrap();
    let stream = cuda().stream().unwrap();
    for n in sizes {
        let (x, slice) = (&all[..n], device.slice(0..n).unwrap());
        let sum = Cpu::new().reduce(Sum, x).unwrap().bits();
        assert_eq!(stream.reduce(Sum, &slice).unwrap().bits(), sum, "{n}");
        for (passes, threads, blocks) in
            [(Passes::Grid, 1024, 77), (Passes::Recursive { fan_in: 32 }, 512, 2000)]
        {
            let plan = Plan::with_config::<f32>(n as u64, passes, threads, blocks).unwrap();
            assert_eq!(stream.reduce(Sum, slice.with_plan(plan)).unwrap().bits(), sum, "{plan}");
        }
        assert_eq!(stream.reduce(Min, &slice).unwrap().bits(), Cpu::new().reduce(Min, x).unwrap().bits());
        let greatest = stream.reduce(ArgMax, &slice).unwrap();
        assert_eq!(greatest.bits(), Cpu::new().reduce(ArgMax, x).unwrap().bits(), "{n}");
        assert!(n <= last || greatest.unwrap().index == last as u64);
    }
}
