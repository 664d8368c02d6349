//! Scans, sorts, selections, compactions, groups and runs, on the emulated driver: whether a call ends well or not, nothing is freed
//! or written too early, and nothing is left. What they compute is tested in `tests/device`.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../cust/tests/emulated/mod.rs"]
mod emulated;

use bytemuck::{CheckedBitPattern, NoUninit};
use emulated::{fail, leaves_nothing, numbers};
use warpfold::Order::{Ascending, Descending};
use warpfold::{
    Above, Cpu, Cuda, DeviceArray, DeviceResults, Element, Error, Scan, Sum, groups, runs, segments,
};

const LEN: usize = 5000;

type Bytes = Result<Vec<u8>, Error>;

/// A call with its name.
type Call<'a> = (&'static str, Box<dyn Fn() -> Bytes + 'a>);

fn read<T: Element + CheckedBitPattern<Bits: NoUninit> + NoUninit>(found: &DeviceArray<T>) -> Bytes {
    Ok(bytemuck::cast_slice(&found.to_vec()?).to_vec())
}

fn pair<A, B>((first, second): (DeviceArray<A>, DeviceArray<B>)) -> Bytes
where
    A: Element + CheckedBitPattern<Bits: NoUninit> + NoUninit,
    B: Element + CheckedBitPattern<Bits: NoUninit> + NoUninit,
{
    Ok([read(&first)?, read(&second)?].concat())
}

fn sums(found: &DeviceResults<i32, Sum>) -> Bytes {
    Ok(bytemuck::cast_slice(&found.to_vec()?).to_vec())
}

/// What is moved.
struct Inputs {
    x: DeviceArray<i32>,
    ids: DeviceArray<u32>,
    long: DeviceArray<u128>,
    flags: DeviceArray<bool>,
    offsets: DeviceArray<u32>,
}

impl Inputs {
    fn new(cuda: &Cuda) -> Result<Self, Error> {
        let (x, _) = numbers(LEN as i32);
        Ok(Self {
            ids: cuda.upload(&x.iter().map(|&x| x as u32 % 300).collect::<Vec<_>>())?,
            long: cuda.upload(&x.iter().map(|&x| (x as u128) << 77).collect::<Vec<_>>())?,
            flags: cuda.upload(&x.iter().map(|x| x % 3 == 0).collect::<Vec<_>>())?,
            offsets: cuda.upload(&[3u32, 10, 4500, 5000])?,
            x: cuda.upload(&x)?,
        })
    }

    fn calls<'a>(&'a self, cuda: &'a Cuda) -> Vec<Call<'a>> {
        let Self { x, ids, long, flags, offsets } = self;
        vec![
            ("scan", Box::new(move || read(&cuda.scan(Sum, x, Scan::inclusive())?))),
            (
                "scan of segments",
                Box::new(move || read(&cuda.scan(Sum, segments(x, offsets), Scan::inclusive())?)),
            ),
            ("sort by one block", Box::new(move || read(&cuda.sort(x.slice(..99)?, Ascending)?))),
            ("sort by digits", Box::new(move || read(&cuda.sort(x, Ascending)?))),
            ("sort by levels", Box::new(move || read(&cuda.sort(long, Descending)?))),
            ("argsort", Box::new(move || read(&cuda.argsort(x, Descending)?))),
            ("sort of pairs", Box::new(move || pair(cuda.sort_pairs(ids, x, Ascending)?))),
            ("sort of pairs of other sizes", Box::new(move || pair(cuda.sort_pairs(x, long, Ascending)?))),
            ("top_k", Box::new(move || pair(cuda.top_k(x, 10)?))),
            ("bottom_k of many", Box::new(move || pair(cuda.bottom_k(x, LEN / 2)?))),
            ("median", Box::new(move || Ok(cuda.median(x)?.to_ne_bytes().to_vec()))),
            ("compact", Box::new(move || read(&cuda.compact(Above { threshold: 7 }, x)?))),
            ("partition by flags", Box::new(move || read(&cuda.partition_by_flags(flags, x)?.0))),
            ("unique", Box::new(move || read(&cuda.unique(ids)?))),
            ("groups", Box::new(move || sums(&cuda.reduce(Sum, groups(ids, x, 300))?))),
            (
                "runs",
                Box::new(move || {
                    let (keys, found) = cuda.reduce(Sum, runs(ids, x))?;
                    Ok([read(&keys)?, sums(&found)?].concat())
                }),
            ),
        ]
    }
}

/// Whether memory lacks, or cannot be cleared, or a kernel is not launched: the call says so, the next one has its bits, and all
/// that was taken is freed.
#[test]
fn a_call_that_fails_leaves_nothing() {
    leaves_nothing("a_call_that_fails_leaves_nothing", || {
        let cuda = Cuda::open(0).expect("the device");
        let inputs = Inputs::new(&cuda).expect("uploads");
        let mut failed = 0;
        for (name, call) in inputs.calls(&cuda) {
            let expected = call().unwrap_or_else(|error| panic!("{name}: {error}"));
            for function in ["cuMemAlloc_v2", "cuMemsetD8Async", "cuLaunchKernel", "cuMemcpyDtoHAsync_v2"] {
                for count in 1..=3 {
                    // CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, after which the device goes on.
                    fail(function, count, 701);
                    let found = call();
                    fail("none", 1, 0);
                    failed += u32::from(found.is_err());
                    assert!(
                        found.is_err() || found.is_ok_and(|found| found == expected),
                        "{name}: {function}"
                    );
                    assert!(call().is_ok_and(|found| found == expected), "{name} after {function}");
                }
            }
        }
        assert!(failed > 50, "{failed} calls failed");
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// On a stream nothing waits for launches that are under way: the stream keeps what they read.
#[test]
fn arrays_are_dropped_before_results_are_read() {
    leaves_nothing("arrays_are_dropped_before_results_are_read", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(LEN as i32);
        let ids: Vec<u32> = x.iter().map(|&x| x as u32 % 300).collect();
        let (array, on_ids) = (cuda.upload(&x).expect("x"), cuda.upload(&ids).expect("ids"));
        let mut scanned = cuda.values::<i64>(LEN).expect("room");
        let (mut sorted, mut indices) =
            (cuda.values::<i32>(LEN).expect("room"), cuda.values::<u64>(LEN).expect("room"));
        let (mut keys, mut moved) =
            (cuda.values::<u32>(LEN).expect("room"), cuda.values::<i32>(LEN).expect("room"));
        let (mut out, mut count) =
            (cuda.values::<i32>(LEN).expect("room"), cuda.values::<u64>(1).expect("room"));
        let mut sums = cuda.results::<i32, Sum>(300).expect("room");
        stream.scan_into(Sum, &array, &mut scanned, Scan::inclusive()).expect("launches");
        stream.sort_into(&array, &mut sorted, Ascending).expect("launches");
        stream.argsort_into(&array, &mut indices, Ascending).expect("launches");
        stream.sort_pairs_into(&on_ids, &array, &mut keys, &mut moved, Ascending).expect("launches");
        stream.compact_into(Above { threshold: 7 }, &array, (&mut out, &mut count)).expect("launches");
        stream.reduce_into(Sum, groups(&on_ids, &array, 300), &mut sums).expect("launches");
        drop((array, on_ids));
        let cpu = Cpu::new();
        assert!(scanned.to_vec().expect("sums") == cpu.scan(Sum, &x, Scan::inclusive()).expect("sums"));
        let order = cpu.argsort(&x, Ascending).expect("indices");
        assert!(sorted.to_vec().expect("keys").into_iter().eq(order.iter().map(|&i| x[i])));
        assert!(indices.to_vec().expect("indices").into_iter().eq(order.iter().map(|&i| i as u64)));
        let order = cpu.argsort(&ids, Ascending).expect("indices");
        assert!(moved.to_vec().expect("values").into_iter().eq(order.iter().map(|&i| x[i])));
        let above = cpu.compact(Above { threshold: 7 }, &x).expect("elements");
        assert_eq!(count.to_vec().expect("a count"), [above.len() as u64]);
        assert!(out.to_vec().expect("elements")[..above.len()] == above);
        assert!(
            sums.to_vec().expect("sums") == cpu.reduce(Sum, groups(&ids, &x, 300)).expect("sums of the CPU")
        );
        // Never read.
        drop(keys);
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// A graph has memory of its own for tiles to wait in, and keeps its inputs.
#[test]
fn graphs_keep_what_they_were_recorded_with() {
    leaves_nothing("graphs_keep_what_they_were_recorded_with", || {
        let cuda = Cuda::open(0).expect("the device");
        let stream = cuda.stream().expect("a stream");
        let (x, _) = numbers(20_000);
        let given = [5u32, 10_000, 10_001, 20_000];
        let (array, offsets) = (cuda.upload(&x).expect("x"), cuda.upload(&given).expect("offsets"));
        let [mut scanned, mut in_segments] = [(); 2].map(|()| cuda.values::<i64>(20_000).expect("room"));
        let (mut out, mut count) =
            (cuda.values::<i32>(20_000).expect("room"), cuda.values::<u64>(1).expect("room"));
        let above = Above { threshold: 7 };
        let mut enqueue = |stream: &warpfold::Stream| {
            stream.scan_into(Sum, &array, &mut scanned, Scan::inclusive())?;
            stream.scan_into(Sum, segments(&array, &offsets), &mut in_segments, Scan::inclusive())?;
            stream.compact_into(above, &array, (&mut out, &mut count))
        };
        enqueue(&stream).expect("the kernels");
        let mut graph = stream.capture(|stream| enqueue(stream)).expect("a graph");
        drop((array, offsets));
        let cpu = Cpu::new();
        let mut expected = vec![0; x.len()];
        cpu.scan_into(Sum, segments(&x, &given), &mut expected, Scan::inclusive()).expect("sums");
        let found = cpu.compact(above, &x).expect("elements");
        for _ in 0..3 {
            graph.launch(&stream).expect("a launch");
            assert!(scanned.to_vec().expect("sums") == cpu.scan(Sum, &x, Scan::inclusive()).expect("sums"));
            assert!(in_segments.to_vec().expect("sums") == expected);
            assert_eq!(count.to_vec().expect("a count"), [found.len() as u64]);
            assert!(out.to_vec().expect("elements")[..found.len()] == found);
        }
        drop(graph);
        assert_eq!(cuda.failed_frees(), 0);
    });
}

/// For each of the three kernels that scan segments: none is launched before all are loaded.
#[test]
fn a_kernel_that_does_not_load_leaves_values_as_they_were() {
    leaves_nothing("a_kernel_that_does_not_load_leaves_values_as_they_were", || {
        let (x, _) = numbers(20_000);
        for kernel in 1..=3 {
            let cuda = Cuda::open(0).expect("the device");
            let stream = cuda.stream().expect("a stream");
            let array = cuda.upload(&x).expect("an upload");
            let offsets = cuda.upload(&[0u32, 9000, 9005, 20_000]).expect("an upload");
            let mut values = cuda.values::<i64>(x.len()).expect("room");
            stream.scan_into(Sum, &array, &mut values, Scan::exclusive()).expect("a launch");
            let before = values.to_vec().expect("sums");
            fail("cuModuleLoadDataEx", kernel, 2);
            let refused = stream.scan_into(Sum, segments(&array, &offsets), &mut values, Scan::inclusive());
            assert!(refused.is_err(), "{kernel}");
            assert!(values.to_vec().expect("sums") == before, "written without kernel {kernel}");
        }
    });
}
