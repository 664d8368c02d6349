//! Columns of text, and numbers with units.

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

/// A share with as many decimals.
pub(crate) fn percent(share: f64, decimals: usize) -> String {
    format!("{:.decimals$} %", 100.0 * share)
}

/// A number with three digits, or with all digits before the point if these are more.
pub(crate) fn significant(x: f64) -> String {
    match x {
        x if x >= 100.0 => format!("{x:.0}"),
        x if x >= 10.0 => format!("{x:.1}"),
        x => format!("{x:.2}"),
    }
}

/// Microseconds in the unit that fits.
pub(crate) fn time(us: f64) -> String {
    match us {
        us if us >= 1e6 => format!("{} s", significant(us / 1e6)),
        us if us >= 1e3 => format!("{} ms", significant(us / 1e3)),
        us => format!("{} us", significant(us)),
    }
}

/// A number of bytes in the unit that fits.
#[cfg(any(test, feature = "cuda"))]
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{} GB", significant(b / 1e9)),
        b if b >= 1e6 => format!("{} MB", significant(b / 1e6)),
        b if b >= 1e3 => format!("{} kB", significant(b / 1e3)),
        b => format!("{b} B"),
    }
}

/// A number as a power of two, if it is one.
pub(crate) fn power(n: usize) -> String {
    if n.is_power_of_two() && n >= 1024 { format!("2^{}", n.ilog2()) } else { n.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".into(), "1".into()], vec!["bcd".into(), "200".into()]];
        assert_eq!(table(1, &["", "n"], &rows), "         n\n  a      1\n  bcd  200\n");
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([0.123, 4.5678, 45.678, 4567.8].map(significant), ["0.12", "4.57", "45.7", "4568"]);
        assert_eq!([12.0, 1234.0, 2.5e6].map(time), ["12.0 us", "1.23 ms", "2.50 s"]);
        assert_eq!([power(1 << 22), power(1000), bytes(1 << 30)], ["2^22", "1000", "1.07 GB"]);
    }
}
