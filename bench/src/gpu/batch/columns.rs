//! `bench columns`: f32 Sum of the columns of a row-major matrix, against PyTorch and CuPy; CUB has no such
//! reduction.

use warpfold::{Cpu, Sum, columns};

use super::python::Python;
use super::shape::{self, Shape};
use super::table::{OURS, report};
use super::{Options, are_the_cpus, elements, ground};
use crate::{Outcome, machine::Machine};

/// The command line of `bench columns`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    python: Python,
    /// Shapes such as 1024x256, instead of those of docs/rows.md.
    #[arg(long, value_parser = shape::shape, value_delimiter = ',')]
    shapes: Vec<Shape>,
}

/// 2^27 or 2^28 elements each, from a few long columns to many short ones.
const SHAPES: [Shape; 7] = [
    [1 << 24, 8],
    [1 << 22, 32],
    [1 << 20, 256],
    [1 << 16, 1 << 12],
    [1 << 12, 1 << 16],
    [1 << 6, 1 << 22],
    [8, 1 << 25],
];

/// Measures every shape, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    println!("{}", Machine::here());
    let shapes = if args.shapes.is_empty() { SHAPES.to_vec() } else { args.shapes.clone() };
    let cases: Vec<_> = shapes.iter().map(|&shape| shape::case(shape, shape[1])).collect();
    let names: Vec<_> = cases.iter().map(|case| case.name.clone()).collect();
    let mut figures = args.python.figures("columns", args.options.trials, &names)?;
    let peak = ground::on_device(&args.options, |ground| {
        let host = elements(shape::most(&shapes));
        let device = ground.cuda.upload(&host)?;
        for (&shape, case) in shapes.iter().zip(&cases) {
            let (host, slice) = (&host[..shape[0] * shape[1]], device.slice(..shape[0] * shape[1])?);
            let mut sums = ground.cuda.results::<f32, Sum>(shape[1])?;
            figures.push(ground.on_device(OURS.to_owned(), case, &mut || {
                Ok(ground.stream.reduce_into(Sum, columns(slice, shape), &mut sums)?)
            })?);
            let right = Cpu::new().reduce(Sum, columns(host, shape))?;
            are_the_cpus(&case.name, &sums.to_vec()?, &right)?;
        }
        Ok(())
    })?;
    report("rows x columns", &cases, &figures, peak);
    Ok(())
}
