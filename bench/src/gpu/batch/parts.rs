//! `bench parts`: sorts, pairs, first elements, medians and running sums of rows of f32, and sorts of segments of mixed lengths.
//! Medians wait, and are timed by the host's clock. No library has the same order for all of these, so there are no peers; figures of
//! PyTorch and CUB on one H100 are in docs/performance/moves.md.

use warpfold::{Cpu, Order, Scan, Sum, chunks, rows, segments};

use super::ground::{Ground, tables};
use super::table::OURS;
use super::{Options, are_the_cpus, elements, random};
use crate::Outcome;

/// The command line of `bench parts`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Number of elements, as a power of 2.
    #[arg(long, default_value_t = 26, value_parser = clap::value_parser!(u32).range(1..=30))]
    log2: u32,
    /// Lengths of rows.
    #[arg(long, value_delimiter = ',', default_value = "16,256,4096,65536,4194304")]
    lens: Vec<usize>,
    /// First elements of rows: rows x columns x elements of each row.
    #[arg(long, value_delimiter = ',', default_value = GOALS, value_parser = firsts_of)]
    first: Vec<[usize; 3]>,
    /// Measure first elements of rows alone.
    #[arg(long)]
    only_first: bool,
}

/// The shapes for which there are goals, and a few between them.
const GOALS: &str = "1024x128256x50,1024x128256x2048,64x128256x50,4096x65536x128,65536x4096x8,65536x4096x50,\
    1048576x256x8,16777216x16x8,8x33554432x50";

/// Reads a shape and a number of first elements.
fn firsts_of(text: &str) -> Result<[usize; 3], String> {
    let numbers: Vec<usize> = text.split('x').filter_map(|number| number.parse().ok()).collect();
    match <[usize; 3]>::try_from(numbers) {
        Ok([rows, columns, k]) if rows > 0 && k > 0 && k <= columns => Ok([rows, columns, k]),
        _ => Err(format!("`{text}` is not rows x columns x k, with k up to the columns")),
    }
}

/// Mixes of segments: a name, and the length of segment `i` as long as there are elements.
type Mix = (&'static str, fn(usize) -> usize);

const MIXES: [Mix; 4] = [
    ("0 to 20", |i| random(i as u64) as usize % 21),
    ("0 to 2000", |i| random(i as u64) as usize % 2001),
    ("0 to 100000", |i| random(i as u64) as usize % 100_001),
    ("tens, then one giant", |i| if i < 100_000 { 10 } else { usize::MAX }),
];

/// Measures every length of rows and every mix, and prints tables.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    tables(&args.options, None, |ground| {
        for &first in &args.first {
            firsts(ground, first)?;
        }
        if args.only_first {
            return Ok(());
        }
        let n = 1 << args.log2;
        let x: Vec<f32> = (0..n as u64).map(|i| (random(i) >> 40) as f32 - 8_000_000.0).collect();
        for &len in args.lens.iter().filter(|&&len| len > 0 && len <= n) {
            sorts(ground, &x, len)?;
            medians(ground, &x, len)?;
        }
        for &len in args.lens.iter().filter(|&&len| len > 0 && len <= n) {
            scans(ground, &elements(n), len)?;
        }
        MIXES.iter().try_for_each(|mix| of_segments(ground, &x, *mix))
    })
}

/// Sorts of keys, and of keys with their positions as values.
fn sorts(ground: &Ground<'_>, x: &[f32], len: usize) -> Outcome<()> {
    let (n, name) = (x.len(), format!("{} x {len}", x.len() / len));
    let device = ground.cuda.upload(x)?;
    let values: Vec<u32> = (0..n as u32).collect();
    let on_values = ground.cuda.upload(&values)?;
    let (mut out, mut moved) = (ground.cuda.values::<f32>(n)?, ground.cuda.values::<u32>(n)?);
    let (mut right, mut right_values) = (x.to_vec(), values);
    Cpu::new().sort_pairs(chunks(&mut right, len), &mut right_values, Order::Ascending)?;
    let case = ground.case("sorts of rows", &name, 2 * size_of_val(x));
    ground.ours(case, &mut || {
        Ok(ground.stream.sort_into(chunks(&device, len), &mut out, Order::Ascending)?)
    })?;
    are_the_cpus(&name, &out.to_vec()?, &right)?;
    let case = ground.case("pairs in rows", &name, 4 * size_of_val(x));
    ground.ours(case, &mut || {
        let (keys, order) = (chunks(&device, len), Order::Ascending);
        Ok(ground.stream.sort_pairs_into(keys, &on_values, &mut out, &mut moved, order)?)
    })?;
    are_the_cpus(&name, &out.to_vec()?, &right)?;
    are_the_cpus(&name, &moved.to_vec()?, &right_values)
}

/// The first elements of each row.
fn firsts(ground: &Ground<'_>, [count, len, k]: [usize; 3]) -> Outcome<()> {
    let name = format!("{count} x {len}, k = {k}");
    let x: Vec<f32> = (0..(count * len) as u64).map(|i| (random(i) >> 40) as f32 - 8_000_000.0).collect();
    let (device, stream) = (ground.cuda.upload(&x)?, ground.stream);
    let (mut values, mut indices) =
        (ground.cuda.values::<f32>(count * k)?, ground.cuda.values::<u64>(count * k)?);
    let case = ground.case("first of rows", &name, size_of_val(&x[..]));
    ground.ours(case, &mut || {
        Ok(stream.top_k_into(rows(&device, [count, len]), k, &mut values, &mut indices)?)
    })?;
    let right = Cpu::new().top_k(rows(&x, [count, len]), k)?;
    let of_right: Vec<f32> = right.iter().map(|at| at.value).collect();
    are_the_cpus(&name, &values.to_vec()?, &of_right)?;
    let of_right: Vec<u64> = right.iter().map(|at| at.index).collect();
    are_the_cpus(&name, &indices.to_vec()?, &of_right)
}

/// The median of each row.
fn medians(ground: &Ground<'_>, x: &[f32], len: usize) -> Outcome<()> {
    let shape = [x.len() / len, len];
    let x = &x[..shape[0] * len];
    let device = ground.cuda.upload(x)?;
    let name = format!("{} x {len}", shape[0]);
    let (case, mut found) = (ground.case("medians of rows", &name, size_of_val(x)), Vec::new());
    ground.on_host(OURS, case, &mut || {
        found = ground.cuda.median(rows(&device, shape))?;
        Ok(())
    })?;
    are_the_cpus(&name, &found, &Cpu::new().median(rows(x, shape))?)
}

/// Running sums.
fn scans(ground: &Ground<'_>, x: &[f32], len: usize) -> Outcome<()> {
    let name = format!("{} x {len}", x.len() / len);
    let (device, mut sums) = (ground.cuda.upload(x)?, ground.cuda.values::<f32>(x.len())?);
    let case = ground.case("running sums of rows", &name, 2 * size_of_val(x));
    ground.ours(case, &mut || {
        Ok(ground.stream.scan_into(Sum, chunks(&device, len), &mut sums, Scan::inclusive())?)
    })?;
    are_the_cpus(&name, &sums.to_vec()?, &Cpu::new().scan(Sum, chunks(x, len), Scan::inclusive())?)
}

/// Sorts of segments.
fn of_segments(ground: &Ground<'_>, x: &[f32], (name, len): Mix) -> Outcome<()> {
    let offsets = offsets(x.len(), len);
    let (device, on_device) = (ground.cuda.upload(x)?, ground.cuda.upload(&offsets)?);
    let mut out = ground.cuda.values::<f32>(x.len())?;
    let case = ground.case("sorts of segments", name, 2 * size_of_val(x) + size_of_val(&offsets[..]));
    ground.ours(case, &mut || {
        Ok(ground.stream.sort_into(segments(&device, &on_device), &mut out, Order::Ascending)?)
    })?;
    let mut right = x.to_vec();
    Cpu::new().sort(segments(&mut right, &offsets), Order::Ascending)?;
    are_the_cpus(name, &out.to_vec()?, &right)
}

/// The start of each segment, and the end of the last, which has what is left of `n` elements.
fn offsets(n: usize, len: fn(usize) -> usize) -> Vec<u64> {
    let mut offsets = vec![0];
    let mut end = 0;
    while end < n {
        end = n.min(end.saturating_add(len(offsets.len() - 1)));
        offsets.push(end as u64);
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read() {
        let goals: Result<Vec<_>, _> = GOALS.split(',').map(firsts_of).collect();
        assert!(goals.is_ok_and(|goals| goals.contains(&[64, 128_256, 50])));
        assert!(firsts_of("3x2x4").is_err() && firsts_of("3x2").is_err());
    }

    #[test]
    fn segments_have_all_elements() {
        assert_eq!(offsets(7, |_| 3), [0, 3, 6, 7]);
        for (name, len) in MIXES {
            let offsets = offsets(1 << 21, len);
            assert_eq!((offsets[0], offsets[offsets.len() - 1]), (0, 1 << 21), "{name}");
            assert!(offsets.is_sorted(), "{name}");
        }
    }
}
