//! `bench select`: the greatest few and the median of f32, against PyTorch, and CUB's radix sort, which gives
//! them too. Ours waits for its results, so all but CUB are timed by the host's clock, from the call to the end
//! of the wait. Our results stay on the device, like PyTorch's; another row also copies them to the host.
//! For comparison, the table has one pass over all elements: their Max.

use warpfold::{At, Cpu, Max};

use super::cub::Cub;
use super::ground;
use super::python::Python;
use super::table::{Case, OURS, report};
use super::{Options, elements};
use crate::{Outcome, machine::Machine};

/// The command line of `bench select`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    cub: Cub,
    #[command(flatten)]
    python: Python,
    /// Number of elements, as a power of 2.
    #[arg(long, default_value_t = 28, value_parser = clap::value_parser!(u32).range(1..=31))]
    log2: u32,
    /// Numbers of greatest elements.
    #[arg(long, value_delimiter = ',', default_value = "1,100,65536")]
    ks: Vec<usize>,
}

/// Measures every number of greatest elements, the median and one pass, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    println!("{}", Machine::here());
    let n = 1usize << args.log2;
    let case = |what: &str| Case { name: format!("{n}/{what}"), bytes: (n * size_of::<f32>()) as u64 };
    let ks: Vec<usize> = args.ks.iter().copied().filter(|&k| k <= n).collect();
    let of_k: Vec<_> = ks.iter().map(|k| case(&k.to_string())).collect();
    let [median, one_look] = ["median", "Max"].map(case);
    let mut names: Vec<_> = of_k.iter().map(|case| case.name.clone()).collect();
    names.push(median.name.clone());
    let mut figures = args.python.figures("select", args.options.trials, &names)?;
    let peak = ground::on_device(&args.options, |ground| {
        let peer = args.cub.load()?;
        let x = elements(n);
        let device = ground.cuda.upload(&x)?;
        let mut greatest = Vec::new();
        for (&k, case) in ks.iter().zip(&of_k) {
            let mut found = None;
            figures.push(ground.on_host(OURS.to_owned(), case, &mut || {
                found = Some(ground.cuda.top_k(&device, k)?);
                Ok(())
            })?);
            if let Some((values, indices)) = found {
                let pairs = indices.to_vec()?.into_iter().zip(values.to_vec()?);
                greatest = pairs.map(|(index, value)| At { index, value }).collect();
            }
            are_right(&case.name, &greatest, &Cpu::new().top_k(&x, k)?)?;
        }
        let mut found = 0.0;
        figures.push(ground.on_host(OURS.to_owned(), &median, &mut || {
            found = ground.cuda.median(&device)?;
            Ok(())
        })?);
        if found.to_bits() != Cpu::new().median(&x)?.to_bits() {
            return Err(format!("{found} is not the CPU's median").into());
        }
        figures.push(ground.on_host(OURS.to_owned(), &one_look, &mut || {
            ground.cuda.reduce(Max, &device)?;
            Ok(())
        })?);
        if let Some(peer) = &peer {
            let from = device.as_device_ptr();
            // SAFETY: peers/sort.cu declares the function with this type; the array stays until the stream has
            // settled.
            let (figure, sorted) = unsafe {
                let name = ("peer_radix_sort_f32", "CUB radix sort");
                peer.outputs::<f32>(ground, name, &median, from, [n as u64, 0], n)
            }?;
            let ours = greatest.iter().map(|at| at.value.to_bits());
            if !ours.eq(sorted.iter().rev().take(greatest.len()).map(|x| x.to_bits())) {
                return Err("CUB's greatest elements are others".into());
            }
            figures.push(figure);
        }
        Ok(())
    })?;
    let cases: Vec<_> = of_k.into_iter().chain([median, one_look]).collect();
    report("elements / first", &cases, &figures, peak);
    Ok(())
}

/// Fails unless the elements found are those of the CPU.
fn are_right(case: &str, found: &[At<f32>], right: &[At<f32>]) -> Outcome<()> {
    let bits = |at: &At<f32>| (at.index, at.value.to_bits());
    if found.iter().map(bits).eq(right.iter().map(bits)) {
        return Ok(());
    }
    Err(format!("{case}: other elements than the CPU's").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_elements_are_found() {
        let at = |index, value| At { index, value };
        assert!(are_right("a case", &[at(3, -0.0)], &[at(3, -0.0)]).is_ok());
        for other in [at(2, -0.0), at(3, 0.0)] {
            assert!(are_right("a case", &[other], &[at(3, -0.0)]).is_err());
        }
        assert!(are_right("a case", &[], &[at(3, -0.0)]).is_err());
    }
}
