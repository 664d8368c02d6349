//! What a run measures: the rows that its command line names, or one of the sets that the goals are about.

use std::time::Duration;

use super::{Args, contest::Latency};
use crate::figures::record::{CATALOGUE, SIZES};

/// Types and operators as the command line has them.
pub(super) const TYPES: [&str; 6] = ["f32", "f64", "i32", "u32", "i64", "u64"];
pub(super) const OPS: [&str; 8] = ["sum", "product", "min", "max", "minimum", "maximum", "argmin", "argmax"];

/// Some rows of one element type.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// The set that its rows are recorded under.
    pub set: &'static str,
    /// The element type.
    pub element: String,
    /// Operators.
    pub ops: Vec<String>,
    /// Sizes in elements, ascending.
    pub sizes: Vec<u64>,
    /// Bytes that the input rotates over, at least.
    pub buffer: u64,
    /// Rounds of a contest, at most.
    pub trials: usize,
    /// What a contest may take.
    pub budget: Duration,
    /// What is timed end to end.
    pub latency: Latency,
    /// Whether peers that are programs of their own take part.
    pub outsiders: bool,
}

/// The types that the goals for sums are about.
const GOALS: [&str; 4] = ["f32", "f64", "i32", "i64"];

/// Sizes of the catalogue, in powers of two of bytes.
const BYTES: [u32; 5] = [16, 20, 24, 28, 30];

/// What a contest of the catalogue may take: 240 of them in a minute and a half, with making the data.
const CATALOGUE_BUDGET: Duration = Duration::from_millis(150);

/// What any other contest may take. 31 rounds at 2^30 f64 with all peers take 5 s.
const BUDGET: Duration = Duration::from_secs(20);

/// The jobs of a command line, in order.
pub(super) fn jobs(args: &Args) -> Vec<Job> {
    let mut jobs = Vec::new();
    let gib = |gib: usize| (gib as u64).saturating_mul(1 << 30);
    let powers =
        |min: u32, max: u32, step: u32| (min..=max).step_by(step as usize).map(|power| 1 << power).collect();
    let planned = args.plans.is_some();
    for rows in &args.rows {
        let common = |set, element: &str| Job {
            set,
            element: element.to_owned(),
            ops: vec!["sum".into()],
            sizes: vec![],
            buffer: gib(args.buffer_gib),
            trials: args.trials,
            budget: BUDGET,
            latency: if planned { Latency::Some } else { Latency::Tail },
            outsiders: !planned,
        };
        match rows.as_str() {
            "goals" => jobs.extend(GOALS.map(|element| Job {
                sizes: powers(10, 30, 2),
                // Once is enough to be ahead of them, and they take their time.
                outsiders: element == "f32",
                ..common(SIZES, element)
            })),
            "catalogue" => jobs.extend(TYPES.map(|element| Job {
                ops: OPS.map(str::to_owned).to_vec(),
                sizes: BYTES.map(|power| (1 << power) / width(element)).to_vec(),
                // Two slices of the largest, 64 of all but the two largest.
                buffer: 2 << 30,
                trials: 15,
                budget: CATALOGUE_BUDGET,
                latency: Latency::None,
                outsiders: false,
                ..common(CATALOGUE, element)
            })),
            _ => jobs.extend(args.types.iter().map(|element| Job {
                ops: args.ops.clone(),
                sizes: powers(args.min, args.max, args.step),
                ..common(SIZES, element)
            })),
        }
    }
    jobs
}

/// Bytes of an element.
fn width(element: &str) -> u64 {
    if element.ends_with("64") { 8 } else { 4 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn parsed(line: &str) -> Vec<Job> {
        let words = std::iter::once("bench").chain(line.split_whitespace());
        jobs(&Cli::try_parse_from(words).unwrap().args)
    }

    #[test]
    fn the_command_line_names_rows() {
        let [job] = parsed("--types i64 --ops max,argmin --min 3 --max 8 --step 2").try_into().unwrap();
        assert_eq!((job.element.as_str(), job.set), ("i64", SIZES));
        assert_eq!((job.ops.join(" ").as_str(), job.sizes.as_slice()), ("max argmin", &[8, 32, 128][..]));
        assert!(job.latency == Latency::Tail && job.outsiders);
        assert!(parsed("--plans all")[0].latency == Latency::Some);
        assert!(!parsed("--plans all")[0].outsiders);
    }

    #[test]
    fn the_catalogue_is_every_operator_and_type_at_five_sizes_in_bytes() {
        let jobs = parsed("--rows catalogue");
        let contests: usize = jobs.iter().map(|job| job.ops.len() * job.sizes.len()).sum();
        assert_eq!((jobs.len(), contests), (6, 240));
        assert!(CATALOGUE_BUDGET * 240 < Duration::from_secs(60));
        assert_eq!(jobs[1].sizes, [1 << 13, 1 << 17, 1 << 21, 1 << 25, 1 << 27]);
        for job in jobs {
            // A slice at least twice, so that not even the largest is read from the cache.
            assert!(job.sizes.iter().all(|n| 2 * n * width(&job.element) <= job.buffer));
        }
    }

    #[test]
    fn rows_can_be_combined() {
        let sets: Vec<&str> = parsed("--rows goals,catalogue").iter().map(|job| job.set).collect();
        assert_eq!(sets, [vec![SIZES; 4], vec![CATALOGUE; 6]].concat());
    }
}
