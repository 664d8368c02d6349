//! `bench scan-segments`: running sums of f32 within each segment between offsets, against CUB's scan by key,
//! with a key of 4 bytes for each element; making the keys is not timed.

use warpfold::{Cpu, Scan, Sum, segments};

use super::cub::Cub;
use super::ground::{Peers, tables};
use super::mixes::Mixes;
use super::{Options, are_the_cpus, elements};
use crate::Outcome;

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
    tables(&args.options, Peers { cub: Some(&args.cub), python: None }, |ground| {
        for mix in args.mixes.wanted() {
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
            let found = sums.to_vec()?;
            let mut right = vec![0.0; n];
            Cpu::new().scan_into(Sum, segments(&x, &offsets), &mut right, Scan::inclusive())?;
            are_the_cpus(mix.name, &found, &right)?;
            let Some(peer) = &ground.peer else { continue };
            let keys = ground.cuda.upload(&keys(&offsets))?;
            let from = (there.as_device_ptr(), [n as u64, keys.as_device_ptr()]);
            // SAFETY: peers/scan.cu declares the function with this type; the array has the elements, and
            // there is a key for each.
            unsafe { peer.sums(ground, ("peer_scan_by_key_f32", "CUB, by key"), case, from, &found) }?;
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
    fn every_element_has_its_segment() {
        assert_eq!(keys(&[0, 2, 2, 5]), [0, 0, 2, 2, 2]);
        assert!(keys(&[0]).is_empty());
    }
}
