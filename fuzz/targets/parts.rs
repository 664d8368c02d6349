//! Rows, columns, chunks, segments, runs and groups of any description: refused, or equal to the reduction of
//! each part alone.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use warpfold::{Cpu, Sum, chunks, columns, groups, reference, rows, runs, segments};

#[derive(Arbitrary, Debug)]
struct Input {
    x: Vec<f32>,
    shape: [u8; 2],
    len: usize,
    offsets: Vec<i32>,
    ids: Vec<i32>,
    groups: u8,
    keys: Vec<u8>,
    /// A length or an offset far out of range.
    far: Option<usize>,
}

fuzz_target!(|input: Input| {
    let Input { x, shape, len, offsets, ids, groups: count, keys, far } = input;
    let cpu = Cpu::new();
    let sum = |x: &[f32]| bits(reference::reduce::<f32, Sum>(x));
    let all = |x: Vec<f32>| x.into_iter().map(bits).collect::<Vec<_>>();

    let [r, c] = shape.map(usize::from);
    if let Ok(found) = cpu.reduce(Sum, rows(&x, [r, c])) {
        let row = |row: usize| sum(&x[row * c..row * c + c]);
        assert_eq!(all(found), (0..r).map(row).collect::<Vec<_>>());
    }
    if let Ok(found) = cpu.reduce(Sum, columns(&x, [r, c])) {
        let column = |column: usize| (0..r).map(|row| x[row * c + column]).collect::<Vec<_>>();
        assert_eq!(all(found), (0..c).map(|at| sum(&column(at))).collect::<Vec<_>>());
    }
    // Without elements there may be any number of results.
    if let Some(far) = far.filter(|_| !x.is_empty() && r > 0 && c > 0) {
        let _ = cpu.reduce(Sum, rows(&x, [far, c]));
        let _ = cpu.reduce(Sum, columns(&x, [r, far]));
        let _ = cpu.reduce(Sum, segments(&x, &[0, far as u64]));
    }
    if let Ok(found) = cpu.reduce(Sum, chunks(&x, len)) {
        assert_eq!(all(found), x.chunks(len).map(sum).collect::<Vec<_>>());
    }
    if let Ok(found) = cpu.reduce(Sum, segments(&x, &offsets)) {
        let pairs = offsets.windows(2).map(|pair| sum(&x[pair[0] as usize..pair[1] as usize]));
        assert_eq!(all(found), pairs.collect::<Vec<_>>());
    }
    if let Ok((of_keys, found)) = cpu.reduce(Sum, runs(&keys, &x)) {
        let of_runs: Vec<_> = keys.chunk_by(|a, b| a == b).collect();
        assert!(of_keys.into_iter().eq(of_runs.iter().map(|run| run[0])));
        let mut rest = &x[..];
        let sums =
            of_runs.iter().map(|run| sum(rest.split_off(..run.len()).expect("one key for each element")));
        assert_eq!(all(found), sums.collect::<Vec<_>>());
    }
    if let Ok(found) = cpu.reduce(Sum, groups(&ids, &x, count.into())) {
        let group =
            |group| ids.iter().zip(&x).filter(|&(&id, _)| id == group).map(|(_, &x)| x).collect::<Vec<_>>();
        assert_eq!(all(found), (0..count).map(|at| sum(&group(at.into()))).collect::<Vec<_>>());
    }
});

fn bits(x: f32) -> u32 {
    x.to_bits()
}
