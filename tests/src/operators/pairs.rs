//! The lists of pairs as Rust, written from the matrix.

use super::matrix::{Kernels, Pair, Row, tables};

/// The lists of gpu-kernels, from the lists before them: the lines of each macro in `kept` are replaced. `atomic` are the entries whose
/// operator has an atomic instruction.
pub(crate) fn lists(kept: &str, atomic: &[&str]) -> String {
    let [one, two] = tables();
    let lines = |rows: &[Row], kernels| -> String {
        let pairs = rows.iter().flat_map(|row| &row.pairs).map(|(_, pair)| pair);
        pairs.filter(|pair| pair.kernels() == kernels).map(|pair| line(pair, "$crate::")).collect()
    };
    let of_one = one.iter().flat_map(|row| &row.pairs).map(|(_, pair)| pair);
    let with_atomic = of_one.filter(|pair| atomic.contains(&&*pair.entry));
    let macros = [
        ("for_each_atomic_kernel", with_atomic.map(|pair| line(pair, "$crate::")).collect()),
        ("for_each_zip_kernel", lines(&two, Kernels::One)),
        ("scanned_pairs", lines(&one, Kernels::Scan)),
        ("many_pairs", lines(&one, Kernels::Many)),
        ("flat_pairs", lines(&one, Kernels::One)),
    ];
    macros.iter().fold(kept.to_owned(), |text, (name, lines)| {
        let (before, rest) = text.split_once(&format!("macro_rules! {name} ")).unwrap_or((&text, ""));
        let is_line = |line: &&str| line.trim_start().starts_with("reduce_");
        let head: String = rest.split_inclusive('\n').take_while(|line| !is_line(line)).collect();
        let tail: String = rest[head.len()..].split_inclusive('\n').skip_while(is_line).collect();
        format!("{before}macro_rules! {name} {head}{lines}{tail}")
    })
}

/// A pair's line, with the path to gpu-kernels.
pub(crate) fn line(pair: &Pair, path: &str) -> String {
    let Pair { entry, operator, element, .. } = pair;
    format!("            {entry}: {}, {};\n", rust(operator, path), rust(element, path))
}

/// A type of the matrix in Rust.
fn rust(name: &str, path: &str) -> String {
    let is_primitive = |word: &str| {
        let number = word.trim_start_matches(['i', 'u', 'f']);
        word == "bool" || (number.len() < word.len() && number.parse::<u8>().is_ok() && word != "f16")
    };
    name.split_inclusive(['(', ')', '<', '>', ','])
        .map(|part| {
            let (word, end) = part.split_at(part.trim_end_matches(['(', ')', '<', '>', ',']).len());
            let end = if end == "," { ", " } else { end };
            match word {
                "" => end.to_owned(),
                "c32" => format!("{path}Complex<f32>{end}"),
                "c64" => format!("{path}Complex<f64>{end}"),
                _ if is_primitive(word) => format!("{word}{end}"),
                _ => format!("{path}{word}{end}"),
            }
        })
        .collect()
}
