//! Two devices in one process, without ranks: 16 threads, each with four streams on each device.

use warpfold::{Cpu, Cuda, Sum};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, samples};

use crate::ranks::are_two;

const N: [usize; 4] = [1000, 4097, 100_003, 2_000_003];

#[test]
fn threads_share_two_devices() {
    if !are_two() {
        return;
    }
    let all = samples::<f32>(Ordinary, 11, N[3] as u64);
    let devices = [0, 1].map(|ordinal| Cuda::open(ordinal).unwrap());
    let arrays = devices.each_ref().map(|cuda| cuda.upload(&all).unwrap());
    let expected = N.map(|n| Cpu::new().reduce(Sum, &all[..n]).unwrap().bits());
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let (devices, arrays, expected) = (&devices, &arrays, &expected);
            scope.spawn(move || {
                let streams: Vec<_> = (0..8).map(|at| devices[at % 2].stream().unwrap()).collect();
                for round in 0..8 {
                    let mut results = Vec::new();
                    for (at, stream) in streams.iter().enumerate() {
                        let (which, cuda) = ((thread + round + at / 2) % 4, &devices[at % 2]);
                        let mut result = cuda.scalar::<f32, Sum>().unwrap();
                        let part = arrays[at % 2].slice(0..N[which]).unwrap();
                        stream.reduce_into(Sum, &part, &mut result).unwrap();
                        results.push((which, result));
                    }
                    let which = (thread + round) % 4;
                    let part = arrays[round % 2].slice(0..N[which]).unwrap();
                    assert_eq!(devices[round % 2].reduce(Sum, &part).unwrap().bits(), expected[which]);
                    for (which, result) in results {
                        assert_eq!(result.get().unwrap().bits(), expected[which]);
                    }
                }
            });
        }
    });
}
