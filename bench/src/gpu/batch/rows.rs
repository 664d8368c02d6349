//! `bench rows`: f32 Sum of the rows of a matrix, against CUB's segmented sums, PyTorch and CuPy, at shapes from many short
//! rows to a few long ones.

use warpfold::{Cpu, DeviceResults, Sum, rows};

use super::cub::Cub;
use super::python::Python;
use super::shape::{self, Shape};
use super::table::{OURS, report};
use super::{Options, elements, ground};
use crate::{Outcome, machine::Machine};

/// The command line of `bench rows`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    cub: Cub,
    #[command(flatten)]
    python: Python,
    /// Shapes such as 1024x256, instead of those of docs/rows.md.
    #[arg(long, value_parser = shape::shape, value_delimiter = ',')]
    shapes: Vec<Shape>,
}

/// 2^27 or 2^28 elements each.
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
    let cases: Vec<_> = shapes.iter().map(|&shape| shape::case(shape, shape[0])).collect();
    let names: Vec<_> = cases.iter().map(|case| case.name.clone()).collect();
    let mut figures = args.python.figures("rows", args.options.trials, &names)?;
    let peak = ground::on_device(&args.options, |ground| {
        let peer = args.cub.load()?;
        let host = elements(shape::most(&shapes));
        let device = ground.cuda.upload(&host)?;
        for (&shape, case) in shapes.iter().zip(&cases) {
            let [count, columns] = shape;
            let (host, slice) = (&host[..count * columns], device.slice(..count * columns)?);
            let mut sums = ground.cuda.results::<f32, Sum>(count)?;
            let plan = rows(slice, shape).plan(Sum, ground.cuda)?;
            figures.push(ground.on_device(format!("{OURS} ({plan:?})"), case, &mut || {
                Ok(ground.stream.reduce_into(Sum, rows(slice, shape), &mut sums)?)
            })?);
            let right = check(&sums, host, shape)?;
            let Some(peer) = &peer else { continue };
            for variant in ["fixed", "offsets"] {
                let (name, who) = (format!("peer_rows_{variant}"), format!("CUB, {variant}"));
                let what = [count as u64, columns as u64];
                // SAFETY: peers/rows.cu declares every function with such a name with this type; the slice has
                // the rows' elements.
                let figure =
                    unsafe { peer.figure(ground, (&name, &who), case, slice.as_device_ptr(), what, &right) };
                figures.push(figure?);
            }
        }
        Ok(())
    })?;
    report("rows x columns", &cases, &figures, peak);
    Ok(())
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
