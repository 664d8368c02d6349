//! `bench select`: the greatest few and the median of f32, against PyTorch, and CUB's radix sort, which gives
//! them too. Ours waits for its results, so all but CUB are timed by the host's clock, from the call to the end
//! of the wait. Our results stay on the device, like PyTorch's; another row also copies them to the host.
//! For comparison, the table has one pass over all elements: their Max.

use warpfold::{Cpu, Max};

use super::ground::tables;
use super::table::OURS;
use super::{Options, are_the_cpus, elements};
use crate::Outcome;

/// The command line of `bench select`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Number of elements, as a power of 2.
    #[arg(long, default_value_t = 28, value_parser = clap::value_parser!(u32).range(1..=31))]
    log2: u32,
    /// Numbers of greatest elements.
    #[arg(long, value_delimiter = ',', default_value = "1,100,65536")]
    ks: Vec<usize>,
}

/// Measures every number of greatest elements, the median and one pass, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    let n = 1usize << args.log2;
    let ks: Vec<usize> = args.ks.iter().copied().filter(|&k| k <= n).collect();
    let name = |what: &dyn std::fmt::Display| format!("{n}/{what}");
    let names = ks.iter().map(|k| name(k)).chain([name(&"median")]).collect();
    tables(&args.options, Some(("select", names)), |ground| {
        let case = |name: &str| ground.case("elements / first", name, n * size_of::<f32>());
        let x = elements(n);
        let device = ground.cuda.upload(&x)?;
        let mut greatest = Vec::new();
        for &k in &ks {
            let mut found = None;
            ground.on_host(OURS, case(&name(&k)), &mut || {
                found = Some(ground.cuda.top_k(&device, k)?);
                Ok(())
            })?;
            let (values, indices) = found.ok_or("nothing was selected")?;
            let right = Cpu::new().top_k(&x, k)?;
            greatest = right.iter().map(|at| at.value).collect();
            are_the_cpus(&name(&k), &values.to_vec()?, &greatest)?;
            let right: Vec<u64> = right.iter().map(|at| at.index).collect();
            are_the_cpus(&format!("{}, indices", name(&k)), &indices.to_vec()?, &right)?;
        }
        let (median, mut found) = (case(&name(&"median")), 0.0);
        ground.on_host(OURS, median, &mut || {
            found = ground.cuda.median(&device)?;
            Ok(())
        })?;
        are_the_cpus(&name(&"median"), &[found], &[Cpu::new().median(&x)?])?;
        ground.on_host(OURS, case(&name(&"Max")), &mut || {
            ground.cuda.reduce(Max, &device)?;
            Ok(())
        })?;
        let (function, from) =
            (("peer_radix_sort_f32", "CUB radix sort"), (device.as_device_ptr(), [n as u64, 0]));
        let check = |sorted: &[f32]| {
            let theirs: Vec<f32> = sorted.iter().copied().rev().take(greatest.len()).collect();
            are_the_cpus("CUB radix sort", &theirs, &greatest)
        };
        // SAFETY: peers/sort.cu declares the function; the array stays until the stream has settled.
        unsafe { ground.theirs(function, median, from, n, check) }
    })
}
