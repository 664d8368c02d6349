//! `bench segments`: f32 Sum of segments between offsets, against CUB's segmented sums, with mixes of lengths
//! from all equal to a few very long ones among many short ones.

use warpfold::elements::IndexType;
use warpfold::{Cpu, DeviceSlice, Element, Sum, segments};

use super::cub::Cub;
use super::ground::{Ground, Peers, tables};
use super::mixes::Mixes;
use super::{Options, are_the_cpus, elements};
use crate::Outcome;

/// The command line of `bench segments`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    cub: Cub,
    #[command(flatten)]
    mixes: Mixes,
}

/// Measures every mix with offsets of both types, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    tables(&args.options, Peers { cub: Some(&args.cub), python: None }, |ground| {
        for mix in args.mixes.wanted() {
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
    let Some(peer) = &ground.peer else { return Ok(()) };
    let (function, what) = (format!("peer_segments_{kind}"), [count as u64, there.as_device_ptr()]);
    // SAFETY: peers/segments.cu declares every function with such a name with this type; the offsets
    // are of its type, one more than segments, and the last of them is the number of elements.
    unsafe { peer.sums(ground, (&function, "CUB"), case, (x.as_device_ptr(), what), right) }
}
