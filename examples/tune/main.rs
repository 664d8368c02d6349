//! Tries launch plans on this machine's GPU and saves those that are faster than the defaults, like FFTW's
//! wisdom and ATLAS. From then on warpfold uses them. `tune --help` describes the arguments. No plan changes a
//! bit of a result; this is checked for every plan tried.
//!
//! | file | idea |
//! |---|---|
//! | `cli` | the command line |
//! | `catalogue` | the element types and operators, and a walk over them |
//! | `datum` | the elements that are reduced |
//! | `candidates` | the plans' configurations to try |
//! | `arena`, `clock` | elements on the device, outside its cache; the time of a call |
//! | `entrant`, `contest` | one plan with its times; the comparison of one row's plans |
//! | `verdict` | whether a plan's results are right, and whether it is better |
//! | `budget` | the time for each row |
//! | `search`, `show` | what the two walks do for each row |
//! | `report`, `failure` | the output and the errors |

use std::io::{ErrorKind, Write, stderr, stdout};
use std::process::ExitCode;

use clap::Parser;
use warpfold::Cuda;
use warpfold::plans::Tuning;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::search::Search;
use crate::show::Show;

mod arena;
mod budget;
mod candidates;
mod catalogue;
mod cli;
mod clock;
mod contest;
mod datum;
mod entrant;
mod failure;
mod report;
mod search;
mod show;
mod verdict;

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // If standard error is closed too, the error cannot be reported.
            let _ = writeln!(stderr(), "error: {failure}");
            failure.exit_code()
        }
    }
}

/// Runs the command.
fn run(cli: &Cli) -> Result<(), Failure> {
    let classes = cli.classes()?;
    let cuda = Cuda::open(cli.device)?;
    if cli.show {
        let mut show = Show::new(Tuning::kept(&cuda));
        catalogue::walk(&cli.types, &cli.ops, &mut show)?;
        return print(&show.text());
    }
    if cli.clear {
        let file = Tuning::empty().keep(&cuda).ok_or(Failure::Keep)?;
        return print(&format!("cleared {}\n", file.display()));
    }
    let mut search = Search::new(cli, &cuda, classes)?;
    catalogue::walk(&cli.types, &cli.ops, &mut search)?;
    let (tuning, found) = search.finish();
    // The table first, so that it is printed even if the file cannot be written.
    print(&report::render(&cuda, &found))?;
    if cli.dry_run {
        return print("nothing kept, as --dry-run says\n");
    }
    let file = tuning.keep(&cuda).ok_or(Failure::Keep)?;
    print(&format!("kept {} rows in {}\n", tuning.len(), file.display()))
}

/// Prints `text`. A reader that closed the pipe early (`tune ... | head`) is not a failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(cause)),
        _ => Ok(()),
    }
}
