//! Recorded GPU figures: reads them, compares them with each other and with the goals, draws them, and writes
//! them to a page. Needs no GPU.

mod catalogue;
pub(crate) mod chart;
mod goals;
mod page;
mod picture;
pub(crate) mod record;
mod types;

use std::path::PathBuf;

use self::record::Record;
use crate::{Outcome, table};

/// The command line of `bench report`.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// Records written by `bench gpu --json`. A ratio is from the first record that has both sides of it.
    #[arg(required = true)]
    records: Vec<PathBuf>,
    /// The folder of performance.md, whose generated part is replaced; pictures go to performance/ in it.
    #[arg(long, default_value = "docs")]
    out: PathBuf,
}

/// Writes the generated part of the page on performance, and prints the state of the goals.
pub(crate) fn report(args: &ReportArgs) -> Outcome<()> {
    let records = args.records.iter().map(|path| Record::read(path)).collect::<Outcome<Vec<_>>>()?;
    println!("{}", standing(&records));
    page::refresh(&records, &args.out)
}

/// Types, the catalogue and the state of the goals, for the terminal.
pub(crate) fn standing(records: &[Record]) -> String {
    let types = types::cells(records);
    let types = if types.is_empty() { String::new() } else { table::text(&types::HEADINGS, &types) + "\n" };
    let catalogue: String =
        catalogue::summaries(records, 8).iter().map(|line| format!("catalogue: {line}")).collect();
    format!("{types}{catalogue}\n{}", table::text(&goals::HEADINGS, &goals::cells(records)))
}
