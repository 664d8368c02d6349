//! Float arithmetic on the device. If the device opens, the canary found nothing; here the kernels of sums and
//! products get the same operands.

use gpu_kernels::canary::{ARITHMETIC, Row};
use warpfold::kernels::Kernel;
use warpfold::{Element, Product, Sum};
use warpfold_tests::{cuda, open};

fn both<T: Element, O: Kernel<T> + Default>([x, y]: [T; 2]) -> O::Out {
    cuda().reduce(O::default(), &cuda().upload(&[x, y]).unwrap()).unwrap()
}

#[test]
fn reductions_of_the_operands_have_the_cpus_bits() {
    for case in ARITHMETIC {
        let (Row { doubles: [x, y, ..], singles: [p, q, ..] }, results) =
            (case.operands, case.operands.arithmetic());
        let (doubles, singles) = (results.doubles.map(f64::to_bits), results.singles.map(f32::to_bits));
        let found = [both::<f64, Sum>([x, y]).to_bits(), both::<f64, Product>([x, y]).to_bits()];
        assert_eq!(found, doubles[..2], "{}: {x:e}, {y:e}", case.reveals);
        let found = [both::<f32, Sum>([p, q]).to_bits(), both::<f32, Product>([p, q]).to_bits()];
        assert_eq!(found, singles[..2], "{}: {p:e}, {q:e}", case.reveals);
    }
}

/// The canary's answer is kept for the process: opening a device again takes less time than loading a kernel.
#[test]
fn a_device_opens_again_at_once() {
    let name = &cuda().properties().name;
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| assert_eq!(&open().unwrap().properties().name, name));
        }
    });
}
