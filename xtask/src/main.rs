//! The commands for warpfold's development; `cargo xtask help` lists them.

mod api;
mod assemble;
mod bundle;
mod contraction;
mod digest;
mod gate;
mod lint;
mod manifest;
mod ptx;
mod ptxas_report;
mod rooms;
mod rust_text;
mod sass;
mod sources;
mod workspace;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;

/// Development commands of warpfold
#[derive(Parser)]
#[command(name = "cargo xtask", disable_version_flag = true)]
enum Command {
    /// Compile the GPU kernels to the packs: in ptx, in tests/kernels/ptx for tests, in examples/ladder/ptx for the
    /// ladder
    ///
    /// Beside each pack is its manifest, a .csv: commit both. Needs a compiler with the source of core.
    Ptx(ptx::Arguments),
    /// Fail on PTX whose results depend on the GPU
    Lint(lint::Arguments),
    /// Assemble the PTX for each GPU generation; fail on spills and fused multiply-adds
    ///
    /// Modules for which the manifests have the results of this ptxas are not assembled again, but for one in 16.
    Assemble(assemble::Arguments),
    /// Fail on forbidden source: inexact arithmetic, or unsafe outside the listed files
    Gate,
    /// Record the public interfaces; --check: fail on breaking changes without a new version
    ///
    /// The record of a published package is its api.txt: commit it. A line that the current version promises is not removed or
    /// changed.
    Api(api::Arguments),
    /// Make a folder of tests and benchmarks for a machine with an NVIDIA driver and no Rust
    ///
    /// Needs strip. There, ./run.sh all runs everything; its first lines list its commands and settings.
    Bundle(bundle::Arguments),
}

fn main() -> ExitCode {
    let outcome: Result<(), Box<dyn Error>> = match Command::parse() {
        Command::Ptx(arguments) => ptx::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Assemble(arguments) => assemble::run(&arguments),
        Command::Gate => gate::run(),
        Command::Api(arguments) => api::run(&arguments),
        Command::Bundle(arguments) => bundle::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
