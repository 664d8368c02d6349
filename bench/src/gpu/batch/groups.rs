//! `bench groups`: f32 Sum of elements in groups by id, in no order, against PyTorch's `index_add_` in its default and in its
//! deterministic mode. Ours waits for the sort of the ids, so all are timed by the host's clock, from the call to the end of the
//! wait for results on the device; then those that come to the host, and once more launch by launch.

use warpfold::{Cpu, Sum, groups, launch_times};

use super::ground::tables;
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

/// Measures every number of groups, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    let n = 1usize << args.log2;
    let name = |groups: &usize| format!("{n}/{groups}");
    tables(&args.options, Some(("groups", args.groups.iter().map(name).collect())), |ground| {
        let x = elements(n);
        let there = ground.cuda.upload(&x)?;
        for &count in &args.groups {
            let bytes = n * (size_of::<f32>() + size_of::<i64>()) + count * size_of::<f32>();
            let case = ground.case("elements / groups", &name(&count), bytes);
            let ids: Vec<i64> = (0..n as u64).map(|i| id(i, count)).collect();
            let ids_there = ground.cuda.upload(&ids)?;
            let mut sums = ground.cuda.results::<f32, Sum>(count)?;
            let mut call = || -> Outcome<()> {
                ground.stream.reduce_into(Sum, groups(&ids_there, &there, count), &mut sums)?;
                Ok(ground.stream.synchronize()?)
            };
            ground.on_host(OURS, case, &mut call)?;
            let (measured, times) = launch_times(call)?;
            measured?;
            let mut on_host = Vec::new();
            ground.on_host(&format!("{OURS}, to the host"), case, &mut || {
                on_host = ground.cuda.reduce(Sum, groups(&ids_there, &there, count))?.to_vec()?;
                Ok(())
            })?;
            print_launches(&name(&count), &times);
            let right = Cpu::new().reduce(Sum, groups(&ids, &x, count))?;
            are_the_cpus(&name(&count), &sums.to_vec()?, &right)?;
            are_the_cpus(&format!("{}, to the host", name(&count)), &on_host, &right)?;
        }
        Ok(())
    })
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
