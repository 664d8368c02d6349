//! Tries launch plans on this machine's GPU and saves those that are faster than the defaults, like FFTW's wisdom and
//! ATLAS. From then on warpfold uses them. No plan changes a bit of a result; this is checked for every plan tried.
//!
//! | file | idea |
//! |---|---|
//! | `pairs` | the operators and element types, and the elements that are reduced |
//! | `candidates` | the plans to try |
//! | `contest` | the plans of one row, measured in turns |

use std::process::ExitCode;

use clap::Parser;
use clap::builder::PossibleValuesParser;
use warpfold::Cuda;
use warpfold::plans::Tuning;

use crate::contest::Bench;
use crate::pairs::{OPERATORS, PAIRS, TYPES};

mod candidates;
mod contest;
mod pairs;

const AFTER_HELP: &str = "\
For each operator, element type and size, which represents all sizes nearest to it by ratio, tune tries plans: one
block, one launch with a ticket, or passes; 256, 512 or 1024 threads per block; 1 to 16 blocks per multiprocessor. Every
plan's results must have the CPU's bits, otherwise nothing is saved. The fastest three and the default plan take turns,
recorded in a graph and as launches on a stream, after the device's cache was filled with other elements. A plan is saved
if in the graph its median is more than 2 % below the default plan's and its upper quartile below the default plan's
lower one, and on the stream its median is not above the default plan's upper quartile. Otherwise the default plan is
used. Run no other program on the GPU meanwhile.

Plans are saved in $WARPFOLD_CACHE, else $XDG_CACHE_HOME/warpfold, else ~/.cache/warpfold, in a file for each kind of
device, which is replaced at the very end. Warpfold ignores it after a change of device, driver or warpfold, and if
WARPFOLD_TUNING is off.";

/// Finds the fastest launch plans for this machine's GPU, and saves them for warpfold to use.
#[derive(Parser, Debug)]
#[command(name = "tune", version, after_help = AFTER_HELP, max_term_width = 108)]
struct Cli {
    /// Element types
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(TYPES), default_values_t = TYPES.map(String::from))]
    types: Vec<String>,

    /// Operators
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(OPERATORS), default_values_t = OPERATORS.map(String::from))]
    ops: Vec<String>,

    /// Sizes: powers of two of bytes, from this one
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(3..=36))]
    min: u32,

    /// To this one
    #[arg(long, default_value_t = 28, value_parser = clap::value_parser!(u32).range(3..=36))]
    max: u32,

    /// Bytes of elements, as a power of two: more than the device's cache, and not less than `--max`
    #[arg(long, default_value_t = 28, value_parser = clap::value_parser!(u32).range(3..=36))]
    memory: u32,

    /// The device's number
    #[arg(long, default_value_t = 0)]
    device: usize,

    /// Measure and print, but save nothing
    #[arg(long, conflicts_with_all = ["show", "clear"])]
    dry_run: bool,

    /// Print the saved plans for this device, and measure nothing
    #[arg(long, conflicts_with = "clear")]
    show: bool,

    /// Remove the saved plans for this device
    #[arg(long)]
    clear: bool,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<(), Box<dyn std::error::Error>> {
    let cuda = Cuda::open(cli.device)?;
    let kept = "the tuning could not be written: let WARPFOLD_CACHE name a folder that can be (default: ~/.cache/warpfold)";
    if cli.clear {
        println!("cleared {}", Tuning::empty().keep(&cuda).ok_or(kept)?.display());
        return Ok(());
    }
    let mut tuning = Tuning::kept(&cuda);
    let of = |list: &[String], name: &str| list.iter().any(|listed| listed == name);
    let pairs = PAIRS.iter().filter(|pair| of(&cli.types, pair.of) && of(&cli.ops, pair.operator));
    if cli.show {
        println!("{tuning}");
        pairs.for_each(|pair| (pair.show)(pair, &tuning));
        return Ok(());
    }
    println!("{}; microseconds of a call in a graph, and on a stream", cuda.properties().name);
    let bench = Bench::new(&cuda, cli.memory.max(cli.max))?;
    for pair in pairs {
        (pair.tune)(pair, &bench, cli.min..=cli.max, &mut tuning)?;
    }
    if cli.dry_run {
        println!("nothing kept, as --dry-run says");
    } else {
        println!("kept {} rows in {}", tuning.len(), tuning.keep(&cuda).ok_or(kept)?.display());
    }
    Ok(())
}
