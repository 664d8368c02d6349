//! Reductions of two arrays, on the CPU and by the kernels under the emulator, against the reference over their
//! pairs.

use bytemuck::Pod;
use cuda_std::emulator::{Launch, Order};
use cuda_std::memory::{Atomic, Writable};
use gpu_kernels::arguments::{Block, Grid};
use gpu_kernels::source::Two;
use warpfold::kernels::Kernel;
use warpfold::{Auto, Cpu, Dot, Element, Error, Op, reference, tree, zip};
use warpfold_tests::data::Family::{Ordinary, Special, SpecialOnly};
use warpfold_tests::{Bits, Sample, samples, sizes};

fn pairs<T: Copy>(x: &[T], y: &[T]) -> Vec<[T; 2]> {
    x.iter().zip(y).map(|(&x, &y)| [x, y]).collect()
}

fn on_cpu<T: Element + Pod + Sample, O: Kernel<[T; 2], Two<T>> + Default + Op<[T; 2], Out: Bits>>() {
    let cpus = [1, 2, 3].map(|n| Cpu::with_threads(n).unwrap());
    for (seed, family) in [(1, Ordinary), (2, Special), (3, SpecialOnly)] {
        let (all_x, all_y) = (samples::<T>(family, seed, 300_000), samples::<T>(family, seed + 10, 300_000));
        for n in sizes::up_to::<[T; 2]>(300_000) {
            let (x, y) = (&all_x[..n as usize], &all_y[..n as usize]);
            let expected = reference::reduce::<[T; 2], O>(&pairs(x, y)).bits();
            for cpu in &cpus {
                assert_eq!(
                    cpu.reduce(O::default(), zip(x, y)).unwrap().bits(),
                    expected,
                    "{n}, {family:?}, {cpu:?}"
                );
            }
        }
    }
}

fn by_kernels<T: Element + Pod + Sample, O: Op<[T; 2], Out: Bits> + Default>(
    block: unsafe fn(Block<Two<T>, [T; 2], O>),
    grid: unsafe fn(Grid<Two<T>, [T; 2], O>),
) {
    let tile = tree::tile_len::<[T; 2]>(0);
    let (all_x, all_y) = (samples::<T>(Special, 5, 30 * tile), samples::<T>(Special, 6, 30 * tile));
    // Both aligned for vectors, one, neither.
    for (i, n) in [1, 33, 1000, tile + 1, 6 * tile - 3, 17 * tile + 5].into_iter().enumerate() {
        let (x, y) = (&all_x[i % 2..][..n as usize], &all_y[i % 3..][..n as usize]);
        let expected = reference::reduce::<[T; 2], O>(&pairs(x, y)).bits();
        let (input, op) = (Two(x.into(), y.into()), O::default());
        let mut out = [O::IDENTITY];
        let to = Writable::from(&mut out[..]);
        let launch = |blocks: u32, threads: u32| {
            Launch::new(blocks, threads).order(Order::Shuffled(n)).register(x).register(y)
        };
        if n <= 16 * tile {
            let ran = launch(1, 512).register(&raw const out[..]).run(|| {
                // SAFETY: all arrays live as long as the launch and have the lengths given.
                unsafe { block(Block { input, len: n, base: 0, out: to, tag: 0, op }) }
            });
            ran.unwrap_or_else(|misuse| panic!("{n} in one block: {misuse}"));
            assert_eq!(O::finish(out[0], n).bits(), expected, "{n} in one block");
        }
        let mut partials = vec![O::IDENTITY; tree::tiles::<[T; 2]>(n) as usize];
        let mut ticket = [0u32];
        let arguments = Grid {
            input,
            len: n,
            base: 0,
            log2_tile: tree::tile_len::<[T; 2]>(n).ilog2(),
            partials: (&mut partials[..]).into(),
            ticket: Atomic::from(&mut ticket[..]).into(),
            out: to.into(),
            tag: 0,
            op,
        };
        let ran = launch(3, 256)
            .register(&raw const out[..])
            .register(&raw const partials[..])
            .register(&raw const ticket[..])
            // SAFETY: as above.
            .run(|| unsafe { grid(arguments) });
        ran.unwrap_or_else(|misuse| panic!("{n} in a grid: {misuse}"));
        assert_eq!(O::finish(out[0], n).bits(), expected, "{n} in a grid");
    }
}

macro_rules! every_row {
    ($($row:ident: $op:ty, $element:ty;)*) => { $(
        mod $row {
            use super::*;
            #[test]
            fn on_the_cpu() {
                on_cpu::<$element, $op>();
            }
            #[test]
            fn by_its_kernels() {
                by_kernels::<$element, $op>(gpu_kernels::entry::$row::block, gpu_kernels::entry::$row::grid);
            }
        }
    )* };
}
mod catalogue {
    use super::*;
    gpu_kernels::for_each_zip_kernel!(every_row);
}

#[test]
fn arrays_of_two_lengths_are_refused() {
    let unequal = zip(&[1.0_f32], &[]);
    for refused in [Auto::new().reduce(Dot, unequal), Cpu::new().reduce(Dot, unequal)] {
        match refused {
            Err(error @ Error::Lengths { left: 1, right: 0 }) => {
                assert!(error.to_string().contains("cut the longer one"), "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Empty input, zeros of both signs, NaN and infinities.
#[test]
fn edges() {
    use warpfold::{AccurateDot, ExactDot, SquaredDistance, WeightedMean};
    let dot = |x: &[f32], y: &[f32]| Auto::new().reduce(Dot, zip(x, y)).unwrap().to_bits();
    assert_eq!(dot(&[], &[]), (-0.0f32).to_bits());
    assert_eq!(dot(&[-0.0], &[1.0]), (-0.0f32).to_bits());
    assert_eq!(dot(&[0.0], &[f32::INFINITY]), 0x7fc0_0000);
    assert_eq!(dot(&[f32::INFINITY; 2], &[1.0, -1.0]), 0x7fc0_0000);
    assert_eq!(Auto::new().reduce(Dot, zip(&[i32::MIN], &[i32::MIN])).unwrap(), 1 << 62);
    assert_eq!(Auto::new().reduce(Dot, zip(&[u64::MAX], &[2])).unwrap(), u64::MAX - 1);
    let accurate = |x: &[f64], y: &[f64]| Auto::new().reduce(AccurateDot, zip(x, y)).unwrap().to_bits();
    let exact = |x: &[f64], y: &[f64]| Cpu::new().reduce(ExactDot, zip(x, y)).unwrap().to_bits();
    for dot in [&accurate as &dyn Fn(&[f64], &[f64]) -> u64, &exact] {
        let (zero, infinity, nan) = (0.0f64.to_bits(), f64::INFINITY.to_bits(), f64::NAN.to_bits());
        assert_eq!(dot(&[], &[]), (-0.0f64).to_bits());
        assert_eq!(dot(&[-0.0, 5.0], &[1.0, -0.0]), (-0.0f64).to_bits());
        assert_eq!(dot(&[-0.0, 5.0], &[1.0, 0.0]), zero);
        assert_eq!(dot(&[0.0], &[f64::INFINITY]), nan);
        assert_eq!(dot(&[1.0, 2.0], &[f64::NAN, 2.0]), nan);
        assert_eq!(dot(&[f64::INFINITY; 2], &[1.0, -1.0]), nan);
        assert_eq!(dot(&[f64::INFINITY, f64::MAX], &[1.0, -1.0]), infinity);
        // The remainder is the rounding error of one product.
        let e = f64::EPSILON;
        assert_eq!(dot(&[1.0 + e, -1.0], &[1.0 + e, 1.0 + 2.0 * e]), (e * e).to_bits());
    }
    // With parts beyond the largest float, and products below the least one.
    let (most, least) = (f64::MAX, f64::from_bits(1));
    assert_eq!(exact(&[most, most, 3.0], &[most, -most, 2.0]), 6.0f64.to_bits());
    assert_eq!(exact(&[least; 2], &[0.5, 0.5]), least.to_bits());
    assert_eq!(exact(&[least], &[-0.5]), (-0.0f64).to_bits());
    assert_eq!(exact(&[least, least], &[0.5, f64::EPSILON]), least.to_bits());
    let distance = |x: &[f64], y: &[f64]| Auto::new().reduce(SquaredDistance, zip(x, y)).unwrap();
    assert_eq!(distance(&[f64::INFINITY], &[1.0]), f64::INFINITY);
    assert!(distance(&[f64::INFINITY], &[f64::INFINITY]).is_nan());
    let mean = |x: &[f64], w: &[f64]| Auto::new().reduce(WeightedMean, zip(x, w)).unwrap();
    assert_eq!(mean(&[], &[]), None);
    assert_eq!(mean(&[1.0, 5.0], &[3.0, 1.0]), Some(2.0));
    assert!(mean(&[1.0], &[0.0]).unwrap().is_nan());
}
