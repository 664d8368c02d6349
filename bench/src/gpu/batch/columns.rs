//! `bench columns`: f32 Sum of the columns of a row-major matrix, against PyTorch and CuPy; CUB has no such
//! reduction.

use warpfold::{Cpu, Sum, columns};

use super::ground::{Peers, tables};
use super::python::Python;
use super::shape::{self, Shapes};
use super::{Options, are_the_cpus, elements};
use crate::Outcome;

/// The command line of `bench columns`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    python: Python,
    #[command(flatten)]
    shapes: Shapes,
}

/// Measures every shape, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    let peers = Peers { python: Some((&args.python, "columns", args.shapes.names())), ..Peers::default() };
    tables(&args.options, peers, |ground| {
        let host = elements(args.shapes.most());
        let device = ground.cuda.upload(&host)?;
        for &shape in args.shapes.wanted() {
            let (n, name) = (shape[0] * shape[1], shape::name(shape));
            let case = ground.case("rows x columns", &name, (n + shape[1]) * size_of::<f32>());
            let slice = device.slice(..n)?;
            let mut sums = ground.cuda.results::<f32, Sum>(shape[1])?;
            ground.ours(case, &mut || {
                Ok(ground.stream.reduce_into(Sum, columns(slice, shape), &mut sums)?)
            })?;
            are_the_cpus(&name, &sums.to_vec()?, &Cpu::new().reduce(Sum, columns(&host[..n], shape))?)?;
        }
        Ok(())
    })
}
