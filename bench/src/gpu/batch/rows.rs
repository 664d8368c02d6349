//! `bench rows`: f32 Sum of the rows of a matrix, against CUB's segmented sums, PyTorch and CuPy, at shapes from many short
//! rows to a few long ones.

use warpfold::{Cpu, DeviceResults, Sum, rows};

use super::cub::Cub;
use super::ground::{Peers, tables};
use super::python::Python;
use super::shape::{self, Shape, Shapes};
use super::table::OURS;
use super::{Options, elements};
use crate::Outcome;

/// The command line of `bench rows`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    cub: Cub,
    #[command(flatten)]
    python: Python,
    #[command(flatten)]
    shapes: Shapes,
}

/// Measures every shape, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    let python = Some((&args.python, "rows", args.shapes.names()));
    tables(&args.options, Peers { cub: Some(&args.cub), python }, |ground| {
        let host = elements(args.shapes.most());
        let device = ground.cuda.upload(&host)?;
        for &shape in args.shapes.wanted() {
            let [count, columns] = shape;
            let (host, slice) = (&host[..count * columns], device.slice(..count * columns)?);
            let bytes = (host.len() + count) * size_of::<f32>();
            let case = ground.case("rows x columns", &shape::name(shape), bytes);
            let mut sums = ground.cuda.results::<f32, Sum>(count)?;
            let plan = rows(slice, shape).plan(Sum, ground.cuda)?;
            ground.on_device(&format!("{OURS} ({plan:?})"), case, &mut || {
                Ok(ground.stream.reduce_into(Sum, rows(slice, shape), &mut sums)?)
            })?;
            let right = check(&sums, host, shape)?;
            let Some(peer) = &ground.peer else { continue };
            for variant in ["fixed", "offsets"] {
                let (name, who) = (format!("peer_rows_{variant}"), format!("CUB, {variant}"));
                let from = (slice.as_device_ptr(), [count as u64, columns as u64]);
                // SAFETY: peers/rows.cu declares every function with such a name with this type; the slice has
                // the rows' elements.
                unsafe { peer.sums(ground, (&name, &who), case, from, &right) }?;
            }
        }
        Ok(())
    })
}

/// Our sums, after checking some of them, including the first and the last, against the CPU's bits.
fn check(sums: &DeviceResults<f32, Sum>, x: &[f32], [rows, columns]: Shape) -> Outcome<Vec<f32>> {
    let found = sums.to_vec()?;
    let step = (rows / 1000).max(1);
    for row in (0..rows).step_by(step).chain([rows - 1]) {
        let right = Cpu::new().reduce(Sum, &x[row * columns..(row + 1) * columns])?;
        if found.get(row).map(|found| found.to_bits()) != Some(right.to_bits()) {
            return Err(format!("row {row} of {rows} x {columns} differs from the CPU's bits").into());
        }
    }
    Ok(found)
}
