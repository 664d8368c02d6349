//! `bench segments`: f32 Sum of segments between offsets, against CUB's segmented sums, at mixes of lengths from all alike to
//! a few very long ones beside many short ones.

use warpfold::{Cpu, DeviceResults, DeviceSlice, Element, IndexType, Stream, Sum};

use super::cub::{Cub, Peer};
use super::ground::{self, Ground};
use super::table::{Case, Figure, OURS, report};
use super::{Options, are_the_cpus, elements, random};
use crate::{Outcome, machine::Machine};

/// The command line of `bench segments`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    cub: Cub,
    /// Mixes of lengths; all unless given.
    #[arg(long, value_delimiter = ',', value_parser = MIXES.map(|mix| mix.name))]
    mixes: Vec<String>,
}

/// A mix of lengths.
struct Mix {
    name: &'static str,
    lens: fn() -> Vec<usize>,
}

/// A power law's greatest length.
const LONGEST: f64 = (1 << 24) as f64;

const MIXES: [Mix; 6] = [
    Mix { name: "threes", lens: || vec![3; 1 << 24] },
    Mix { name: "to-128", lens: || uniform(1 << 22, 128) },
    Mix { name: "to-8192", lens: || uniform(1 << 16, 8192) },
    Mix { name: "giant", lens: || [vec![3; 1 << 19], vec![1 << 28], vec![3; 1 << 19]].concat() },
    Mix { name: "power-law", lens: || power_law(1 << 28) },
    Mix { name: "alike", lens: || vec![1 << 14; 1 << 14] },
];

/// `count` lengths, each of 0 to `most` as likely as another.
fn uniform(count: usize, most: usize) -> Vec<usize> {
    (0..count as u64).map(|i| (fraction(i) * (most + 1) as f64) as usize).collect()
}

/// Lengths of at least 16, of which those of `x` or more are to those of 16 or more as `x / 16` to the power of -1.2 to 1, as
/// far as `elements` go: 2 or 3 million for 2^28, half of which have at most 28 elements.
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

/// Measures every mix by offsets of both types, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    println!("{}", Machine::here());
    let is_wanted = |mix: &Mix| args.mixes.is_empty() || args.mixes.iter().any(|name| name == mix.name);
    let (mut cases, mut figures) = (Vec::new(), Vec::new());
    ground::on_device(&args.options, |ground| {
        let peer = args.cub.load()?;
        for mix in MIXES.iter().filter(|mix| is_wanted(mix)) {
            let offsets = offsets(&(mix.lens)());
            let x = elements(offsets.last().map_or(0, |&end| end as usize));
            let device = ground.cuda.upload(&x)?;
            let right = Cpu::new().reduce_segments::<f32, Sum, i64>(&x, &offsets)?;
            let short = offsets.iter().map(|&offset| i32::try_from(offset)).collect::<Result<Vec<_>, _>>()?;
            let it =
                Segments { ground, peer: peer.as_ref(), mix: mix.name, x: device.as_slice(), right: &right };
            it.measure("i64", &offsets, &mut cases, &mut figures)?;
            it.measure("i32", &short, &mut cases, &mut figures)?;
        }
        Ok(())
    })?;
    report("mix, offsets", &cases, &figures);
    Ok(())
}

/// Where the segments begin, and where the last one ends.
fn offsets(lens: &[usize]) -> Vec<i64> {
    let mut end = 0;
    let ends = lens.iter().map(|&len| {
        end += len as i64;
        end
    });
    [0].into_iter().chain(ends).collect()
}

/// One mix on the device, and its right sums.
struct Segments<'a> {
    ground: &'a Ground<'a>,
    peer: Option<&'a Peer>,
    mix: &'static str,
    x: DeviceSlice<'a, f32>,
    right: &'a [f32],
}

impl Segments<'_> {
    /// Ours and CUB's by offsets of one type.
    fn measure<I: Element + IndexType>(
        &self,
        kind: &str,
        offsets: &[I],
        cases: &mut Vec<Case>,
        figures: &mut Vec<Figure>,
    ) -> Outcome<()> {
        let (ground, count) = (self.ground, self.right.len());
        let bytes = size_of::<f32>() * (self.x.len() + count) + size_of_val(offsets);
        let case = Case { name: format!("{}, {kind}", self.mix), bytes: bytes as u64 };
        let there = ground.cuda.upload(offsets)?;
        let mut sums = ground.cuda.results::<f32, Sum>(count)?;
        figures.push(ground.on_device(OURS.to_owned(), &case, &mut || {
            ours(ground.stream, &self.x, &there.as_slice(), &mut sums)
        })?);
        are_the_cpus(&case.name, &sums.get()?, self.right)?;
        if let Some(peer) = self.peer {
            let (name, what) = (format!("peer_segments_{kind}"), [count as u64, there.as_device_ptr()]);
            let from = self.x.as_device_ptr();
            // SAFETY: peers/segments.cu declares every function of such a name so; the offsets are of its type, one more
            // than segments, and the last of them is the number of elements.
            let figure = unsafe { peer.figure(ground, (&name, "CUB"), &case, from, what, self.right) };
            figures.push(figure?);
        }
        cases.push(case);
        Ok(())
    }
}

/// Our sums.
fn ours<I: Element + IndexType>(
    stream: &Stream,
    x: &DeviceSlice<'_, f32>,
    offsets: &DeviceSlice<'_, I>,
    sums: &mut DeviceResults<f32, Sum>,
) -> Outcome<()> {
    Ok(stream.reduce_segments_into(x, offsets, sums)?)
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
}
