//! `bench compare`: records of an old and of a new binary, row by row. Fails if a row of ours is slower.
//!
//! | file | contents |
//! |---|---|
//! | `record.rs` | a CSV file: its place of measurement, and our rows |
//! | `side.rs` | the runs of one binary, with each row once |
//! | `verdict.rs` | the rule for slower and faster rows |
//! | `print.rs` | the tables |

mod print;
mod record;
mod side;
mod verdict;

use std::path::PathBuf;

use self::{record::Record, side::Side, verdict::Comparison};
use crate::{Outcome, parse};

/// The command line of `bench compare`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// CSV files of the old binary, from `bench gpu --csv` or `bench operations --csv`: one per run.
    #[arg(long, required = true, num_args = 1.., value_name = "CSV")]
    old: Vec<PathBuf>,
    /// CSV files of the new binary.
    #[arg(long, required = true, num_args = 1.., value_name = "CSV")]
    new: Vec<PathBuf>,
    // More than the variation of the device's own time between two runs of one binary. [H200, `gpu --rows goals
    // --trials 15`, two runs of each of two binaries: by graph up to 2.2 %; by stream up to 23 % (f32 Sum of
    // 2^14 elements) and end to end up to 7 %, some with quartiles that are apart. Therefore the quartiles of
    // all runs of a side count.]
    /// The least slowdown that counts. A row is slower if the new median is above the old one by more than
    /// this, and the new first quartile is above the old third quartile. For a side with several runs, the
    /// lowest median and the outermost quartiles count.
    #[arg(long, default_value = "3%", value_parser = parse::percentage)]
    limit: f64,
    /// Compare records of different machines, devices or sets of rows.
    #[arg(long)]
    any_machine: bool,
}

/// Compares, prints, and fails if a row is slower.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    let read = |paths: &[PathBuf]| paths.iter().map(|path| Record::read(path)).collect::<Outcome<Vec<_>>>();
    let (old, new) = (Side::new(read(&args.old)?), Side::new(read(&args.new)?));
    if !args.any_machine {
        side::are_alike(&old, &new)?;
    }
    let comparison = Comparison::new(&old, &new, args.limit)?;
    print!("{}", print::text(&old, &new, &comparison));
    comparison.outcome()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn args(words: &[&str]) -> Result<Args, clap::Error> {
        let words = std::iter::once("compare").chain(words.iter().copied());
        Ok(<Cli as clap::Parser>::try_parse_from(words)?.args)
    }

    /// The path of a record in the repository.
    fn kept(name: &str) -> String {
        format!("{}/record/{name}", env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn several_files_stand_on_each_side() {
        let args = args(&["--old", "a", "b", "--new", "c", "d", "e", "--limit", "2.5%"]).unwrap();
        assert_eq!((args.old.len(), args.new.len(), args.limit, args.any_machine), (2, 3, 2.5, false));
    }

    #[test]
    fn a_side_without_a_file_and_a_limit_without_a_unit_are_refused() {
        for words in [&["--old", "a"][..], &["--new", "a"], &["--old", "a", "--new", "b", "--limit", "0.03"]]
        {
            assert!(args(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn a_kept_record_is_as_fast_as_itself() {
        let path = kept("2026-11-21-h200-ladder/bench.csv");
        run(&args(&["--old", &path, "--new", &path]).unwrap()).unwrap();
    }

    #[test]
    fn kept_records_of_other_sets_are_refused() {
        let (old, new) = (kept("2026-11-21-h200-ladder/bench.csv"), kept("2026-11-21-h200-ladder/types.csv"));
        let error = run(&args(&["--old", &old, "--new", &new]).unwrap()).unwrap_err().to_string();
        assert!(error.contains("catalogue, sizes") && error.contains("types"), "{error}");
        let told = args(&["--old", &old, "--new", &new, "--any-machine"]).unwrap();
        let error = run(&told).unwrap_err().to_string();
        assert!(error.contains("no row in common"), "{error}");
    }
}
