//! A table for the terminal whose rows can be printed while later rows are still being measured.

/// Columns with headings; the first column is left-aligned, the others right-aligned.
#[derive(Clone)]
pub(crate) struct Table {
    widths: Vec<usize>,
    header: String,
}

impl Table {
    /// A table with these headings, between semicolons. A column is as wide as its heading, and at least as wide as
    /// `least`.
    pub(crate) fn new(least: usize, headings: &str) -> Self {
        let widths: Vec<usize> =
            headings.split(';').map(|heading| heading.chars().count().max(least)).collect();
        let header = line(&widths, headings.split(';'));
        Self { widths, header }
    }

    /// The headings, underlined.
    pub(crate) fn header(&self) -> String {
        format!("{}\n{}", self.header, "-".repeat(self.header.chars().count()))
    }

    /// One row. A cell wider than its column pushes the rest to the right.
    pub(crate) fn row(&self, cells: &[String]) -> String {
        line(&self.widths, cells.iter().map(String::as_str))
    }
}

fn line<'a>(widths: &[usize], cells: impl Iterator<Item = &'a str>) -> String {
    let mut line = String::new();
    for (i, (cell, &width)) in cells.zip(widths).enumerate() {
        let gap = if i == 0 { "" } else { "  " };
        line += &if i == 0 { format!("{cell:<width$}") } else { format!("{gap}{cell:>width$}") };
    }
    line.trim_end().to_owned()
}

/// A whole table for the terminal: a column is as wide as its widest cell.
pub(crate) fn text(headings: &[&str], rows: &[Vec<String>]) -> String {
    let padded = headings.iter().enumerate().map(|(i, head)| {
        let cells = rows.iter().filter_map(|row| row.get(i));
        let width = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        if i == 0 { format!("{head:<width$}") } else { format!("{head:>width$}") }
    });
    let table = Table::new(7, &padded.collect::<Vec<_>>().join(";"));
    format!("{}\n{}", table.header(), rows.iter().map(|row| table.row(row) + "\n").collect::<String>())
}

/// A whole table in Markdown; all columns after the first `left` are right-aligned.
pub(crate) fn markdown(left: usize, headings: &[impl AsRef<str>], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let rule = (0..headings.len()).map(|i| if i < left { "---" } else { "---:" }).collect();
    let rows = rows.iter().map(|row| line(row.iter().map(String::as_str).collect()));
    [line(headings.iter().map(AsRef::as_ref).collect()), line(rule)].into_iter().chain(rows).collect()
}

/// `n` as `2^k` if it is a power of two, otherwise in digits.
pub(crate) fn elements(n: u64) -> String {
    if n.is_power_of_two() { format!("2^{}", n.ilog2()) } else { n.to_string() }
}

/// Microseconds with three decimals up to 100, with one above; a dash for `None`.
pub(crate) fn microseconds(us: Option<f64>) -> String {
    us.map_or_else(|| "-".to_owned(), |us| if us < 100.0 { format!("{us:.3}") } else { format!("{us:.1}") })
}

/// A ratio with two decimals; a dash for `None`.
pub(crate) fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let table = Table::new(6, "n;ours us;x");
        let header = table.header();
        assert_eq!(header.lines().next(), Some("n       ours us       x"));
        assert_eq!(header.lines().last().map(str::len), header.lines().next().map(str::len));
        assert_eq!(table.row(&["2^10".into(), "3.190".into(), "1.11".into()]), "2^10      3.190    1.11");
    }

    #[test]
    fn whole_tables_fit_their_cells() {
        let rows = [vec!["wide cell".to_owned(), "1".to_owned()]];
        assert_eq!(text(&["a", "b"], &rows), "a                b\n------------------\nwide cell        1\n");
        assert_eq!(markdown(1, &["a", "b"], &rows), "| a | b |\n| --- | ---: |\n| wide cell | 1 |\n");
    }

    #[test]
    fn cells_say_what_is_missing() {
        assert_eq!((microseconds(None), ratio(None)), ("-".into(), "-".into()));
        assert_eq!(
            (microseconds(Some(1.4984)), microseconds(Some(942.104))),
            ("1.498".into(), "942.1".into())
        );
        assert_eq!((elements(1 << 20), elements(1000)), ("2^20".into(), "1000".into()));
    }
}
