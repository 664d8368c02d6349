//! GPU figures after they were measured: records, read back; set against each other and against the goals;
//! drawn; written up. Nothing here needs a GPU.

pub(crate) mod catalogue;
pub(crate) mod chart;
pub(crate) mod goals;
pub(crate) mod page;
mod picture;
pub(crate) mod record;
pub(crate) mod types;

use std::path::PathBuf;

use self::record::Record;
use crate::Outcome;

/// The command line of `bench chart`.
#[derive(clap::Args)]
pub(crate) struct ChartArgs {
    /// Records that `bench gpu --json` wrote.
    #[arg(required = true)]
    records: Vec<PathBuf>,
    /// The folder for the pictures.
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Also write each picture as PNG.
    #[arg(long)]
    png: bool,
}

/// The command line of `bench report`.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// Records that `bench gpu --json` wrote. A ratio comes from the first that has both sides of it.
    #[arg(required = true)]
    records: Vec<PathBuf>,
    /// The folder with performance.md, whose generated part is replaced; pictures go to performance/ in it.
    #[arg(long, default_value = "docs")]
    out: PathBuf,
}

/// Draws what the records hold.
pub(crate) fn chart(args: &ChartArgs) -> Outcome<()> {
    let records = read(&args.records)?;
    for name in chart::draw(&records, &args.out, args.png)? {
        println!("{}", args.out.join(name.file).display());
    }
    Ok(())
}

/// Writes the generated part of the page on performance, and says how the goals stand.
pub(crate) fn report(args: &ReportArgs) -> Outcome<()> {
    let records = read(&args.records)?;
    println!("{}{}\n{}", types::table(&records), catalogue::summary(&records), goals::table(&records));
    page::refresh(&records, &args.out)
}

fn read(paths: &[PathBuf]) -> Outcome<Vec<Record>> {
    paths.iter().map(|path| Record::read(path)).collect()
}
