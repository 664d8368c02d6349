//! Scans of segments on the GPU: each has the CPU's bits, whatever its neighbours.

use gpu_kernels::Storable;
use warpfold::kernels::{ScanKernel, StoredOf};
use warpfold::scan_tree::tree;
use warpfold::{ArgMax, Cpu, Element, Error, Max, Mean, Op, Scan, Sum, SumIn, f16, segments};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{
    Bits, Sample, cuda, each_pair, in_quarter_or_catalogue, is_emulated, on_gpu_or_emulated, samples,
};

use crate::scan::assert_same;

/// Offsets of segments with these lengths, repeated, starting at `first`, until there are no more elements.
fn offsets(first: usize, lens: &[usize], count: usize, len: usize) -> Vec<u64> {
    let mut at = first.min(len);
    let mut offsets = vec![at as u64];
    for segment in lens.iter().cycle().take(count) {
        at = len.min(at + segment);
        offsets.push(at as u64);
    }
    offsets
}

/// The CPU's results, and zeros where there is no segment.
fn on_cpu<T, O>(x: &[T], offsets: &[u64], scan: Scan<O::Acc>) -> Vec<StoredOf<T, O>>
where
    T: Element,
    O: ScanKernel<T> + Default + Op<T, Out: Storable + Send>,
{
    let outputs = offsets.windows(2).flat_map(|ends| {
        Cpu::new().scan(O::default(), &x[ends[0] as usize..ends[1] as usize], scan).unwrap()
    });
    let mut outs = vec![bytemuck::Zeroable::zeroed(); x.len()];
    for (to, out) in outs[offsets[0] as usize..].iter_mut().zip(outputs) {
        *to = out.store();
    }
    outs
}

/// Segments of every kind together, in arrays that begin at their first and at their second element.
fn every_mix<T, O>()
where
    T: Element + Sample,
    O: ScanKernel<T> + Default + Op<T, Out: Storable<Stored: Bits> + Send>,
{
    let tiles = on_gpu_or_emulated(60, 5);
    every_mix_of::<T, O>(&samples::<T>(Special, 81, (tiles * tree::tile_len::<T>() + 2345) as u64));
}

/// The same of these elements.
pub(crate) fn every_mix_of<T, O>(x: &[T])
where
    T: Element,
    O: ScanKernel<T> + Default + Op<T, Out: Storable<Stored: Bits> + Send>,
{
    let (run, row, tile) = (tree::run_len::<T>(), tree::row_len::<T>(), tree::tile_len::<T>());
    // At most a quad each, except one. Lanes scan several of them.
    let quads =
        [[3, 1, 0, 2, 4, 3, 3].map(|len| len.min(tree::quad_len::<T>())).repeat(30), vec![5]].concat();
    let init = O::default().lift(x[0], 0);
    let device = cuda().upload(x).unwrap();
    for (first, lens, count) in [
        (0, &[3][..], 5000),
        (4, &quads, 5000),
        (1, &[0, 1, run - 1, run, run + 1, 2, 5 * run, 0, 0, 31 * run, 17 * run + 1, 3], 3000),
        (3, &[row - 1, row, row + 1, 1, 2 * row, 5 * row + 3, tile - 1, 0, tile, 7], 100),
        (2, &[tile + 1, 0, 2 * tile, 3, 9 * tile + 1, 1, 17 * tile + run + 1], 9),
        (5, &[50 * tile + 1, 1, 0, 2], 400),
        (5, &[0], 1000),
    ] {
        let offsets = offsets(first, lens, count, x.len() - 1);
        for (skipped, scan) in [(0, Scan::inclusive()), (1, Scan::exclusive().from(init, 1))] {
            let x = &x[skipped..];
            let expected = on_cpu::<T, O>(x, &offsets, scan);
            let slice = device.slice(skipped..).unwrap();
            let what = format!("{lens:?} from {first}, {skipped} skipped");
            if !is_emulated() || skipped == first % 2 {
                let wide = cuda().upload(&offsets).unwrap();
                let found = cuda().scan(O::default(), segments(&slice, &wide), scan).unwrap();
                assert_same(&found.to_vec().unwrap(), &expected, &what);
            }
            if !is_emulated() || skipped != first % 2 {
                let narrow: Vec<i32> = offsets.iter().map(|&at| i32::try_from(at).unwrap()).collect();
                let narrow = cuda().upload(&narrow).unwrap();
                let found = cuda().scan(O::default(), segments(&slice, &narrow), scan).unwrap();
                assert_same(&found.to_vec().unwrap(), &expected, &what);
            }
        }
    }
}

each_pair! {
    every_mix of gpu_kernels::for_each_scan_kernel, or takes_of_many_kernels of gpu_kernels::for_each_scan_kernel
}

/// Scans of other elements in the same memory: what one has posted is not taken for what the next one posts.
#[test]
fn scans_follow_each_other_in_the_same_memory() {
    let ends = [0, 3 * tree::tile_len::<f32>() + 5, 8 * tree::tile_len::<f32>() + 1].map(|end| end as u64);
    let offsets = cuda().upload(&ends).unwrap();
    for seed in 0..8 {
        let x = samples::<f32>(Ordinary, 90 + seed, ends[2]);
        let expected = on_cpu::<f32, Sum>(&x, &ends, Scan::inclusive());
        let device = cuda().upload(&x).unwrap();
        let found = cuda().scan(Sum, segments(&device, &offsets), Scan::inclusive()).unwrap();
        assert_same(&found.to_vec().unwrap(), &expected, &format!("scan {seed}"));
    }
}

/// Offsets that are dropped are kept until the work that reads them has ended: by the stream alone, since the outputs have been
/// written anew.
#[test]
fn offsets_may_be_dropped_before_their_work_is_done() {
    let x = samples::<f32>(Ordinary, 88, 20_000);
    let (device, stream) = (cuda().upload(&x).unwrap(), cuda().stream().unwrap());
    let mut values = cuda().values::<f32>(x.len()).unwrap();
    let offsets = cuda().upload(&[0u32, 7, 20_000]).unwrap();
    stream.scan_into(Sum, segments(&device, &offsets), &mut values, Scan::inclusive()).unwrap();
    drop(offsets);
    stream.scan_into(Sum, &device, &mut values, Scan::inclusive()).unwrap();
    let expected = crate::scan::on_cpu(Sum, &x, Scan::inclusive());
    assert_same(&values.to_vec().unwrap(), &expected, "scanned anew");
}

/// Two long segments of several groups, with millions of short ones before, between and after, repeatedly: the
/// order in which blocks arrive changes nothing.
#[test]
fn long_beside_many_short_ones() {
    let (few, [long, shorter], turns) =
        on_gpu_or_emulated((100_000, [(1 << 25) + 3, (1 << 21) + 77], 5), (100, [40_003, 9077], 2));
    let few = [0, 1, 2, 3, 4, 7, 16, 17, 40, 5].repeat(few);
    let lens = [&few[..], &[long], &few, &[shorter, 5000, 2, 9000], &few].concat();
    let n = lens.iter().sum::<usize>() + 10;
    let x = samples::<f32>(Ordinary, 82, n as u64);
    let offsets = offsets(3, &lens, lens.len(), n);
    let expected = on_cpu::<f32, Sum>(&x, &offsets, Scan::inclusive());
    let (device, offsets) = (cuda().upload(&x).unwrap(), cuda().upload(&offsets).unwrap());
    for turn in 0..turns {
        let found = cuda().scan(Sum, segments(&device, &offsets), Scan::inclusive()).unwrap();
        assert_same(&found.to_vec().unwrap(), &expected, &format!("turn {turn}"));
    }
}

/// A million segments of at most a quad on average, which lanes scan several at a time where none is longer.
#[test]
fn a_million_short_segments() {
    in_quarter_or_catalogue!(0 => million_short::<f64, Mean>());
    in_quarter_or_catalogue!(1 => million_short::<f32, ArgMax>());
    in_quarter_or_catalogue!(2 => million_short::<f16, Max>());
}

/// The kernels of one, two and four segments per lane: see `sanitize_reduce`.
#[test]
fn sanitize_a_million_short_segments() {
    million_short::<f32, Sum>();
    in_quarter_or_catalogue!(3 => million_short::<i64, Sum>());
    million_short::<u8, Sum>();
}

fn million_short<T, O>()
where
    T: Element + Sample,
    O: ScanKernel<T> + Default + Op<T, Out: Storable<Stored: Bits> + Send>,
{
    let count = on_gpu_or_emulated(1 << 20, 5000) + 77;
    let x = samples::<T>(Special, 86, 4 * count as u64);
    let device = cuda().upload(&x).unwrap();
    let alike = [3];
    // One longer segment among a few hundred: those beside it are scanned otherwise.
    let mixed = [[4, 0, 1, 3, 2, 4, 3].repeat(50), vec![5, 1, 0, 40]].concat();
    let init = O::default().lift(x[0], 0);
    for (first, lens, scan) in [
        (0, &alike[..], Scan::inclusive()),
        (1, &mixed, Scan::inclusive()),
        (3, &mixed, Scan::exclusive().from(init, 1)),
    ] {
        let offsets = offsets(first, lens, count, x.len());
        let on_device = cuda().upload(&offsets).unwrap();
        let found = cuda().scan(O::default(), segments(&device, &on_device), scan).unwrap();
        let expected = on_cpu::<T, O>(&x, &offsets, scan);
        assert_same(&found.to_vec().unwrap(), &expected, &format!("{} lengths from {first}", lens.len()));
    }
}

/// More than 2^32 bytes: a segment that ends before that index, one of several tiles across it, and short ones
/// and one of a tile after it.
#[test]
fn beyond_two_to_the_32() {
    if is_emulated() {
        return; // Its kernels would read them for hours.
    }
    let n = (1_usize << 32) + 150_007;
    let x: Vec<u8> = (0..n).map(|i| (i % 251) as u8).collect();
    let long = (1 << 32) - 60_000;
    let behind = (1 << 32) + 80_000;
    let offsets =
        [0, 5, 5, long, behind, behind + 3, behind + 13, behind + 13, behind + 9000, behind + 70_000, n];
    let ends = cuda().upload(&offsets.map(|at| at as u64)).unwrap();
    let device = cuda().upload(&x).unwrap();
    let sums = cuda().scan(Sum, segments(&device, &ends), Scan::inclusive()).unwrap();
    let mut expected = offsets.windows(2).flat_map(|ends| {
        x[ends[0]..ends[1]].iter().scan(0_u64, |sum, &x| {
            *sum += u64::from(x);
            Some(*sum)
        })
    });
    let first: Vec<u64> = expected.by_ref().take(5000).collect();
    assert_same(&sums.slice(..5000).unwrap().to_vec().unwrap(), &first, "the first");
    let last: Vec<u64> = expected.skip(long - 10_000).collect();
    assert_same(&sums.slice(long - 5000..).unwrap().to_vec().unwrap(), &last, "the last");
}

#[test]
fn streams_and_graphs_scan_segments_into_values_and_in_place() {
    type Wraps = SumIn<i32>;
    let x = samples::<i32>(Ordinary, 83, on_gpu_or_emulated(3_000_000, 30_000));
    let device = cuda().upload(&x).unwrap();
    let given = offsets(2, &[0, 1, 700, 5000, 33, 300_000, 16], 1000, x.len() - 1);
    let offsets = cuda().upload(&given).unwrap();
    let stream = cuda().stream().unwrap();
    let mut values = cuda().values::<i32>(x.len()).unwrap();
    let from = Scan::exclusive().from(5, 1);
    let once = on_cpu::<i32, Wraps>(&x, &given, from);
    let twice = on_cpu::<i32, Wraps>(&once, &given, Scan::inclusive());
    stream.scan_into(Wraps::default(), segments(&device, &offsets), &mut values, from).unwrap();
    assert_same(&values.to_vec().unwrap(), &once, "once");
    stream.scan(Wraps::default(), segments(&mut values, &offsets), Scan::inclusive()).unwrap();
    assert_same(&values.to_vec().unwrap(), &twice, "twice");
    let mut graph = stream
        .capture(|stream| {
            stream.scan_into(Wraps::default(), segments(&device, &offsets), &mut values, from)?;
            stream.scan(Wraps::default(), segments(&mut values, &offsets), Scan::inclusive())
        })
        .unwrap();
    for _ in 0..3 {
        graph.launch(&stream).unwrap();
        assert_same(&values.to_vec().unwrap(), &twice, "replayed");
    }
}

#[test]
fn wrong_offsets_are_refused_and_nothing_breaks() {
    let x = cuda().upload(&samples::<f32>(Ordinary, 84, 100_000)).unwrap();
    let refused = |wrong: &[i64]| {
        let offsets = cuda().upload(wrong).unwrap();
        let scan = Scan::inclusive();
        match cuda().scan(Sum, segments(&x, &offsets), scan) {
            Err(Error::Offset { at, offset, len: 100_000, .. }) => (at, offset),
            answer => panic!("{wrong:?}: {answer:?}"),
        }
    };
    assert_eq!(refused(&[0, 10, 9, 100]), (2, 9));
    assert_eq!(refused(&[0, 10, 100_001]), (2, 100_001));
    assert_eq!(refused(&[i64::MIN, i64::MAX]), (0, i128::from(i64::MIN)));
    assert_eq!(refused(&[100_001]), (0, 100_001));
    assert_eq!(refused(&[0, 100_000, 0, 100_000, 0, 100_000, 0, 100_000]), (2, 0));
    let stream = cuda().stream().unwrap();
    let mut values = cuda().values::<f32>(100_000).unwrap();
    let offsets = cuda().upload(&[0u32, 7000, 5]).unwrap();
    stream.scan_into(Sum, segments(&x, &offsets), &mut values, Scan::inclusive()).unwrap();
    assert!(matches!(values.to_vec(), Err(Error::Offset { at: 2, offset: 5, .. })));
    // The memory can be written as before.
    stream.scan_into(Sum, &x, &mut values, Scan::inclusive()).unwrap();
    assert_eq!(values.to_vec().unwrap().len(), 100_000);
}

/// Outputs outside of all segments are zeros in a new array, and left as they are in the caller's.
#[test]
fn outputs_of_no_segment() {
    let x = samples::<f32>(Ordinary, 87, 20_000);
    let device = cuda().upload(&x).unwrap();
    let stream = cuda().stream().unwrap();
    let mut values = cuda().values::<f32>(x.len()).unwrap();
    let before = crate::scan::on_cpu(Sum, &x, Scan::exclusive());
    for given in
        [&[3u64, 3, 10, 5000, 5001, 14_000, 19_999][..], &[0, 20_000], &[7, 7], &[20_000, 20_000], &[77]]
    {
        let offsets = cuda().upload(given).unwrap();
        let scan = Scan::exclusive().from(1000.0, 1);
        let mut expected = on_cpu::<f32, Sum>(&x, given, scan);
        let found = cuda().scan(Sum, segments(&device, &offsets), scan).unwrap();
        assert_same(&found.to_vec().unwrap(), &expected, &format!("{given:?}, new"));
        stream.scan_into(Sum, &device, &mut values, Scan::exclusive()).unwrap();
        stream.scan_into(Sum, segments(&device, &offsets), &mut values, scan).unwrap();
        let (first, end) = (given[0] as usize, given[given.len() - 1] as usize);
        expected[..first].copy_from_slice(&before[..first]);
        expected[end..].copy_from_slice(&before[end..]);
        assert_same(&values.to_vec().unwrap(), &expected, &format!("{given:?}, the caller's"));
    }
    let offsets = cuda().upload(&[0u32, 2]).unwrap();
    let mut two = cuda().values::<f32>(2).unwrap();
    let refused = stream.scan_into(Sum, segments(&device, &offsets), &mut two, Scan::inclusive());
    assert!(matches!(refused, Err(Error::Results { results: 20_000, room: 2 })), "{refused:?}");
    let (none, zeros) = (device.slice(..0).unwrap(), cuda().upload(&[0u32, 0]).unwrap());
    assert!(cuda().scan(Sum, segments(&none, &zeros), Scan::inclusive()).unwrap().is_empty());
}

/// The kernels that scan segments, with operators of every kind: see `sanitize_reduce`.
#[test]
fn sanitize_scan_segments() {
    fn check_each<T, O>()
    where
        T: Element + Sample,
        O: ScanKernel<T> + Default + Op<T, Out: Storable<Stored: Bits> + Send>,
    {
        let x = samples::<T>(Special, 85, on_gpu_or_emulated(70_001, 20_001));
        let device = cuda().upload(&x).unwrap();
        for lens in [&[0, 1, 3, 16, 33, 100][..], &[9000, 2, 0, 4096, 1, 30_000]] {
            let offsets = offsets(3, lens, 500, x.len());
            let on_device = cuda().upload(&offsets).unwrap();
            let found = cuda().scan(O::default(), segments(&device, &on_device), Scan::inclusive()).unwrap();
            let expected = on_cpu::<T, O>(&x, &offsets, Scan::inclusive());
            assert_same(&found.to_vec().unwrap(), &expected, &format!("{lens:?}"));
        }
    }
    check_each::<f32, Sum>();
    check_each::<i32, Sum>();
    check_each::<u8, Sum>();
}
