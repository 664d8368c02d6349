//! `bench segments`: f32 Sum of segments between offsets, against CUB's segmented sums, with mixes of lengths
//! from all equal to a few very long ones among many short ones.

use warpfold::{Cpu, DeviceSlice, Element, IndexType, Sum, segments};

use super::cub::{Cub, Peer};
use super::ground::{self, Ground};
use super::mixes::Mixes;
use super::table::{Case, Figure, OURS, report};
use super::{Options, are_the_cpus, elements};
use crate::{Outcome, machine::Machine};

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
    println!("{}", Machine::here());
    let (mut cases, mut figures) = (Vec::new(), Vec::new());
    let peak = ground::on_device(&args.options, |ground| {
        let peer = args.cub.load()?;
        for mix in args.mixes.wanted() {
            let offsets = mix.offsets();
            let x = elements(offsets.last().map_or(0, |&end| end as usize));
            let device = ground.cuda.upload(&x)?;
            let right = Cpu::new().reduce(Sum, segments(&x, &offsets))?;
            let short = offsets.iter().map(|&offset| i32::try_from(offset)).collect::<Result<Vec<_>, _>>()?;
            let it =
                Segments { ground, peer: peer.as_ref(), mix: mix.name, x: device.as_slice(), right: &right };
            it.measure("i64", &offsets, &mut cases, &mut figures)?;
            it.measure("i32", &short, &mut cases, &mut figures)?;
        }
        Ok(())
    })?;
    report("mix, offsets", &cases, &figures, peak);
    Ok(())
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
    /// Times ours and CUB's with offsets of one type.
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
            Ok(ground.stream.reduce_into(Sum, segments(self.x, &there), &mut sums)?)
        })?);
        are_the_cpus(&case.name, &sums.to_vec()?, self.right)?;
        if let Some(peer) = self.peer {
            let (name, what) = (format!("peer_segments_{kind}"), [count as u64, there.as_device_ptr()]);
            let from = self.x.as_device_ptr();
            // SAFETY: peers/segments.cu declares every function with such a name with this type; the offsets
            // are of its type, one more than segments, and the last of them is the number of elements.
            let figure = unsafe { peer.figure(ground, (&name, "CUB"), &case, from, what, self.right) };
            figures.push(figure?);
        }
        cases.push(case);
        Ok(())
    }
}
