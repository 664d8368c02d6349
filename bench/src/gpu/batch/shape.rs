//! Matrices as cases.

/// Rows and columns.
pub(super) type Shape = [usize; 2];

/// The option that names shapes.
#[derive(clap::Args)]
pub(super) struct Shapes {
    /// Shapes such as 1024x256, instead of the shapes of docs/performance/rows.md.
    #[arg(long, value_parser = shape, value_delimiter = ',')]
    shapes: Vec<Shape>,
}

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

impl Shapes {
    pub(super) fn wanted(&self) -> &[Shape] {
        if self.shapes.is_empty() { &SHAPES } else { &self.shapes }
    }

    /// The names for the peers.
    pub(super) fn names(&self) -> Vec<String> {
        self.wanted().iter().copied().map(name).collect()
    }

    /// The most elements of a shape.
    pub(super) fn most(&self) -> usize {
        self.wanted().iter().map(|[rows, columns]| rows * columns).max().unwrap_or(0)
    }
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
pub(super) fn name([rows, columns]: Shape) -> String {
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
