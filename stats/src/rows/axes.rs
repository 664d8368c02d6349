//! The axes of an array, and which of them are reduced. There is a row of elements for each index along the
//! others.

mod lines;
mod slabs;
mod stripes;

use std::path::PathBuf;

use self::lines::Axis;
use self::slabs::Slabs;
use crate::failure::Failure;
use crate::source::npy::{Npy, coordinates, tuple};
use crate::terminal;

/// The axes of an array, and which of them are reduced.
pub(crate) struct Axes {
    pub(crate) path: PathBuf,
    pub(crate) shape: Vec<u64>,
    fortran: bool,
    /// In ascending order.
    pub(crate) reduced: Vec<usize>,
    /// The lengths of the other axes, which are the shape of the results.
    pub(crate) kept_shape: Vec<u64>,
    reduced_shape: Vec<u64>,
}

impl Axes {
    /// Checks the axes that the user named; negative ones count from the end, -1 being the last.
    pub(crate) fn new(npy: &Npy, named: &[i64]) -> Result<Self, Failure> {
        let (shape, fortran) = (npy.layout.shape.clone(), npy.layout.fortran);
        let wrong = |axis: i64, why: &str| {
            let (path, shape) = (terminal::line(&npy.path.to_string_lossy()), tuple(&shape));
            Failure::Usage(format!("{path}: --axis {axis}, but the array has shape {shape}: {why}"))
        };
        let last = match shape.len() {
            0 => "it is one element and has no axes: leave --axis out".into(),
            1 => "its only axis is 0, or -1".into(),
            axes => format!("its axes are 0 to {}, or -{axes} to -1 from the last", axes - 1),
        };
        let mut reduced = Vec::new();
        for &axis in named {
            let from_first = if axis < 0 { axis.saturating_add_unsigned(shape.len() as u64) } else { axis };
            match usize::try_from(from_first) {
                Ok(found) if found >= shape.len() => return Err(wrong(axis, &last)),
                Ok(found) if reduced.contains(&found) => {
                    return Err(wrong(axis, &format!("axis {found} was named before, name it once")));
                }
                Ok(found) => reduced.push(found),
                Err(_) => return Err(wrong(axis, &last)),
            }
        }
        reduced.sort_unstable();
        let lengths = |wanted: bool| {
            let axes = shape.iter().enumerate();
            axes.filter(|(axis, _)| reduced.contains(axis) == wanted).map(|(_, &length)| length).collect()
        };
        let (kept_shape, reduced_shape) = (lengths(false), lengths(true));
        Ok(Self { path: npy.path.clone(), shape, fortran, reduced, kept_shape, reduced_shape })
    }

    /// The index along the axes that are kept.
    pub(crate) fn of_row(&self, row: usize) -> Vec<u64> {
        coordinates(&self.kept_shape, row as u64)
    }

    /// The index along the axes that are reduced.
    pub(crate) fn in_row(&self, index: u64) -> Vec<u64> {
        coordinates(&self.reduced_shape, index)
    }

    /// The row in NumPy's index notation, such as `[3, :]`.
    pub(crate) fn slice(&self, row: usize) -> String {
        let mut kept = self.of_row(row).into_iter();
        let one = |axis| match self.reduced.contains(&axis) {
            true => String::from(":"),
            false => kept.next().unwrap_or_default().to_string(),
        };
        format!("[{}]", (0..self.shape.len()).map(one).collect::<Vec<_>>().join(", "))
    }

    /// Returns how the elements lie in memory. There is at least one.
    pub(super) fn slabs(&self) -> Slabs {
        let in_memory: Vec<usize> = match self.fortran {
            true => (0..self.shape.len()).collect(),
            false => (0..self.shape.len()).rev().collect(),
        };
        let (mut axes, mut stride) = (Vec::new(), 1);
        for axis in in_memory {
            // Not longer than the array.
            let length = self.shape[axis] as usize;
            axes.push((axis, (length, stride)));
            stride *= length;
        }
        axes.retain(|&(_, (length, _))| length > 1);
        axes.reverse();
        let first = axes.iter().take_while(|(axis, _)| !self.reduced.contains(axis)).count();
        let inner = axes.split_off(first);
        let (mut reduced, kept): (Vec<_>, Vec<_>) =
            inner.into_iter().partition(|(axis, _)| self.reduced.contains(axis));
        reduced.sort_unstable();
        let strides = |axes: Vec<(usize, Axis)>| axes.into_iter().map(|(_, axis)| axis).collect();
        let count = axes.iter().map(|&(_, (length, _))| length).product();
        Slabs { count, kept: strides(kept), reduced: strides(reduced) }
    }

    /// The place of a row among the rows in memory order.
    pub(super) fn order(&self) -> impl Fn(usize) -> usize + use<> {
        let (fortran, shape) = (self.fortran, self.kept_shape.clone());
        move |row| match fortran {
            true => {
                let index = coordinates(&shape, row as u64).into_iter().zip(&shape).rev();
                index.fold(0, |place, (at, &length)| place * length as usize + at as usize)
            }
            false => row,
        }
    }
}
