//! `bench scan`: running sums of f32 and of i32 (which wrap), against CUB.

use warpfold::{Cpu, Scan, Sum, SumIn};

use super::cub::Cub;
use super::table::{Case, OURS, report};
use super::{Options, agree, are_the_cpus, elements, ground};
use crate::{Outcome, machine::Machine};

/// The command line of `bench scan`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    cub: Cub,
    /// Numbers of elements, as powers of 2.
    #[arg(long, value_delimiter = ',', default_value = "16,20,24,28", value_parser = clap::value_parser!(u32).range(1..=32))]
    log2: Vec<u32>,
}

/// Measures every number of elements, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    println!("{}", Machine::here());
    let case =
        |&(log2, element): &(u32, &str)| Case { name: format!("2^{log2} {element}"), bytes: 8 << log2 };
    let all: Vec<_> = args.log2.iter().flat_map(|&log2| [(log2, "f32"), (log2, "i32")]).collect();
    let cases: Vec<_> = all.iter().map(case).collect();
    let mut figures = Vec::new();
    let peak = ground::on_device(&args.options, |ground| {
        let peer = args.cub.load()?;
        let most = args.log2.iter().max().map_or(0, |&log2| 1_usize << log2);
        let floats = elements(most);
        let integers: Vec<i32> = floats.iter().map(|x| x.to_bits().cast_signed()).collect();
        let (floats_there, integers_there) = (ground.cuda.upload(&floats)?, ground.cuda.upload(&integers)?);
        for (&(log2, element), case) in all.iter().zip(&cases) {
            let n = 1_usize << log2;
            let name = format!("peer_scan_{element}");
            let (who, what) = ((name.as_str(), "CUB"), [n as u64, 0]);
            if element == "f32" {
                let x = floats_there.slice(..n)?;
                let mut sums = ground.cuda.values::<f32>(n)?;
                figures.push(ground.on_device(OURS.to_owned(), case, &mut || {
                    Ok(ground.stream.scan_into(Sum, x, &mut sums, Scan::inclusive())?)
                })?);
                let found = sums.to_vec()?;
                are_the_cpus(&case.name, &found, &Cpu::new().scan(Sum, &floats[..n], Scan::inclusive())?)?;
                let Some(peer) = &peer else { continue };
                // SAFETY: peers/scan.cu declares the function with this type; the slice has the elements.
                let (figure, theirs) =
                    unsafe { peer.outputs::<f32>(ground, who, case, x.as_device_ptr(), what, n) }?;
                agree(&format!("CUB, {}", case.name), &found, &theirs)?;
                figures.push(figure);
            } else {
                let x = integers_there.slice(..n)?;
                let mut sums = ground.cuda.values::<i32>(n)?;
                figures.push(ground.on_device(OURS.to_owned(), case, &mut || {
                    Ok(ground.stream.scan_into(SumIn::<i32>::default(), x, &mut sums, Scan::inclusive())?)
                })?);
                let right = Cpu::new().scan(SumIn::<i32>::default(), &integers[..n], Scan::inclusive())?;
                if sums.to_vec()? != right {
                    return Err(format!("{}: the sums differ from the CPU's", case.name).into());
                }
                let Some(peer) = &peer else { continue };
                // SAFETY: as above.
                let (figure, theirs) =
                    unsafe { peer.outputs::<i32>(ground, who, case, x.as_device_ptr(), what, n) }?;
                if theirs != right {
                    return Err(format!("CUB, {}: its sums differ from ours", case.name).into());
                }
                figures.push(figure);
            }
        }
        Ok(())
    })?;
    report("elements", &cases, &figures, peak);
    Ok(())
}
