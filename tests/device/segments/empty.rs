//! Parts of no elements in device memory: each result is the operator's of an empty input, whichever ranks have their parts on a
//! device, and although no launch writes it.

use std::fmt::Debug;
use std::thread;

use bytemuck::{CheckedBitPattern, NoUninit};
use warpfold::kernels::RowsKernel;
use warpfold::{
    BitAnd, Cpu, Cuda, DeviceArray, Element, Error, Min, Product, Sum, Threads, View, World, along, chunks,
    columns, groups, rows, runs, segments,
};
use warpfold_tests::cuda;

/// Results as text, in which -0.0 is not 0.0.
fn said<R: Debug>(results: Result<R, Error>) -> String {
    format!("{:?}", results.expect("results"))
}

/// Offsets of segments in `n` elements: mostly empty ones, a single one, and none.
fn offsets(n: u64) -> [Vec<u64>; 4] {
    [vec![0, 0, 0, 0], vec![0, n, n, n], vec![n], vec![]]
}

/// What is reduced alike by a backend and by a rank: `$n` elements at `$x`, with ids at `$ids`, of `$of` in all.
macro_rules! reductions {
    ($by:expr, $op:expr, $x:expr, $ids:expr, $n:expr, $of:expr) => {{
        let (by, op, x, ids) = ($by, $op, $x, $ids);
        let mut all = vec![
            said(by.reduce(op, x)),
            said(by.reduce(op, rows(x, [$n, 1]))),
            said(by.reduce(op, columns(x, [$n, 1]))),
            said(by.reduce(op, chunks(x, 2))),
            said(by.reduce(op, groups(ids, x, 3))),
            said(by.reduce(op, runs(ids, x))),
        ];
        all.extend(offsets($of).iter().map(|offsets| said(by.reduce(op, segments(x, offsets)))));
        if $of == 0 {
            all.push(said(by.reduce(op, columns(x, [0, 3]))));
        }
        all
    }};
}

/// Operators over `T`, on the device and off it.
trait Operator<T: Element>: RowsKernel<T, Out: Debug> + warpfold::kernels::Kernel<T> + Copy + Sync {}

impl<T: Element, O: RowsKernel<T, Out: Debug> + warpfold::kernels::Kernel<T> + Copy + Sync> Operator<T>
    for O
{
}

/// Reduces `x`, which one rank has in host memory, while others have parts of no elements, on the device or not.
fn agrees<T, O>(cuda: &Cuda, op: O, x: &[T])
where
    T: Element + CheckedBitPattern<Bits: NoUninit>,
    O: Operator<T>,
{
    let ids: Vec<u32> = (0..x.len() as u32).map(|i| i % 2).collect();
    let expected = reductions!(&Cpu::new(), op, x, &ids, x.len(), x.len() as u64);
    for ranks in [1, 2, 8] {
        for on_device in [0b1111_1111, 0b1010_1010, 0b0110, 0b1000_0000_u32] {
            let found: Vec<_> = thread::scope(|scope| {
                let (ids, whole) = (&ids, x);
                let one = |world: World<Threads>| {
                    scope.spawn(move || {
                        let has_all = world.rank() == ranks / 2;
                        let (x, ids) = if has_all { (whole, &ids[..]) } else { (&whole[..0], &ids[..0]) };
                        let (n, of) = (x.len(), whole.len() as u64);
                        if on_device >> world.rank() & 1 == 0 || !x.is_empty() {
                            return reductions!(&world, op, x, ids, n, of);
                        }
                        let x: DeviceArray<T> = cuda.upload(x).expect("an upload");
                        let ids = cuda.upload(ids).expect("an upload");
                        reductions!(&world, op, &x, &ids, n, of)
                    })
                };
                let ranks: Vec<_> = World::threads(ranks).into_iter().map(one).collect();
                ranks.into_iter().map(|rank| rank.join().expect("no panic")).collect()
            });
            for (rank, found) in found.iter().enumerate() {
                let what = std::any::type_name::<O>();
                assert_eq!(*found, expected, "{what} of {}: rank {rank} of {ranks}, {on_device:b}", x.len());
            }
        }
    }
}

#[test]
fn ranks_without_elements_have_the_results_of_empty_input() {
    for x in [&[][..], &[2.5, -1.0, 7.25]] {
        agrees::<f32, _>(cuda(), Sum, x);
        agrees::<f32, _>(cuda(), Product, x);
        agrees::<f32, _>(cuda(), Min, x);
    }
    for x in [&[][..], &[6, 3, 12]] {
        agrees::<u32, _>(cuda(), BitAnd, x);
    }
}

/// Reduces inputs of no elements by calls that wait, on a stream, to results that were written before, and in a graph.
fn is_empty_everywhere<T, O>(cuda: &Cuda, op: O)
where
    T: Element + CheckedBitPattern<Bits: NoUninit>,
    O: Operator<T>,
{
    let (stream, cpu, none) = (cuda.stream().expect("a stream"), Cpu::new(), &[][..]);
    let one = said(cpu.reduce(op, none));
    let three = said(cpu.reduce(op, rows(none, [3, 0])));
    let x: DeviceArray<T> = cuda.upload(none).expect("an upload");
    let (ids, no_ids) = (cuda.upload::<u32>(&[]).expect("an upload"), &[][..] as &[u32]);
    let offsets = cuda.upload(&[0_u64; 4]).expect("an upload");
    let name = std::any::type_name::<O>();

    assert_eq!(said(cuda.reduce(op, &x)), one, "{name}");
    assert_eq!(said(stream.reduce(op, &x)), one, "{name}");
    assert_eq!(said(stream.reduce_async(op, &x).and_then(warpfold::Pending::wait)), one, "{name}");
    let mut scalar = cuda.scalar::<T, O>().expect("room");
    assert_eq!(said(scalar.get()), one, "{name}");
    stream.reduce_into(op, &x, &mut scalar).expect("a reduction");
    assert_eq!(said(scalar.get()), one, "{name}");

    let view = View::new(&x, &[3, 0]).expect("a view");
    let turned = View::new(&x, &[0, 3]).expect("a view");
    let mut results = cuda.results::<T, O>(3).expect("room");
    assert_eq!(said(results.to_vec()), three, "{name}: not written yet");
    macro_rules! parts {
        ($($parts:expr),* $(,)?) => { $(
            let what = stringify!($parts);
            assert_eq!(said(cuda.reduce(op, $parts).and_then(|found| found.to_vec())), three, "{name}: {what}");
            assert_eq!(said(stream.reduce(op, $parts).and_then(|found| found.to_vec())), three, "{name}: {what}");
            stream.reduce_into(op, $parts, &mut results).expect("a reduction");
            assert_eq!(said(results.to_vec()), three, "{name}: {what}");
        )* };
    }
    parts![
        rows(&x, [3, 0]),
        columns(&x, [0, 3]),
        along(view, &[1]),
        along(turned, &[0]),
        segments(&x, &offsets),
        groups(&ids, &x, 3),
    ];
    let mut graph = stream
        .capture(|stream| {
            stream.reduce_into(op, &x, &mut scalar)?;
            stream.reduce_into(op, columns(&x, [0, 3]), &mut results)
        })
        .expect("a graph");
    graph.launch(&stream).expect("a launch");
    assert_eq!((said(scalar.get()), said(results.to_vec())), (one, three.clone()), "{name}");
    // There are no results without parts.
    let no_offsets = cuda.upload::<u64>(&[]).expect("an upload");
    assert_eq!(said(cuda.reduce(op, segments(&x, &no_offsets)).and_then(|found| found.to_vec())), "[]");
    assert_eq!(said(cuda.reduce(op, chunks(&x, 2)).and_then(|found| found.to_vec())), "[]");
    let found = cuda.reduce(op, runs(&ids, &x)).and_then(|(_, found)| found.to_vec());
    assert_eq!(said(found), format!("{:?}", cpu.reduce(op, runs(no_ids, none)).expect("results").1));
}

#[test]
fn inputs_without_elements_have_the_results_of_empty_input() {
    is_empty_everywhere::<f32, _>(cuda(), Sum);
    is_empty_everywhere::<f32, _>(cuda(), Product);
    is_empty_everywhere::<u32, _>(cuda(), BitAnd);
}

/// What was written before is not what a later reduction of nothing gives.
#[test]
fn nothing_replaces_what_was_there() {
    let (cuda, sum) = (cuda(), "[0, 0, 0]");
    let (stream, none) = (cuda.stream().expect("a stream"), cuda.upload::<i32>(&[]).expect("an upload"));
    let x = cuda.upload(&[1, 2, 3, 4, 5, 6]).expect("an upload");
    let offsets = cuda.upload(&[0_u64; 4]).expect("an upload");
    let mut results = cuda.results::<i32, Sum>(3).expect("room");
    let mut values = cuda.values::<i64>(3).expect("room");
    for empty in 0..3 {
        stream.reduce_into(Sum, rows(&x, [3, 2]), &mut results).expect("sums");
        assert_eq!(said(results.to_vec()), "[3, 7, 11]");
        match empty {
            0 => stream.reduce_into(Sum, rows(&none, [3, 0]), &mut results),
            1 => stream.reduce_into(Sum, segments(&none, &offsets), &mut results),
            _ => stream.reduce_into(Sum, columns(&none, [0, 3]), &mut results),
        }
        .expect("sums");
        stream.finish_into(&results, &mut values).expect("values");
        assert_eq!([said(results.to_vec()), said(values.to_vec())], [sum; 2]);
        assert_eq!(said(results.finished().and_then(|found| found.to_vec())), sum);
    }
}
