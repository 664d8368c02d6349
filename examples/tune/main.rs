//! Tries launch plans on this machine's GPU and keeps those that are faster than the usual ones, as FFTW's wisdom and
//! ATLAS do: warpfold uses them from then on. `tune --help` says how to call it. No plan changes a bit of a result, which
//! is checked of every plan that is tried.
//!
//! | file | idea |
//! |---|---|
//! | `cli` | the command line |
//! | `catalogue` | the element types and operators, and a walk over them |
//! | `datum`, `bits` | the elements that are reduced, and results compared bit for bit |
//! | `candidates` | the shapes that are tried |
//! | `arena`, `clock` | elements on the device, out of its cache; what a call takes there |
//! | `entrant`, `contest` | one plan with its times; the plans of one row against each other |
//! | `spread`, `verdict` | times as order statistics; when a plan is better |
//! | `budget` | the time that each row has |
//! | `search`, `show` | what the two walks do at each row |
//! | `report`, `failure` | what is printed |

use std::io::{ErrorKind, Write, stderr, stdout};
use std::process::ExitCode;

use clap::Parser;
use warpfold::{Cuda, Tuning};

use crate::cli::Cli;
use crate::failure::Failure;
use crate::search::Search;
use crate::show::Show;

mod arena;
mod bits;
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
mod spread;
mod verdict;

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Nobody is left to tell if standard error is closed as well.
            let _ = writeln!(stderr(), "error: {failure}");
            failure.exit_code()
        }
    }
}

/// Does what the command line says.
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
    // The table first: it is worth having where the file cannot be written.
    print(&report::render(&cuda, &found))?;
    if cli.dry_run {
        return print("nothing kept, as --dry-run says\n");
    }
    let file = tuning.keep(&cuda).ok_or(Failure::Keep)?;
    print(&format!("kept {} rows in {}\n", tuning.len(), file.display()))
}

/// A reader that has seen enough (`tune ... | head`) is no failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(cause)),
        _ => Ok(()),
    }
}
