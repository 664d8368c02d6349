//! Columns of text.

/// Lines of cells, each column as wide as its widest cell; the first `left` columns are left-aligned, the
/// others right-aligned.
pub(crate) fn table(left: usize, header: &[&str], rows: &[Vec<String>]) -> String {
    let header: Vec<String> = header.iter().map(|&cell| cell.to_owned()).collect();
    let all = || std::iter::once(&header).chain(rows);
    let width = |column: usize| {
        all().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let mut text = String::new();
    for row in all() {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let width = width(column);
            if column < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        text += &format!("  {}\n", line.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".into(), "1".into()], vec!["bcd".into(), "200".into()]];
        assert_eq!(table(1, &["", "n"], &rows), "         n\n  a      1\n  bcd  200\n");
    }
}
