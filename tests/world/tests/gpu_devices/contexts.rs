//! All devices in one process, without ranks: 16 threads, each with four streams on each device.

use warpfold::{Cpu, Cuda, Sum};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, samples};

use crate::ranks::counts;

const N: [usize; 4] = [1000, 4097, 100_003, 2_000_003];

#[test]
fn threads_share_the_devices() {
    let Some(count) = counts().pop() else { return };
    let all = samples::<f32>(Ordinary, 11, N[3] as u64);
    let devices: Vec<_> = (0..count).map(|ordinal| Cuda::open(ordinal).unwrap()).collect();
    let arrays: Vec<_> = devices.iter().map(|cuda| cuda.upload(&all).unwrap()).collect();
    let expected = N.map(|n| Cpu::new().reduce(Sum, &all[..n]).unwrap().bits());
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let (devices, arrays, expected) = (&devices, &arrays, &expected);
            scope.spawn(move || {
                let streams: Vec<_> =
                    (0..4 * count).map(|at| devices[at % count].stream().unwrap()).collect();
                for round in 0..8 {
                    let mut results = Vec::new();
                    for (at, stream) in streams.iter().enumerate() {
                        let (which, cuda) = ((thread + round + at / count) % 4, &devices[at % count]);
                        let mut result = cuda.scalar::<f32, Sum>().unwrap();
                        let part = arrays[at % count].slice(0..N[which]).unwrap();
                        stream.reduce_into(Sum, &part, &mut result).unwrap();
                        results.push((which, result));
                    }
                    let which = (thread + round) % 4;
                    let part = arrays[round % count].slice(0..N[which]).unwrap();
                    assert_eq!(devices[round % count].reduce(Sum, &part).unwrap().bits(), expected[which]);
                    for (which, result) in results {
                        assert_eq!(result.get().unwrap().bits(), expected[which]);
                    }
                }
            });
        }
    });
}
