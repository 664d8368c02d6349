//! `bench scan-segments`: running sums of f32 within each segment between offsets, against CUB's scan by key,
//! with a key of 4 bytes for each element; making the keys is not timed.

use warpfold::{Cpu, Scan, Sum, segments};

use super::cub::Cub;
use super::mixes::Mixes;
use super::table::{Case, OURS, report};
use super::{Options, agree, are_the_cpus, elements, ground};
use crate::{Outcome, machine::Machine};

/// The command line of `bench scan-segments`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    cub: Cub,
    #[command(flatten)]
    mixes: Mixes,
}

/// Measures every mix, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    println!("{}", Machine::here());
    let (mut cases, mut figures) = (Vec::new(), Vec::new());
    let peak = ground::on_device(&args.options, |ground| {
        let peer = args.cub.load()?;
        for mix in args.mixes.wanted() {
            let offsets = mix.offsets();
            let n = offsets.last().map_or(0, |&end| end as usize);
            let case = Case {
                name: mix.name.to_owned(),
                bytes: (2 * size_of::<f32>() * n + size_of_val(offsets.as_slice())) as u64,
            };
            let x = elements(n);
            let (there, offsets_there) = (ground.cuda.upload(&x)?, ground.cuda.upload(&offsets)?);
            let mut sums = ground.cuda.values::<f32>(n)?;
            figures.push(ground.on_device(OURS.to_owned(), &case, &mut || {
                let input = segments(&there, &offsets_there);
                Ok(ground.stream.scan_into(Sum, input, &mut sums, Scan::inclusive())?)
            })?);
            let found = sums.to_vec()?;
            let mut right = vec![0.0; n];
            Cpu::new().scan_into(Sum, segments(&x, &offsets), &mut right, Scan::inclusive())?;
            are_the_cpus(&case.name, &found, &right)?;
            if let Some(peer) = &peer {
                let keys = ground.cuda.upload(&keys(&offsets))?;
                let (who, what) = (("peer_scan_by_key_f32", "CUB, by key"), [n as u64, keys.as_device_ptr()]);
                // SAFETY: peers/scan.cu declares the function with this type; the array has the elements, and
                // there is a key for each.
                let (figure, theirs) =
                    unsafe { peer.outputs::<f32>(ground, who, &case, there.as_device_ptr(), what, n) }?;
                agree(&format!("CUB, {}", case.name), &found, &theirs)?;
                figures.push(figure);
            }
            cases.push(case);
        }
        Ok(())
    })?;
    report("mix", &cases, &figures, peak);
    Ok(())
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
    fn every_element_has_its_segment() {
        assert_eq!(keys(&[0, 2, 2, 5]), [0, 0, 2, 2, 2]);
        assert!(keys(&[0]).is_empty());
    }
}
