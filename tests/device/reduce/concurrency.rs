//! Many threads, streams and reductions at once; results that stay on the device; graphs.

use warpfold::plans::{Passes, Plan};
use warpfold::{ArgMin, Cpu, Max, Sum};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, cuda, on_gpu_or_emulated, samples};

/// Numbers of elements for one block, and for more.
fn lens() -> [usize; 4] {
    on_gpu_or_emulated([1000, 40_000, 1_000_003, 5_000_000], [1000, 3000, 20_000, 70_003])
}

/// 16 threads of 4 streams each, over 1000 reductions, all in flight at once; on the emulated device 4 threads.
#[test]
fn threads_and_streams_do_not_disturb_each_other() {
    let (lens, threads) = (lens(), on_gpu_or_emulated(16, 4));
    let all = samples::<f32>(Ordinary, 11, lens[3] as u64);
    let device = cuda().upload(&all).unwrap();
    let expected = lens.map(|n| Cpu::new().reduce(Sum, &all[..n]).unwrap().bits());
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (device, expected) = (&device, &expected);
            scope.spawn(move || {
                let streams: Vec<_> = (0..4).map(|_| cuda().stream().unwrap()).collect();
                for round in 0..8 {
                    let mut results = Vec::new();
                    for (i, stream) in streams.iter().enumerate() {
                        for k in 0..2 {
                            let which = (thread + round + i + k) % 4;
                            let mut result = cuda().scalar::<f32, Sum>().unwrap();
                            stream
                                .reduce_into(Sum, &device.slice(0..lens[which]).unwrap(), &mut result)
                                .unwrap();
                            results.push((which, result));
                        }
                    }
                    for (which, result) in results {
                        assert_eq!(result.get().unwrap().bits(), expected[which]);
                    }
                }
            });
        }
    });
}

/// Threads share the device: any of them may make the blocking call.
#[test]
fn one_device_many_threads() {
    let all = samples::<f32>(Ordinary, 12, on_gpu_or_emulated(100_000, 20_000));
    let device = cuda().upload(&all).unwrap();
    let expected = Cpu::new().reduce(Max, &all).unwrap().bits();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                for _ in 0..on_gpu_or_emulated(50, 5) {
                    assert_eq!(cuda().reduce(Max, &device).unwrap().bits(), expected);
                }
            });
        }
    });
}

/// An array that is dropped while reductions over it are pending stays readable until they are done.
#[test]
fn arrays_may_be_dropped_early() {
    let stream = cuda().stream().unwrap();
    let len = on_gpu_or_emulated(2_000_000, 20_000);
    for round in 0..20 {
        let all = samples::<f32>(Ordinary, round, len);
        let expected = Cpu::new().reduce(Sum, &all).unwrap().bits();
        let device = cuda().upload(&all).unwrap();
        let mut result = cuda().scalar::<f32, Sum>().unwrap();
        // By one launch, and by passes.
        let passes = Passes::Recursive { fan_in: 64 };
        let plan = Plan::with_config::<f32>(len, passes, 256, 9).unwrap();
        match round % 2 {
            0 => stream.reduce_into(Sum, &device, &mut result).unwrap(),
            _ => stream.reduce_into(Sum, device.as_slice().with_plan(plan), &mut result).unwrap(),
        }
        drop(device);
        let other = cuda().upload(&vec![f32::NAN; len as usize]).unwrap();
        assert_eq!(result.get().unwrap().bits(), expected);
        drop(other);
    }
}

/// A captured reduction replays: the replay writes its result, since nothing else does.
#[test]
fn a_captured_reduction_replays() {
    let stream = cuda().stream().unwrap();
    for n in lens() {
        let all = samples::<f32>(Ordinary, 13, n as u64);
        let device = cuda().upload(&all).unwrap();
        let expected = Cpu::new().reduce(ArgMin, &all).unwrap().bits();
        let mut result = cuda().scalar::<f32, ArgMin>().unwrap();
        // Loads the kernels, which a capture must not do, and leaves another result.
        stream.reduce(ArgMin, &device).unwrap();
        stream.reduce_into(ArgMin, &device.slice(0..1).unwrap(), &mut result).unwrap();
        let mut graph = stream.capture(|stream| stream.reduce_into(ArgMin, &device, &mut result)).unwrap();
        for _ in 0..5 {
            graph.launch(&stream).unwrap();
        }
        stream.synchronize().unwrap();
        assert_eq!(result.get().unwrap().bits(), expected);
    }
}
