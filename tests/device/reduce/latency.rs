//! Pending results: their bits in any order of use, from many threads, and the time that they take.

use std::future::Future;
use std::io::Write as _;
use std::pin::pin;
use std::sync::{Arc, Barrier};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Instant;

use test_kernels::{MatrixProduct, Strided};
use warpfold::kernels::Kernel;
use warpfold::{ArgMin, Cpu, Element, Max, Op, Pending, Stream, Sum, reference};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, each_pair, is_emulated, on_gpu_or_emulated, samples};

/// Sizes of one block, of several, and one that takes a GPU longer than a thread polls.
fn lens() -> [usize; 5] {
    on_gpu_or_emulated([1, 1000, 20_000, 1_000_003, 200_000_000], [1, 1000, 4100, 20_000, 50_003])
}

/// One operator's results for the host: every kind of call, in turn, so that each runs after all others.
fn every_way<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>() {
    let all = samples::<T>(Special, 51, 40_000);
    let (device, stream) = (cuda().upload(&all).unwrap(), cuda().stream().unwrap());
    // The third round is as the second one.
    let (rounds, longest) = on_gpu_or_emulated((3, 40_000), (2, 16_385));
    for n in [1, 2, 31, 33, 1000, 4096, 4097, 16_384, longest] {
        let slice = device.slice(..n).unwrap();
        let expected = reference::reduce::<T, O>(&all[..n]).bits();
        for _ in 0..rounds {
            let pending = stream.reduce_async(O::default(), &slice).unwrap();
            assert_eq!(stream.reduce(O::default(), &slice).unwrap().bits(), expected, "{n}");
            assert_eq!(cuda().reduce(O::default(), &slice).unwrap().bits(), expected, "{n}");
            assert!(pending.is_ready(), "it was enqueued before one that has ended");
            assert_eq!(pending.try_get().unwrap().map(|out| out.bits()), Some(expected.clone()), "{n}");
        }
    }
}

each_pair! {
    every_way of gpu_kernels::for_each_kernel, or takes_of_many_kernels of warpfold_tests::for_each_sampled_kernel
}

#[test]
fn operators_of_tests_reach_the_host() {
    every_way::<u32, Strided>();
    every_way::<u32, MatrixProduct>();
}

/// Polls until there is a result, with sleeps in between.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Thread(std::thread::Thread);
    impl Wake for Thread {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Thread(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Hundreds at once, got in any order, awaited, dropped, leaked; their arrays and streams dropped earlier.
#[test]
fn results_may_be_got_awaited_dropped_and_leaked_in_any_order() {
    let lens = lens();
    let all = samples::<f32>(Ordinary, 52, lens[4] as u64);
    let long = cuda().upload(&all).unwrap();
    let expected = lens.map(|n| Cpu::new().reduce(Sum, &all[..n]).unwrap().bits());
    for round in 0..5 {
        let streams = [cuda().stream().unwrap(), cuda().stream().unwrap()];
        let mut pending: Vec<(usize, Pending<f32, Sum>)> = Vec::new();
        for i in 0..on_gpu_or_emulated(300, 100) {
            // Few of the longest, which take at least 0.2 ms each.
            let which = if i % 50 == round { 4 } else { i % 4 };
            let array = cuda().upload(&all[..lens[which.min(3)]]).unwrap();
            let slice = if which == 4 { long.as_slice() } else { array.as_slice() };
            let one = streams[i % 2].reduce_async(Sum, &slice).unwrap();
            match i % 7 {
                0 => drop(one),
                1 if round == 0 => std::mem::forget(one),
                _ => pending.push((which, one)),
            }
        }
        if round % 2 == 0 {
            drop(streams);
        }
        let turn = 37 * (round + 1) % pending.len();
        pending.rotate_left(turn);
        std::thread::scope(|scope| {
            for (i, (which, one)) in pending.into_iter().enumerate() {
                let get = move || match i % 3 {
                    0 => one.wait(),
                    1 => block_on(one),
                    _ => loop {
                        if let Some(sum) = one.try_get().transpose() {
                            break sum;
                        }
                    },
                };
                let expected = &expected[which];
                let check = move || assert_eq!(&get().unwrap().bits(), expected);
                if i % 10 == 9 {
                    scope.spawn(check);
                } else {
                    check();
                }
            }
        });
    }
}

/// An earlier recorded graph replays right after reductions for the host on the same stream, and they run after
/// it.
#[test]
fn graphs_and_results_for_the_host_take_turns() {
    let longest = lens()[3];
    let all = samples::<f32>(Ordinary, 53, longest as u64);
    let device = cuda().upload(&all).unwrap();
    let stream = cuda().stream().unwrap();
    let expected = |n: usize| Cpu::new().reduce(ArgMin, &all[..n]).unwrap().bits();
    for n in [lens()[2], longest] {
        let mut result = cuda().scalar::<f32, ArgMin>().unwrap();
        let slice = device.slice(..n).unwrap();
        cuda().prepare(ArgMin, slice).unwrap();
        let mut graph = stream.capture(|stream| stream.reduce_into(ArgMin, &slice, &mut result)).unwrap();
        for round in 1..on_gpu_or_emulated(50, 10) {
            let other = device.slice(..round * 1009).unwrap();
            assert_eq!(stream.reduce(ArgMin, &other).unwrap().bits(), expected(other.len()));
            graph.launch(&stream).unwrap();
            let pending = stream.reduce_async(ArgMin, &other).unwrap();
            assert_eq!(stream.reduce(ArgMin, &other).unwrap().bits(), expected(other.len()));
            assert_eq!(result.get().unwrap().bits(), expected(n));
            assert_eq!(pending.wait().unwrap().bits(), expected(other.len()));
        }
    }
}

/// The times of 10,000 calls in microseconds, sorted.
fn timed(call: &dyn Fn()) -> Vec<f64> {
    (0..100).for_each(|_| call());
    let mut times: Vec<f64> = (0..10_000)
        .map(|_| {
            let start = Instant::now();
            call();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Printed whether or not the test fails.
fn show(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// Other tests run at the same time: the best of several attempts counts.
#[test]
fn few_calls_take_much_longer_than_most() {
    // An emulated device's time says nothing of a GPU's.
    if is_emulated() {
        return;
    }
    let all = samples::<f32>(Ordinary, 54, 1 << 20);
    let device = cuda().upload(&all).unwrap();
    let stream = cuda().stream().unwrap();
    show("microseconds from a device slice to a number on the host, f32 Sum, 10,000 calls");
    for n in [1 << 10, 1 << 16, 1 << 20] {
        let slice = device.slice(..n).unwrap();
        let expected = Cpu::new().reduce(Sum, &all[..n]).unwrap();
        let is_right = |sum: f32| assert_eq!(sum.to_bits(), expected.to_bits());
        let by_stream = || is_right(stream.reduce(Sum, &slice).unwrap());
        let by_device = || is_right(cuda().reduce(Sum, &slice).unwrap());
        let later = || is_right(stream.reduce_async(Sum, &slice).and_then(Pending::wait).unwrap());
        let ways: [(_, &dyn Fn()); 3] =
            [("Stream::reduce", &by_stream), ("Cuda::reduce", &by_device), ("reduce_async", &later)];
        for (name, call) in ways {
            let ratios = (0..5).map(|_| {
                let times = timed(call);
                let [median, p99, worst] = [times[5000], times[9900], times[9999]];
                show(&format!("  {n:>8}  {name:<16} median {median:7.2}  p99 {p99:7.2}  worst {worst:9.2}"));
                p99 / median
            });
            let steady = ratios.into_iter().any(|ratio| ratio <= 10.0);
            assert!(steady, "{name} of {n}: one call in a hundred takes over 10 times the median");
        }
    }
}

#[test]
fn many_threads_and_streams_do_more_than_one() {
    // As above.
    if is_emulated() {
        return;
    }
    const CALLS: usize = 2000;
    let all = samples::<f32>(Ordinary, 55, 1 << 14);
    let device = cuda().upload(&all).unwrap();
    let expected = Cpu::new().reduce(Max, &all).unwrap().bits();
    let rounds = |streams: &[Stream], rounds: usize| {
        for _ in 0..rounds {
            let start = |stream: &Stream| stream.reduce_async(Max, &device).unwrap();
            let under_way: Vec<_> = streams.iter().map(start).collect();
            for pending in under_way {
                assert_eq!(pending.wait().unwrap().bits(), expected);
            }
        }
    };
    let per_second = |threads: usize, streams: usize| {
        let start = Barrier::new(threads + 1);
        let began = std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let streams: Vec<_> = (0..streams).map(|_| cuda().stream().unwrap()).collect();
                    rounds(&streams, 1);
                    start.wait();
                    rounds(&streams, CALLS / streams.len());
                });
            }
            start.wait();
            Instant::now()
        });
        (threads * CALLS) as f64 / began.elapsed().as_secs_f64()
    };
    let is_more = (0..5).any(|_| {
        let (one, many) = (per_second(1, 1), per_second(16, 4));
        show(&format!(
            "2^14 f32 Max per second: one thread and stream {one:.0}, 16 threads of 4 streams {many:.0}"
        ));
        many > one
    });
    assert!(is_more);
}
