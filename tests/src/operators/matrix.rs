//! The catalogue, read from its matrix.

/// The matrix, and how to read it.
pub(crate) const TEXT: &str = include_str!("../../../gpu-kernels/src/catalogue/matrix.txt");

/// The kernels of a pair. Each kind has those of the kinds before it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kernels {
    /// None.
    None,
    /// For one array alone, or for two.
    One,
    /// For many results at once: rows, columns, axes, segments, groups.
    Many,
    /// For scans.
    Scan,
}

/// A pair of an operator and an element.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    /// The name of its entries.
    pub(crate) entry: String,
    pub(crate) operator: String,
    pub(crate) element: String,
    pub(crate) cell: &'static str,
}

impl Pair {
    pub(crate) fn kernels(&self) -> Kernels {
        match self.cell.as_bytes()[0] {
            b's' => Kernels::Scan,
            b'm' => Kernels::Many,
            b'1' => Kernels::One,
            _ => Kernels::None,
        }
    }

    /// The letter of the reason why it has no kernels, or none for many results.
    pub(crate) fn reason(&self) -> &'static str {
        self.cell.trim_start_matches('1').trim_end_matches(['+', '-', '*', '!'])
    }
}

/// An operator.
pub(crate) struct Row {
    /// The operator, for any element `T`.
    pub(crate) operator: &'static str,
    /// Whether its elements are those of the columns, not made of them.
    pub(crate) is_over_columns: bool,
    /// The pair of each column, except for pairs that do not exist.
    pub(crate) pairs: Vec<(&'static str, Pair)>,
}

/// The rows of the operators over one array, and of the operators over two.
pub(crate) fn tables() -> [Vec<Row>; 2] {
    let mut tables = TEXT.split("\nentry ").skip(1).map(|table| {
        let mut lines = table.lines();
        let columns: Vec<_> = lines.next().unwrap_or_default().split_whitespace().skip(1).collect();
        lines.take_while(|line| !line.is_empty()).map(|line| row(line, &columns)).collect()
    });
    [(); 2].map(|()| tables.next().unwrap_or_default())
}

/// The letters of the reasons, and the reasons.
pub(crate) fn reasons() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXT.lines().filter_map(|line| line.split_once(": ")).filter(|(letter, _)| letter.len() == 1)
}

fn row(line: &'static str, columns: &[&'static str]) -> Row {
    let mut words = line.split_whitespace().peekable();
    let (entry, operator) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let over = words.next_if_eq(&"of").and_then(|_| words.next());
    let cells: Vec<_> = words.collect();
    assert_eq!(cells.len(), columns.len(), "a cell for each column: {line}");
    let pairs = columns.iter().zip(cells).filter(|(_, cell)| *cell != "-").map(|(&column, cell)| {
        let pair = Pair {
            entry: format!("reduce_{}", entry.replace('T', column)),
            operator: of(operator, column),
            element: over.map_or_else(|| column.to_owned(), |over| of(over, column)),
            cell,
        };
        (column, pair)
    });
    Row { operator, is_over_columns: over.is_none(), pairs: pairs.collect() }
}

/// The type with this element in the place of `T`.
fn of(name: &str, element: &str) -> String {
    name.split_inclusive(['<', '>', ','])
        .map(|part| match part.strip_prefix('T') {
            Some(end) if end.len() < 2 => format!("{element}{end}"),
            _ => part.to_owned(),
        })
        .collect()
}
