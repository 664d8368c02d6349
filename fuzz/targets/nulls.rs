//! Arrays with missing elements in every input and verb, by several operators, on the CPU and over ranks: refused, or equal to
//! the plain loop over `Option`s.
#![no_main]

use std::fmt::Debug;
use std::thread;

use arbitrary::Arbitrary;
use arrow_array::Float32Array;
use libfuzzer_sys::fuzz_target;
use warpfold::elements::TotalOrder;
use warpfold::verb::{Backend, Reduce};
use warpfold::{
    ArgMin, AsElements, Cpu, Dot, Elements, ExactSum, Last, Max, Mean, Op, Order, Scan, StdDev, Sum, Threads,
    WeightedMean, World, above, after_fold, chunks, columns, groups, reference, rows, runs, segments, zip,
};

#[derive(Arbitrary, Debug)]
struct Input {
    x: Vec<Option<f32>>,
    y: Vec<Option<f32>>,
    ids: Vec<Option<u8>>,
    flags: Vec<Option<bool>>,
    offsets: Vec<Option<u8>>,
    keys: Vec<bool>,
    columns: u8,
    len: u8,
    groups: u8,
    op: u8,
    is_exclusive: bool,
    /// Where the array is cut between two ranks; one rank otherwise.
    cut: Option<u8>,
}

fuzz_target!(|input: Input| {
    pairs(&input);
    places(&input);
    match input.op % 7 {
        0 => parts(Sum, &input),
        1 => parts(ArgMin, &input),
        2 => parts((Max, Mean), &input),
        3 => parts(Last, &input),
        4 => parts(StdDev, &input),
        5 => parts(ExactSum, &input),
        _ => parts((Sum, Max), &input),
    }
});

/// The reduction of the elements that are there. `Debug` tells all floats apart but NaNs, whose bits are one.
fn alone<O: Op<f32, Out: Debug>>(op: O, part: impl IntoIterator<Item = Option<f32>>) -> String {
    format!("{:?}", reference::reduce_by(op, &part.into_iter().flatten().collect::<Vec<_>>()))
}

fn texts<R: Debug>(found: Vec<R>) -> Vec<String> {
    found.into_iter().map(|found| format!("{found:?}")).collect()
}

fn elements<T: Copy + warpfold::Element>(x: &[Option<T>]) -> Elements<'static, T> {
    x.iter().copied().collect()
}

/// The results of one call on each rank.
fn on_ranks<R: Send>(ranks: usize, call: impl Fn(&World<Threads>) -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let call = &call;
        let ranks: Vec<_> =
            World::threads(ranks).into_iter().map(|world| scope.spawn(move || call(&world))).collect();
        ranks.into_iter().map(|rank| rank.join().expect("no rank panics")).collect()
    })
}

/// Asserts that all ranks have these results.
fn on_all<O: Copy + Sync, I, R: Debug + Send>(
    op: O,
    inputs: impl Fn(usize) -> I + Sync,
    ranks: usize,
    expected: &[String],
) where
    World<Threads>: Backend<Reduce<O, I>, Results = Vec<R>>,
{
    for found in on_ranks(ranks, |world| texts(world.reduce(op, inputs(world.rank())).expect("valid"))) {
        assert_eq!(found, expected);
    }
}

fn parts<O: Op<f32, Out: Debug>>(op: O, input: &Input) {
    let (cpu, x) = (Cpu::new(), &input.x[..]);
    let array = elements(x);
    assert_eq!(array.array_len(), x.len() as u64);
    let arrow = Float32Array::from(x.to_vec());
    let positions: Vec<u64> = (0..).zip(x).filter_map(|(at, x)| x.map(|_| at)).collect();
    assert!((0..).map_while(|index| array.position(index)).eq(positions.iter().copied()));
    assert_eq!(format!("{:?}", cpu.reduce(op, &arrow).expect("valid")), alone(op, x.to_vec()));
    // Two pieces of it are the array.
    let at = usize::from(input.cut.unwrap_or(0)).min(x.len());
    let pieces = [elements(&x[..at]), elements(&x[at..])];
    let joined = Elements::concat(&pieces);
    assert!((0..).map_while(|index| joined.position(index)).eq(positions));
    let ranks = if input.cut.is_some() { 2 } else { 1 };
    let whole = [array.elements()];
    let of_rank: &[Elements<'_, f32>] = if ranks == 2 { &pieces } else { &whole };

    let len = usize::from(input.len);
    if let Ok(found) = cpu.reduce(op, chunks(&arrow, len)) {
        let expected: Vec<_> = x.chunks(len).map(|chunk| alone(op, chunk.to_vec())).collect();
        assert_eq!(texts(found), expected);
        on_all(op, |rank| chunks(&of_rank[rank], len), ranks, &expected);
    }
    let c = usize::from(input.columns);
    if let Some(r) = x.len().checked_div(c) {
        let (matrix, piece) = (&x[..r * c], elements(&x[..r * c]));
        let of_rows: Vec<_> = matrix.chunks(c).map(|row| alone(op, row.to_vec())).collect();
        assert_eq!(texts(cpu.reduce(op, rows(&piece, [r, c])).expect("valid")), of_rows);
        let column = |column: usize| alone(op, matrix.iter().skip(column).step_by(c).copied());
        let of_columns: Vec<_> = (0..c).map(column).collect();
        assert_eq!(texts(cpu.reduce(op, columns(&piece, [r, c])).expect("valid")), of_columns);
        let half = r / 2;
        let halves = [elements(&matrix[..half * c]), elements(&matrix[half * c..])];
        let shapes = [[half, c], [r - half, c]];
        on_all(op, |rank| rows(&halves[rank], shapes[rank]), 2, &of_rows);
        on_all(op, |rank| columns(&halves[rank], shapes[rank]), 2, &of_columns);
        if matrix.len() < x.len() {
            assert!(cpu.reduce(op, rows(&array, [r, c])).is_err());
        }
    }
    let offsets: Elements<'_, u32> = input.offsets.iter().map(|end| end.map(u32::from)).collect();
    if let Ok(found) = cpu.reduce(op, segments(&array, &offsets)) {
        let ends: Vec<usize> = input.offsets.iter().map(|end| end.expect("none is missing").into()).collect();
        let segment = |at: &[usize]| alone(op, x[at[0]..at[1]].to_vec());
        let expected: Vec<_> = ends.windows(2).map(segment).collect();
        assert_eq!(texts(found), expected);
        on_all(op, |rank| segments(&of_rank[rank], &offsets), ranks, &expected);
    }
    if let Ok((of_keys, found)) = cpu.reduce(op, runs(&input.keys, &array)) {
        let (mut rest, of_runs) = (x, input.keys.chunk_by(|a, b| a == b));
        assert!(of_keys.into_iter().eq(of_runs.clone().map(|run| run[0])));
        let sums =
            of_runs.map(|run| alone(op, rest.split_off(..run.len()).expect("a key for each").to_vec()));
        assert_eq!(texts(found), sums.collect::<Vec<_>>());
    }
    let count = usize::from(input.groups);
    let ids: Vec<Option<u32>> = input.ids.iter().map(|id| id.map(u32::from)).collect();
    if let Ok(found) = cpu.reduce(op, groups(&elements(&ids), &arrow, count)) {
        let of = |group: usize| {
            let pairs = ids.iter().zip(x).filter(move |&(&id, _)| id == Some(group as u32));
            alone(op, pairs.map(|(_, &x)| x))
        };
        let expected: Vec<_> = (0..count).map(of).collect();
        assert_eq!(texts(found), expected);
        let ids = [elements(&ids[..at]), elements(&ids[at..])];
        if ranks == 2 {
            on_all(op, |rank| groups(&ids[rank], &pieces[rank], count), 2, &expected);
        }
    }
    scans(op, input, of_rank);
}

/// The outputs of a segment: between those of the elements that are there, the inclusive one of the last.
fn outputs<O: Op<f32, Out: Debug>>(
    op: O,
    x: &[Option<f32>],
    scan: Scan<O::Acc>,
    init: O::Acc,
) -> Vec<String> {
    let there: Vec<f32> = x.iter().copied().flatten().collect();
    let cpu = Cpu::new();
    let up_to = texts(cpu.scan(op, &there, Scan::inclusive().from(init, 1)).expect("valid"));
    let outs = texts(cpu.scan(op, &there, scan).expect("valid"));
    let (mut seen, mut last) = (0, format!("{:?}", O::finish(init, 1)));
    let output = |x: &Option<f32>| {
        if x.is_none() {
            return last.clone();
        }
        last.clone_from(&up_to[seen]);
        seen += 1;
        outs[seen - 1].clone()
    };
    x.iter().map(output).collect()
}

fn scans<O: Op<f32, Out: Debug>>(op: O, input: &Input, of_rank: &[Elements<'_, f32>]) {
    let (cpu, x, init) = (Cpu::new(), &input.x[..], op.lift(2.5, 0));
    let scan = if input.is_exclusive { Scan::exclusive() } else { Scan::inclusive() }.from(init, 1);
    let array = elements(x);
    let expected = outputs(op, x, scan, init);
    assert_eq!(texts(cpu.scan(op, &array, scan).expect("valid")), expected);
    let found =
        on_ranks(of_rank.len(), |world| texts(world.scan(op, &of_rank[world.rank()], scan).expect("valid")));
    assert_eq!(found.concat(), expected);
    let offsets: Elements<'_, u32> = input.offsets.iter().map(|end| end.map(u32::from)).collect();
    if let Ok(found) = cpu.scan(op, segments(&array, &offsets), scan) {
        let ends: Vec<usize> = input.offsets.iter().map(|end| end.expect("none is missing").into()).collect();
        let mut expected = vec![format!("{:?}", O::finish(O::IDENTITY, 0)); x.len()];
        for at in ends.windows(2) {
            expected[at[0]..at[1]].clone_from_slice(&outputs(op, &x[at[0]..at[1]], scan, init));
        }
        assert_eq!(texts(found), expected);
        let found = on_ranks(of_rank.len(), |world| {
            let part = segments(&of_rank[world.rank()], &offsets);
            texts(world.scan(op, part, scan).expect("valid"))
        });
        assert_eq!(found.concat(), expected);
    }
}

fn pairs(input: &Input) {
    let (cpu, x, y) = (Cpu::new(), &input.x[..], &input.y[..]);
    let found = cpu.reduce((Dot, WeightedMean), zip(&elements(x), &Float32Array::from(y.to_vec())));
    assert_eq!(found.is_ok(), x.len() == y.len());
    if let Ok(found) = found {
        let both: Vec<[f32; 2]> = x.iter().zip(y).filter_map(|(x, y)| Some([(*x)?, (*y)?])).collect();
        let expected = reference::reduce_by((Dot, WeightedMean), &both);
        assert_eq!(format!("{found:?}"), format!("{expected:?}"));
    }
    let found = cpu.compact_by_flags(&elements(&input.flags), &elements(x));
    assert_eq!(found.is_ok(), x.len() == input.flags.len());
    if let Ok(found) = found {
        let kept = x.iter().zip(&input.flags).filter(|&(_, &flag)| flag == Some(true));
        let kept: Vec<u32> = kept.filter_map(|(x, _)| x.map(f32::to_bits)).collect();
        assert!(found.into_iter().map(f32::to_bits).eq(kept));
    }
    let acc = cpu.fold(Mean, &elements(x)).expect("valid");
    let there: Vec<f32> = x.iter().copied().flatten().collect();
    let none = elements(&[None::<f32>; 3]);
    let found = cpu.reduce(Mean, after_fold(acc, there.len() as u64, &none)).expect("valid");
    assert_eq!(format!("{found:?}"), alone(Mean, x.to_vec()));
}

/// Verbs that return places, over ranks, and those that take the elements alone.
fn places(input: &Input) {
    let x = &input.x[..];
    let at = usize::from(input.cut.unwrap_or(0)).min(x.len());
    let pieces = [elements(&x[..at]), elements(&x[at..])];
    let mut sorted: Vec<u64> = (0..).zip(x).filter_map(|(at, x)| x.map(|_| at)).collect();
    sorted.sort_by_key(|&at| x[at as usize].map(TotalOrder::rank));
    let found = on_ranks(2, |world| world.argsort(&pieces[world.rank()], Order::Ascending).expect("valid"));
    assert_eq!(found.concat(), sorted);
    let k = usize::from(input.len);
    for found in on_ranks(2, |world| world.bottom_k(&pieces[world.rank()], k)) {
        assert_eq!(found.is_ok(), k <= sorted.len());
        let found = found.map_or(Vec::new(), |found| found.iter().map(|at| at.index).collect());
        assert!(found.is_empty() && k > sorted.len() || found == sorted[..k]);
    }
    let positive: Vec<f32> = x.iter().copied().flatten().filter(|&x| x > 0.0).collect();
    let found = on_ranks(2, |world| world.compact(above(0.0), &pieces[world.rank()]).expect("valid"));
    assert_eq!(found.concat(), positive);
}
