//! `bench scan`: running sums of f32 and of i32 (which wrap), against CUB.

use warpfold::{Cpu, Scan, Sum, SumIn};

use super::ground::tables;
use super::{Options, agree, are_the_cpus, elements};
use crate::Outcome;

/// The command line of `bench scan`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Numbers of elements, as powers of 2.
    #[arg(long, value_delimiter = ',', default_value = "16,20,24,28", value_parser = clap::value_parser!(u32).range(1..=32))]
    log2: Vec<u32>,
}

/// Measures every number of elements, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    tables(&args.options, None, |ground| {
        let most = args.log2.iter().max().map_or(0, |&log2| 1_usize << log2);
        let floats = elements(most);
        let integers: Vec<i32> = floats.iter().map(|x| x.to_bits().cast_signed()).collect();
        let (floats_there, integers_there) = (ground.cuda.upload(&floats)?, ground.cuda.upload(&integers)?);
        for &log2 in &args.log2 {
            let n = 1_usize << log2;
            let name = format!("2^{log2} f32");
            let case = ground.case("elements", &name, 8 << log2);
            let (x, mut sums) = (floats_there.slice(..n)?, ground.cuda.values::<f32>(n)?);
            ground
                .ours(case, &mut || Ok(ground.stream.scan_into(Sum, x, &mut sums, Scan::inclusive())?))?;
            let found = sums.to_vec()?;
            are_the_cpus(&name, &found, &Cpu::new().scan(Sum, &floats[..n], Scan::inclusive())?)?;
            let (from, check) =
                ((x.as_device_ptr(), [n as u64, 0]), |theirs: &[f32]| agree("CUB", &found, theirs));
            // SAFETY: peers/scan.cu declares the function; the slice has the elements.
            unsafe { ground.theirs(("peer_scan_f32", "CUB"), case, from, n, check) }?;
            let name = format!("2^{log2} i32");
            let case = ground.case("elements", &name, 8 << log2);
            let (x, mut sums) = (integers_there.slice(..n)?, ground.cuda.values::<i32>(n)?);
            let op = SumIn::<i32>::default();
            ground.ours(case, &mut || Ok(ground.stream.scan_into(op, x, &mut sums, Scan::inclusive())?))?;
            let right = Cpu::new().scan(op, &integers[..n], Scan::inclusive())?;
            are_the_cpus(&name, &sums.to_vec()?, &right)?;
            let from = (x.as_device_ptr(), [n as u64, 0]);
            let check = |theirs: &[i32]| are_the_cpus(&format!("CUB, {name}"), theirs, &right);
            // SAFETY: as above.
            unsafe { ground.theirs(("peer_scan_i32", "CUB"), case, from, n, check) }?;
        }
        Ok(())
    })
}
