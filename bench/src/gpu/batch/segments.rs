//! `bench segments` and `scan-segments`: f32 Sum of segments between offsets, against CUB's segmented sums, and running sums within
//! each segment, against CUB's scan by key, with a key of 4 bytes for each element, whose making is not timed. The lengths of segments
//! are mixed, from all equal to a few very long ones among many short ones.

use warpfold::elements::IndexType;
use warpfold::{Cpu, DeviceSlice, Element, Scan, Sum, segments};

use super::ground::{Ground, tables};
use super::{Options, agree, are_the_cpus, elements, random};
use crate::Outcome;

/// The command line of `bench segments` and `scan-segments`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Mixes of lengths; all unless given.
    #[arg(long, value_delimiter = ',', value_parser = MIXES.each_ref().map(|mix| mix.name))]
    mixes: Vec<String>,
}

impl Args {
    /// The selected mixes.
    fn wanted(&self) -> impl Iterator<Item = &'static Mix> {
        MIXES.iter().filter(|mix| self.mixes.is_empty() || self.mixes.iter().any(|name| name == mix.name))
    }
}

/// A mix of lengths.
struct Mix {
    name: &'static str,
    lens: fn() -> Vec<usize>,
}

impl Mix {
    /// The start of each segment, and the end of the last.
    fn offsets(&self) -> Vec<i64> {
        offsets(&(self.lens)())
    }
}

/// The greatest length of the power law.
const LONGEST: f64 = (1 << 24) as f64;

static MIXES: [Mix; 6] = [
    Mix { name: "threes", lens: || vec![3; 1 << 24] },
    Mix { name: "to-128", lens: || uniform(1 << 22, 128) },
    Mix { name: "to-8192", lens: || uniform(1 << 16, 8192) },
    Mix { name: "giant", lens: || [vec![3; 1 << 19], vec![1 << 28], vec![3; 1 << 19]].concat() },
    Mix { name: "power-law", lens: || power_law(1 << 28) },
    Mix { name: "alike", lens: || vec![1 << 14; 1 << 14] },
];

/// `count` lengths, uniform from 0 to `most`.
fn uniform(count: usize, most: usize) -> Vec<usize> {
    (0..count as u64).map(|i| (fraction(i) * (most + 1) as f64) as usize).collect()
}

/// Lengths of at least 16 with a power law: the share of lengths of at least `x` is `x / 16` to the power of -1.2.
/// There are as many as `elements` allow: 2 or 3 million for 2^28. Half of them have at most 28 elements.
fn power_law(elements: usize) -> Vec<usize> {
    let lens = (0..).map(|i| (16.0 * (1.0 - fraction(i)).powf(-1.0 / 1.2)).min(LONGEST) as usize);
    lens.scan(elements, |left, len| {
        let len = len.min(*left);
        *left -= len;
        (len > 0).then_some(len)
    })
    .collect()
}

/// A number in [0, 1).
fn fraction(i: u64) -> f64 {
    (random(i) >> 11) as f64 / (1u64 << 53) as f64
}

/// The start of each segment, and the end of the last.
fn offsets(lens: &[usize]) -> Vec<i64> {
    let mut end = 0;
    let ends = lens.iter().map(|&len| {
        end += len as i64;
        end
    });
    [0].into_iter().chain(ends).collect()
}

/// Measures sums of every mix with offsets of both types, and prints a table.
pub(crate) fn sums(args: &Args) -> Outcome<()> {
    tables(&args.options, None, |ground| {
        for mix in args.wanted() {
            let offsets = mix.offsets();
            let x = elements(offsets.last().map_or(0, |&end| end as usize));
            let device = ground.cuda.upload(&x)?;
            let right = Cpu::new().reduce(Sum, segments(&x, &offsets))?;
            let short = offsets.iter().map(|&offset| i32::try_from(offset)).collect::<Result<Vec<_>, _>>()?;
            measure(ground, (mix.name, "i64"), device.as_slice(), &offsets, &right)?;
            measure(ground, (mix.name, "i32"), device.as_slice(), &short, &right)?;
        }
        Ok(())
    })
}

/// Times ours and CUB's with offsets of one type.
fn measure<I: Element + IndexType>(
    ground: &Ground<'_>,
    (mix, kind): (&str, &str),
    x: DeviceSlice<'_, f32>,
    offsets: &[I],
    right: &[f32],
) -> Outcome<()> {
    let (count, name) = (right.len(), format!("{mix}, {kind}"));
    let bytes = size_of::<f32>() * (x.len() + count) + size_of_val(offsets);
    let case = ground.case("mix, offsets", &name, bytes);
    let there = ground.cuda.upload(offsets)?;
    let mut sums = ground.cuda.results::<f32, Sum>(count)?;
    ground.ours(case, &mut || Ok(ground.stream.reduce_into(Sum, segments(x, &there), &mut sums)?))?;
    are_the_cpus(&name, &sums.to_vec()?, right)?;
    let (function, what) = (format!("peer_segments_{kind}"), [count as u64, there.as_device_ptr()]);
    let check = |theirs: &[f32]| agree("CUB", right, theirs);
    // SAFETY: peers/segments.cu declares every function with such a name; the offsets are of its type, one more than segments, and
    // the last of them is the number of elements.
    unsafe { ground.theirs((&function, "CUB"), case, (x.as_device_ptr(), what), count, check) }
}

/// Measures running sums of every mix, and prints a table.
pub(crate) fn running_sums(args: &Args) -> Outcome<()> {
    tables(&args.options, None, |ground| {
        for mix in args.wanted() {
            let offsets = mix.offsets();
            let n = offsets.last().map_or(0, |&end| end as usize);
            let case =
                ground.case("mix", mix.name, 2 * size_of::<f32>() * n + size_of_val(offsets.as_slice()));
            let x = elements(n);
            let (there, offsets_there) = (ground.cuda.upload(&x)?, ground.cuda.upload(&offsets)?);
            let mut sums = ground.cuda.values::<f32>(n)?;
            ground.ours(case, &mut || {
                let input = segments(&there, &offsets_there);
                Ok(ground.stream.scan_into(Sum, input, &mut sums, Scan::inclusive())?)
            })?;
            let right = Cpu::new().scan(Sum, segments(&x, &offsets), Scan::inclusive())?;
            are_the_cpus(mix.name, &sums.to_vec()?, &right)?;
            let keys = ground.cuda.upload(&keys(&offsets))?;
            let from = (there.as_device_ptr(), [n as u64, keys.as_device_ptr()]);
            let check = |theirs: &[f32]| agree("CUB, by key", &right, theirs);
            // SAFETY: peers/scan.cu declares the function; the array has the elements, and there is a key for each.
            unsafe { ground.theirs(("peer_scan_by_key_f32", "CUB, by key"), case, from, n, check) }?;
        }
        Ok(())
    })
}

/// The segment's number for each element.
fn keys(offsets: &[i64]) -> Vec<u32> {
    let segments = (0..).zip(offsets.iter().zip(&offsets[1..]));
    segments.flat_map(|(segment, (&begin, &end))| (begin..end).map(move |_| segment)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixes_are_what_they_are_called() {
        let mean = |lens: &[usize]| lens.iter().sum::<usize>() as f64 / lens.len() as f64;
        let lens = uniform(100_000, 128);
        assert!(lens.iter().all(|&len| len <= 128) && lens.contains(&0) && lens.contains(&128));
        assert!((mean(&lens) - 64.0).abs() < 1.0, "{}", mean(&lens));
        let lens = power_law(1 << 24);
        assert_eq!(lens.iter().sum::<usize>(), 1 << 24);
        let longer = |than: usize| lens.iter().filter(|&&len| len >= than).count() as f64;
        let tail = longer(1600) / longer(160);
        assert!((tail / 0.1f64.powf(1.2) - 1.0).abs() < 0.2, "{tail}");
        assert_eq!(offsets(&[3, 0, 4]), [0, 3, 3, 7]);
    }

    #[test]
    fn every_element_has_its_segment() {
        assert_eq!(keys(&[0, 2, 2, 5]), [0, 0, 2, 2, 2]);
        assert!(keys(&[0]).is_empty());
    }
}
