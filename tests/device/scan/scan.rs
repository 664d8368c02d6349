//! Scans on the GPU: each output has the CPU's bits.

use gpu_kernels::Storable;
use warpfold::kernels::{ScanKernel, StoredOf};
use warpfold::scan_tree::Kind;
use warpfold::{Cpu, Element, Error, Last, Max, Op, Scan, Sum, SumIn, segments};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, each_pair, is_emulated, on_gpu_or_emulated, samples, sizes};

fn scan_of<A>(kind: Kind) -> Scan<A> {
    match kind {
        Kind::Inclusive => Scan::inclusive(),
        Kind::Exclusive => Scan::exclusive(),
    }
}

pub(crate) fn assert_same<S: Bits>(found: &[S], expected: &[S], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let at = found.iter().zip(expected).position(|(found, expected)| !found.is_same(expected));
    assert_eq!(
        at.map(|at| (at, found[at].bits(), expected[at].bits())),
        None,
        "{what}: (output, found, expected)"
    );
}

pub(crate) fn on_cpu<T, O>(op: O, x: &[T], scan: Scan<O::Acc>) -> Vec<StoredOf<T, O>>
where
    T: Element,
    O: ScanKernel<T> + Op<T, Out: Storable + Send>,
{
    Cpu::new().scan(op, x, scan).unwrap().into_iter().map(Storable::store).collect()
}

/// Scans of several lengths, with and without an initial value, of whole arrays and from their second element
/// on.
fn some_lengths<T, O>()
where
    T: Element + Sample,
    O: ScanKernel<T> + Default + Op<T, Out: Storable<Stored: Bits> + Send>,
{
    for (seed, n) in on_gpu_or_emulated(
        [(71, 1), (72, 4095), (73, 70_001), (74, 1_200_000)],
        [(71, 1), (72, 33), (73, 4095), (74, 20_001)],
    ) {
        let x = samples::<T>(Special, seed, n);
        let device = cuda().upload(&x).unwrap();
        let init = O::default().lift(x[0], 0);
        for scan in [Scan::inclusive(), Scan::exclusive().from(init, 1)] {
            let found = cuda().scan(O::default(), &device, scan).unwrap().to_vec().unwrap();
            assert_same(&found, &on_cpu(O::default(), &x, scan), &format!("{n} elements, {:?}", scan.kind()));
        }
        let found = cuda().scan(O::default(), &device.slice(1..).unwrap(), Scan::inclusive()).unwrap();
        let expected = on_cpu(O::default(), &x[1..], Scan::inclusive());
        assert_same(&found.to_vec().unwrap(), &expected, &format!("{n} elements but the first"));
    }
}

each_pair! {
    some_lengths of gpu_kernels::for_each_scan_kernel, or takes_of_many_kernels of gpu_kernels::for_each_scan_kernel
}

#[test]
fn every_size() {
    let x = samples::<f32>(Ordinary, 75, on_gpu_or_emulated(1 << 23, 5 << 12) + 1);
    let device = cuda().upload(&x).unwrap();
    for kind in [Kind::Inclusive, Kind::Exclusive] {
        // The scan of a shorter array is the start of this one.
        let expected = on_cpu(Sum, &x, scan_of(kind));
        for n in sizes::of_scan::<f32>(x.len() as u64) {
            let n = n as usize;
            let found = cuda().scan(Sum, &device.slice(..n).unwrap(), scan_of(kind)).unwrap();
            assert_same(&found.to_vec().unwrap(), &expected[..n], &format!("{n} elements, {kind:?}"));
        }
    }
}

/// Many groups, whose totals form a long chain, repeatedly: the order in which blocks arrive changes nothing.
#[test]
fn many_groups() {
    // Of a group and more of longer elements on the emulated device: `own`.
    let (n, turns) = on_gpu_or_emulated(((1_u64 << 28) + 7, 5), (70_007, 2));
    let x = samples::<f32>(Ordinary, 76, n);
    let device = cuda().upload(&x).unwrap();
    let expected = on_cpu(Sum, &x, Scan::inclusive());
    for turn in 0..turns {
        let found = cuda().scan(Sum, &device, Scan::inclusive()).unwrap().to_vec().unwrap();
        let at =
            found.iter().zip(&expected).position(|(found, expected)| found.to_bits() != expected.to_bits());
        assert_eq!(at, None, "turn {turn}");
    }
}

/// More than 2^32 bytes, whose sums take eight times as much memory: the last ones count.
#[test]
fn beyond_two_to_the_32() {
    if is_emulated() {
        return; // Its kernels would read them for hours.
    }
    let n = (1_usize << 32) + 7;
    let x: Vec<u8> = (0..n).map(|i| (i % 251) as u8).collect();
    let sums = cuda().scan(Sum, &cuda().upload(&x).unwrap(), Scan::inclusive()).unwrap();
    let mut sum = 0_u64;
    let found = sums.slice(n - 5000..).unwrap().to_vec().unwrap();
    let expected: Vec<u64> = x
        .iter()
        .map(|&x| {
            sum += u64::from(x);
            sum
        })
        .skip(n - 5000)
        .collect();
    assert_same(&found, &expected, "the last 5000");
}

#[test]
fn streams_and_graphs_scan_into_values_and_in_place() {
    let x = samples::<i32>(Ordinary, 77, on_gpu_or_emulated(3_000_000, 20_000));
    let device = cuda().upload(&x).unwrap();
    let stream = cuda().stream().unwrap();
    let mut values = cuda().values::<i32>(x.len()).unwrap();
    type Wraps = SumIn<i32>;
    let once = on_cpu(Wraps::default(), &x, Scan::exclusive().from(5, 1));
    let twice = on_cpu(Wraps::default(), &once, Scan::inclusive());
    stream.scan_into(Wraps::default(), &device, &mut values, Scan::exclusive().from(5, 1)).unwrap();
    assert_same(&values.to_vec().unwrap(), &once, "once");
    stream.scan(Wraps::default(), &mut values, Scan::inclusive()).unwrap();
    assert_same(&values.to_vec().unwrap(), &twice, "twice");
    let mut graph = stream
        .capture(|stream| {
            stream.scan_into(Wraps::default(), &device, &mut values, Scan::exclusive().from(5, 1))?;
            stream.scan(Wraps::default(), &mut values, Scan::inclusive())
        })
        .unwrap();
    for _ in 0..3 {
        graph.launch(&stream).unwrap();
        assert_same(&values.to_vec().unwrap(), &twice, "replayed");
    }
}

/// A call that waits has done its work when it returns: any stream may read its outputs.
#[test]
fn every_stream_may_read_the_outputs() {
    let x = samples::<i32>(Ordinary, 79, 20_000);
    let stream = cuda().stream().unwrap();
    let (device, offsets) = (cuda().upload(&x).unwrap(), cuda().upload(&[0u32, 7, 20_000]).unwrap());
    type Wraps = SumIn<i32>;
    let of = |x: &[i32]| on_cpu(Wraps::default(), x, Scan::inclusive());
    let found = cuda().scan(Wraps::default(), &device, Scan::inclusive()).unwrap();
    assert_eq!(stream.reduce(Last, &found).unwrap(), of(&x).last().copied(), "an array");
    let found = cuda().scan(Wraps::default(), segments(&device, &offsets), Scan::inclusive()).unwrap();
    assert_eq!(stream.reduce(Last, &found).unwrap(), of(&x[7..]).last().copied(), "segments");
}

#[test]
fn edges() {
    let stream = cuda().stream().unwrap();
    let none = cuda().upload::<f32>(&[]).unwrap();
    assert!(cuda().scan(Sum, &none, Scan::inclusive()).unwrap().is_empty());
    let x = cuda().upload(&[1.0_f32, 2.0]).unwrap();
    let mut three = cuda().values::<f32>(3).unwrap();
    let error = stream.scan_into(Sum, &x, &mut three, Scan::inclusive()).unwrap_err();
    assert!(matches!(error, Error::Results { results: 2, room: 3 }), "{error:?}");
    assert_eq!(cuda().scan(Sum, &[1.0_f32, 2.0, 4.0], Scan::exclusive()).unwrap(), [0.0, 1.0, 3.0]);
}

/// An operator without a result for empty input needs an initial value, as on the CPU.
#[test]
fn an_exclusive_scan_of_the_greatest_wants_an_initial_value() {
    let x = [3, i32::MAX, 1];
    for scan in [Scan::exclusive(), Scan::exclusive().from(7, 0)] {
        let refused = cuda().scan(Max, &x, scan);
        assert!(matches!(refused, Err(Error::NoInitialValue)), "{refused:?}");
        let refused = Cpu::new().scan(Max, &x, scan);
        assert!(matches!(refused, Err(Error::NoInitialValue)), "{refused:?}");
    }
    assert_eq!(cuda().scan(Max, &x, Scan::exclusive().from(7, 1)).unwrap(), [7, 7, i32::MAX]);
    let refused = cuda().scan(Max, &[3.0, 4.0], Scan::exclusive());
    assert!(matches!(refused, Err(Error::NoInitialValue)), "{refused:?}");
    let (x, offsets) = (cuda().upload(&x).unwrap(), cuda().upload(&[0u32, 2, 3]).unwrap());
    let refused = cuda().scan(Max, segments(&x, &offsets), Scan::exclusive());
    assert!(matches!(refused, Err(Error::NoInitialValue)), "{refused:?}");
}

/// The scan kernel, with operators of every kind: see `sanitize_reduce`.
#[test]
fn sanitize_scan() {
    fn check_each<T, O>()
    where
        T: Element + Sample,
        O: ScanKernel<T> + Default + Op<T, Out: Storable<Stored: Bits> + Send>,
    {
        let x = samples::<T>(Special, 78, on_gpu_or_emulated(70_001, 9001));
        let device = cuda().upload(&x).unwrap();
        for n in [1, 4095, x.len()] {
            let found = cuda().scan(O::default(), &device.slice(..n).unwrap(), Scan::inclusive()).unwrap();
            let expected = on_cpu(O::default(), &x[..n], Scan::inclusive());
            assert_same(&found.to_vec().unwrap(), &expected, &format!("{n} elements"));
        }
    }
    check_each::<f32, Sum>();
    check_each::<i32, Sum>();
    check_each::<u8, Sum>();
    check_each::<f64, Max>();
}
