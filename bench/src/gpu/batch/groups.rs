//! `bench groups`: f32 `Sum`, i32 `SumIn<i32>` and f32 `Max` of elements in groups by id, in no order, against PyTorch's `index_add_` in its
//! default and in its deterministic mode, and its `scatter_reduce_`. Ours waits for the check of the ids, so all are timed by the host's
//! clock, from the call to the end of the wait for results on the device; then those that come to the host, and once more launch by launch.

use warpfold::kernels::RowsKernel;
use warpfold::{Cpu, Element, Max, Op, Sum, SumIn, groups, launch_times};

use super::ground::{Ground, tables};
use super::table::OURS;
use super::{Options, are_the_cpus, elements, random};
use crate::Outcome;

/// The command line of `bench groups`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Elements: 2 to the power of this many.
    #[arg(long, default_value_t = 28, value_parser = clap::value_parser!(u32).range(0..=32))]
    log2: u32,
    /// Numbers of groups.
    #[arg(long, value_delimiter = ',', default_value = "10,1000,1000000", value_parser = number)]
    groups: Vec<usize>,
}

fn number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(groups @ 1..=0x7fff_ffff) => Ok(groups),
        _ => Err(format!("`{text}` is no number of groups: give 1 to 2^31 - 1")),
    }
}

/// The group of element `i`: neighbours have nothing to do with each other.
fn id(i: u64, groups: usize) -> i64 {
    (((random(i) >> 32) * groups as u64) >> 32) as i64
}

/// What is folded, as cases name it behind their numbers.
const KINDS: [&str; 3] = ["", "/i32", "/max"];

/// Measures every number of groups, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    let n = 1usize << args.log2;
    let names = args.groups.iter().flat_map(|count| KINDS.map(|kind| format!("{n}/{count}{kind}")));
    tables(&args.options, Some(("groups", names.collect())), |ground| {
        let x = elements(n);
        let integers: Vec<i32> = (0..n as u64).map(|i| random(i) as i32).collect();
        for &count in &args.groups {
            let ids: Vec<i64> = (0..n as u64).map(|i| id(i, count)).collect();
            let [sums, of_integers, greatest] = KINDS.map(|kind| format!("{n}/{count}{kind}"));
            measure(ground, &sums, Sum, (&ids, &x, count), |&sum| sum.to_bits())?;
            measure(ground, &of_integers, SumIn::<i32>::default(), (&ids, &integers, count), |&sum| {
                sum as u32
            })?;
            measure(ground, &greatest, Max, (&ids, &x, count), |max| max.map_or(u32::MAX, f32::to_bits))?;
        }
        Ok(())
    })
}

/// Measures one case.
fn measure<T: Element, O: RowsKernel<T>>(
    ground: &Ground<'_>,
    name: &str,
    op: O,
    (ids, x, count): (&[i64], &[T], usize),
    bits: impl Fn(&<O as Op<T>>::Out) -> u32,
) -> Outcome<()> {
    let bytes = x.len() * (size_of::<T>() + size_of::<i64>()) + count * size_of::<O::Acc>();
    let case = ground.case("elements / groups", name, bytes);
    let (ids_there, there) = (ground.cuda.upload(ids)?, ground.cuda.upload(x)?);
    let mut out = ground.cuda.results::<T, O>(count)?;
    let mut call = || -> Outcome<()> {
        ground.stream.reduce_into(op, groups(&ids_there, &there, count), &mut out)?;
        Ok(ground.stream.synchronize()?)
    };
    ground.on_host(OURS, case, &mut call)?;
    let (measured, times) = launch_times(call)?;
    measured?;
    let mut on_host = Vec::new();
    ground.on_host(&format!("{OURS}, to the host"), case, &mut || {
        on_host = ground.cuda.reduce(op, groups(&ids_there, &there, count))?.to_vec()?;
        Ok(())
    })?;
    print_launches(name, &times);
    let bits = |all: Vec<O::Out>| all.iter().map(&bits).collect::<Vec<_>>();
    let right = bits(Cpu::new().reduce(op, groups(ids, x, count))?);
    are_the_cpus(name, &bits(out.to_vec()?), &right)?;
    are_the_cpus(&format!("{name}, to the host"), &bits(on_host), &right)
}

/// Prints what each launch took on the device, one after the other: together less than the call, which also waits, makes
/// results and finds memory.
fn print_launches(case: &str, times: &[(&str, f64)]) {
    println!("{case}, by launch, in ms:");
    for (name, time) in times {
        println!("  {time:8.4} {name}");
    }
    println!("  {:8.4} in all", times.iter().map(|(_, time)| time).sum::<f64>());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_its_share() {
        for groups in [1, 10, 1000] {
            let mut counts = vec![0; groups];
            (0..200 * groups as u64).for_each(|i| counts[id(i, groups) as usize] += 1);
            assert!(counts.iter().all(|&count| (120..290).contains(&count)), "{groups}: {counts:?}");
        }
    }
}
