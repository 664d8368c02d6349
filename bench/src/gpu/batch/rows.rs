//! `bench rows` and `columns`: f32 Sum of the rows of a matrix, against CUB's segmented sums, PyTorch and CuPy, at shapes from many
//! short rows to a few long ones; and of its columns, against PyTorch and CuPy, as CUB has no such reduction.

use warpfold::{Cpu, Sum, columns, rows};

use super::ground::tables;
use super::table::OURS;
use super::{Options, agree, are_the_cpus, elements};
use crate::Outcome;

/// The command line of `bench rows` and `columns`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    options: Options,
    /// Shapes such as 1024x256, instead of the shapes of docs/performance/rows.md.
    #[arg(long, value_parser = shape, value_delimiter = ',')]
    shapes: Vec<Shape>,
}

/// Rows and columns.
type Shape = [usize; 2];

/// 2^27 or 2^28 elements each, from many short rows to a few long ones.
const SHAPES: [Shape; 7] = [
    [1 << 24, 8],
    [1 << 22, 32],
    [1 << 20, 256],
    [1 << 16, 1 << 12],
    [1 << 12, 1 << 16],
    [1 << 6, 1 << 22],
    [8, 1 << 25],
];

impl Args {
    fn wanted(&self) -> &[Shape] {
        if self.shapes.is_empty() { &SHAPES } else { &self.shapes }
    }

    /// The names for the peers.
    fn names(&self) -> Vec<String> {
        self.wanted().iter().copied().map(name).collect()
    }

    /// The elements of all shapes: as many as the largest has.
    fn elements(&self) -> Vec<f32> {
        elements(self.wanted().iter().map(|[rows, columns]| rows * columns).max().unwrap_or(0))
    }
}

/// Measures the rows of every shape, and prints a table.
pub(crate) fn of_rows(args: &Args) -> Outcome<()> {
    tables(&args.options, Some(("rows", args.names())), |ground| {
        let host = args.elements();
        let device = ground.cuda.upload(&host)?;
        for &shape in args.wanted() {
            let [count, columns] = shape;
            let (host, slice) = (&host[..count * columns], device.slice(..count * columns)?);
            let bytes = (host.len() + count) * size_of::<f32>();
            let case = ground.case("rows x columns", &name(shape), bytes);
            let mut sums = ground.cuda.results::<f32, Sum>(count)?;
            let plan = rows(slice, shape).plan(Sum, ground.cuda)?;
            ground.on_device(&format!("{OURS} ({plan:?})"), case, &mut || {
                Ok(ground.stream.reduce_into(Sum, rows(slice, shape), &mut sums)?)
            })?;
            let right = Cpu::new().reduce(Sum, rows(host, shape))?;
            are_the_cpus(&name(shape), &sums.to_vec()?, &right)?;
            for variant in ["fixed", "offsets"] {
                let (function, who) = (format!("peer_rows_{variant}"), format!("CUB, {variant}"));
                let from = (slice.as_device_ptr(), [count as u64, columns as u64]);
                let check = |theirs: &[f32]| agree(&who, &right, theirs);
                // SAFETY: peers/rows.cu declares every function with such a name; the slice has the rows' elements.
                unsafe { ground.theirs((&function, &who), case, from, count, check) }?;
            }
        }
        Ok(())
    })
}

/// Measures the columns of every shape, and prints a table.
pub(crate) fn of_columns(args: &Args) -> Outcome<()> {
    tables(&args.options, Some(("columns", args.names())), |ground| {
        let host = args.elements();
        let device = ground.cuda.upload(&host)?;
        for &shape in args.wanted() {
            let (n, name) = (shape[0] * shape[1], name(shape));
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

/// A shape written as 1024x256.
fn shape(text: &str) -> Result<Shape, String> {
    let sides = text
        .split_once('x')
        .and_then(|(rows, columns)| Some([rows.trim().parse().ok()?, columns.trim().parse().ok()?]));
    let Some([rows, columns]) = sides else {
        return Err(format!("`{text}` is no shape: write rows and columns as 1024x256"));
    };
    match usize::checked_mul(rows, columns) {
        Some(1..=0x1_0000_0000) => Ok([rows, columns]),
        _ => Err(format!("`{text}`: give 1 to 2^32 elements")),
    }
}

/// The shape as written by and for peers/batch.py.
fn name([rows, columns]: Shape) -> String {
    format!("{rows}x{columns}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_and_others_refused() {
        assert_eq!(shape("1024x256"), Ok([1024, 256]));
        assert_eq!(shape(" 3 x 4 "), Ok([3, 4]));
        for wrong in ["", "12", "3x", "x4", "3x4x5", "0x4", "-3x4", "4294967296x2", "99999999999999999999x1"]
        {
            assert!(shape(wrong).is_err(), "{wrong}");
        }
        assert_eq!(shape(&name([7, 9])), Ok([7, 9]));
    }
}
