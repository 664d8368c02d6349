//! The rows of a run: those that the command line names, or the sets for the goals.

use std::time::Duration;

use super::{Args, menu::ROWS};
use crate::figures::record::{CATALOGUE, SIZES, TYPES, distinct};

/// The elements on the command line.
pub(super) fn elements() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|(name, ..)| *name)
}

/// The operators on the command line.
pub(super) fn ops() -> Vec<&'static str> {
    distinct(ROWS.iter().flat_map(|(.., ops)| *ops).copied())
}

/// Elements and operators of the catalogue: those that CUB has too, of 4 and 8 bytes.
const CATALOGUE_ELEMENTS: [&str; 6] = ["f32", "f64", "i32", "u32", "i64", "u64"];
const CATALOGUE_OPS: [&str; 8] = ["sum", "product", "min", "max", "minimum", "maximum", "argmin", "argmax"];

/// The other rows at 2^30 bytes: types of 1 and 2 bytes, and operators that CUB lacks. Sums of f32 and f64 are
/// the bases of the shares.
const TYPES_ROWS: [(&str, &str); 16] = [
    (
        "f32",
        "sum min max argmin argmax accurate_sum exact_sum sum_in_f64 minmax \
             mean variance min_max_sum norm2 count_nonzero dot accurate_dot",
    ),
    ("f64", "sum argmin argmax accurate_sum variance dot accurate_dot"),
    ("i32", "sum min max argmin argmax variance"),
    ("u32", "argmin argmax"),
    ("i64", "argmin argmax"),
    ("u64", "argmin argmax"),
    ("i8", "sum min max argmin argmax"),
    ("u8", "sum min max argmin argmax polynomial_hash"),
    ("i16", "sum min max argmin argmax"),
    ("u16", "sum min max argmin argmax"),
    ("f16", "sum_in_f32 min max argmin argmax"),
    ("bf16", "sum_in_f32 min max argmin argmax"),
    ("i128", "sum"),
    ("c32", "sum"),
    ("affine_u32", "compose"),
    ("matrix_u32", "matrix_product"),
];

/// Some rows of one element type.
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// The set in the record.
    pub set: &'static str,
    /// The element type.
    pub element: String,
    /// Operators.
    pub ops: Vec<String>,
    /// Sizes in elements, ascending.
    pub sizes: Vec<u64>,
    /// The least bytes that the input rotates over.
    pub buffer: u64,
    /// The most rounds of a contest.
    pub trials: usize,
    /// The time limit of a contest.
    pub budget: Duration,
    /// Whether calls are timed end to end.
    pub latency: bool,
    /// Whether peers that are separate programs take part.
    pub outsiders: bool,
}

/// The types of the goals for sums.
const GOALS: [&str; 4] = ["f32", "f64", "i32", "i64"];

/// Sizes of the catalogue, in powers of two of bytes.
const BYTES: [u32; 5] = [16, 20, 24, 28, 30];

/// The time limit of a contest of the catalogue: 240 contests in a minute and a half, including generating the
/// data.
const CATALOGUE_BUDGET: Duration = Duration::from_millis(150);

/// The time limit of any other contest. 31 rounds at 2^30 f64 with all peers take 5 s.
const BUDGET: Duration = Duration::from_secs(20);

/// The jobs of a command line, in order.
pub(super) fn jobs(args: &Args) -> Vec<Job> {
    let mut jobs = Vec::new();
    let gib = |gib: usize| (gib as u64).saturating_mul(1 << 30);
    let powers =
        |min: u32, max: u32, step: u32| (min..=max).step_by(step as usize).map(|power| 1 << power).collect();
    for rows in &args.rows {
        let common = |set, element: &str| Job {
            set,
            element: element.to_owned(),
            ops: vec!["sum".into()],
            sizes: vec![],
            buffer: gib(args.buffer_gib),
            trials: args.trials,
            budget: BUDGET,
            latency: true,
            outsiders: true,
        };
        match rows.as_str() {
            "goals" => jobs.extend(GOALS.map(|element| Job {
                sizes: powers(10, 30, 2),
                // One type is enough for comparison with them, and they are slow.
                outsiders: element == "f32",
                ..common(SIZES, element)
            })),
            "types" => jobs.extend(TYPES_ROWS.map(|(element, ops)| Job {
                ops: ops.split(' ').map(str::to_owned).collect(),
                sizes: vec![(1 << 30) / width(element)],
                buffer: 2 << 30,
                trials: 15,
                budget: CATALOGUE_BUDGET,
                latency: false,
                outsiders: false,
                ..common(TYPES, element)
            })),
            "catalogue" => jobs.extend(CATALOGUE_ELEMENTS.map(|element| Job {
                ops: CATALOGUE_OPS.map(str::to_owned).to_vec(),
                sizes: BYTES.map(|power| (1 << power) / width(element)).to_vec(),
                // Two slices of the largest size, 64 of all but the two largest.
                buffer: 2 << 30,
                trials: 15,
                budget: CATALOGUE_BUDGET,
                latency: false,
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
    let known = ROWS.iter().find(|(name, ..)| *name == element);
    known.map_or(1, |&(_, bytes, _)| bytes as u64)
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
        assert!(job.latency && job.outsiders);
    }

    #[test]
    fn the_catalogue_is_every_operator_and_type_at_five_sizes_in_bytes() {
        let jobs = parsed("--rows catalogue");
        let contests: usize = jobs.iter().map(|job| job.ops.len() * job.sizes.len()).sum();
        assert_eq!((jobs.len(), contests), (6, 240));
        assert!(CATALOGUE_BUDGET * 240 < Duration::from_secs(60));
        assert_eq!(jobs[1].sizes, [1 << 13, 1 << 17, 1 << 21, 1 << 25, 1 << 27]);
        for job in jobs {
            // At least two slices of each size, so that not even the largest is read from the cache.
            assert!(job.sizes.iter().all(|n| 2 * n * width(&job.element) <= job.buffer));
        }
    }

    #[test]
    fn types_are_measured_at_one_size_in_bytes() {
        let jobs = parsed("--rows types");
        assert_eq!(jobs.iter().map(|job| job.ops.len()).sum::<usize>(), 70);
        for job in &jobs {
            let [n] = job.sizes[..] else { panic!("{job:?}") };
            assert_eq!((n * width(&job.element), job.set), (1 << 30, TYPES));
        }
        assert_eq!(["u8", "bf16", "u32", "c32", "i128"].map(width), [1, 2, 4, 8, 16]);
    }

    #[test]
    fn every_row_of_a_set_can_be_measured() {
        for job in parsed("--rows goals,catalogue,types") {
            let &(.., ops) = ROWS.iter().find(|(name, ..)| *name == job.element).unwrap();
            assert!(job.ops.iter().all(|op| ops.contains(&op.as_str())), "{job:?}");
        }
    }

    #[test]
    fn rows_can_be_combined() {
        let sets: Vec<&str> = parsed("--rows goals,catalogue").iter().map(|job| job.set).collect();
        assert_eq!(sets, [vec![SIZES; 4], vec![CATALOGUE; 6]].concat());
    }
}
