//! `bench compare`: records of an old and of a new binary, row by row. Fails if a row of ours is slower.
//!
//! | file | contents |
//! |---|---|
//! | `record.rs` | a CSV file: its place of measurement, and our rows |
//! | `verdict.rs` | the runs of each binary, row by row, and the rule for slower and faster rows |
//! | `print.rs` | the tables |

mod print;
mod record;
mod verdict;

use std::path::PathBuf;

use self::{
    record::Record,
    verdict::{Comparison, Side, are_alike},
};
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
    // More than the variation of the device's own time between two runs of one binary. By stream and end to end
    // it is more (docs/tuning/gpu.md), so the quartiles of all runs of a side count.
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
        are_alike(&old, &new)?;
    }
    let comparison = Comparison::new(&old, &new, args.limit)?;
    print!("{}", print::text(&old, &new, &comparison));
    comparison.outcome()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::record::{CATALOGUE, SIZES};
    use crate::record::Files;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn args(words: &[&str]) -> Result<Args, clap::Error> {
        let words = std::iter::once("compare").chain(words.iter().copied());
        Ok(<Cli as clap::Parser>::try_parse_from(words)?.args)
    }

    /// The CSV file of a kept record, with the rows of these sets.
    fn kept(sets: &[&str]) -> PathBuf {
        let mut record = crate::figures::record::tests::kept();
        record.rows.retain(|row| sets.contains(&row.set.as_str()));
        let name = format!("warpfold-bench-{}-{}.csv", std::process::id(), sets.join("-"));
        let path = std::env::temp_dir().join(name);
        let files = Files { json: None, csv: Some(path.clone()) };
        files.write(&record, &record.place(), &record.rows).unwrap();
        path
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
    fn a_record_is_as_fast_as_itself_and_one_of_other_sets_is_refused() {
        let [both, sizes, other] = [&[SIZES, CATALOGUE][..], &[SIZES], &[CATALOGUE]].map(kept);
        let compared = |old: &PathBuf, new: &PathBuf, more: &[&str]| {
            let (old, new) = (old.display().to_string(), new.display().to_string());
            run(&args(&[&["--old", &old, "--new", &new], more].concat()).unwrap())
                .map_err(|error| error.to_string())
        };
        let found = [
            compared(&both, &both, &[]),
            compared(&both, &sizes, &[]),
            compared(&both, &sizes, &["--any-machine"]),
            compared(&sizes, &other, &["--any-machine"]),
        ];
        [both, sizes, other].iter().for_each(|path| std::fs::remove_file(path).unwrap());
        let [same, fewer, told, disjoint] = found;
        assert_eq!((same, told), (Ok(()), Ok(())));
        assert!(fewer.as_ref().is_err_and(|error| error.contains("catalogue, sizes")), "{fewer:?}");
        assert!(disjoint.as_ref().is_err_and(|error| error.contains("no row in common")), "{disjoint:?}");
    }
}
