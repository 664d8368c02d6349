//! Launch configurations: none of them changes a bit.

use warpfold::kernels::Kernel;
use warpfold::plans::{Passes, Plan};
use warpfold::{Cpu, DeviceSlice, Element, Error, Op, Stream, Sum};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, cuda, on_gpu_or_emulated, samples};

/// Plans of every kind for `n` elements, besides the default.
pub(super) fn plans<T: Element>(n: u64) -> Vec<Plan> {
    let mut configs = vec![
        (Passes::Grid, 256, 1),
        (Passes::Grid, 256, 7),
        (Passes::Grid, 512, 100),
        (Passes::Grid, 1024, 3),
        (Passes::Grid, 256, 4096),
        (Passes::Recursive { fan_in: 2 }, 256, 16),
        (Passes::Recursive { fan_in: 64 }, 1024, 9),
        (Passes::Recursive { fan_in: 4096 }, 512, 132),
    ];
    for threads in [256, 512, 1024] {
        configs.push((Passes::Block, threads, 1));
    }
    // A single block takes only small inputs.
    configs
        .into_iter()
        .filter_map(|(passes, threads, blocks)| Plan::with_config::<T>(n, passes, threads, blocks).ok())
        .collect()
}

/// The result's bits with this plan; `None` if the kernel has too many registers for the plan's blocks, which
/// never happens for blocks of 256 threads.
pub(super) fn fold<T: Element, O: Kernel<T> + Default + Op<T, Out: Bits>>(
    stream: &Stream,
    plan: &Plan,
    x: &DeviceSlice<'_, T>,
) -> Option<String> {
    match stream.reduce(O::default(), x.with_plan(*plan)) {
        Err(Error::Plan { .. }) if plan.threads() > 256 => None,
        answer => Some(answer.unwrap().bits()),
    }
}

/// A slice that starts at any element gives the bits of an aligned copy.
#[test]
fn alignment_does_not_matter() {
    for n in on_gpu_or_emulated([1000, 5_000, 100_000, 9_000_000], [1000, 4096, 5_000, 40_000u64]) {
        let all = samples::<f32>(Ordinary, 7, n + 32);
        let device = cuda().upload(&all).unwrap();
        for offset in 0..32 {
            let range = offset..offset + n as usize;
            let expected = Cpu::new().reduce(Sum, &all[range.clone()]).unwrap().bits();
            let slice = device.slice(range).unwrap();
            assert_eq!(cuda().reduce(Sum, &slice).unwrap().bits(), expected, "{n} from {offset}");
        }
    }
}

/// A plan made for another length is refused.
#[test]
fn a_plan_of_another_length_is_refused() {
    let device = cuda().upload(&[1.0f32; 100]).unwrap();
    let stream = cuda().stream().unwrap();
    let plan = Plan::new::<f32>(101, cuda().properties().multiprocessors);
    assert!(stream.reduce(Sum, device.as_slice().with_plan(plan)).is_err());
    // Nor is one for another element size, whose tiles differ.
    let plan = Plan::new::<f64>(100, cuda().properties().multiprocessors);
    assert!(stream.reduce(Sum, device.as_slice().with_plan(plan)).is_err());
}
