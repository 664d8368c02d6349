//! The samples of the tests as Rust, written from the marks of the matrix by the build script.

use std::fmt::Write as _;

use super::matrix::{Kernels, Pair, tables};
use super::pairs::line;

/// Elements of less than 4 bytes.
const SHORT: [&str; 7] = ["bool", "i8", "u8", "i16", "u16", "f16", "bf16"];

/// Two lists, as those of gpu-kernels, and the names of the pairs in every turn.
pub(crate) fn samples() -> String {
    let [one, _] = tables();
    let pairs: Vec<&Pair> = one.iter().flat_map(|row| &row.pairs).map(|(_, pair)| pair).collect();
    let mut text = String::new();
    let mut list = |name, like, kernels, is_taken: fn(&Pair) -> bool| {
        let _ = writeln!(
            text,
            "/// As [`gpu_kernels::{like}!`], with the pairs whose kernels the emulated device has."
        );
        let _ = writeln!(
            text,
            "#[macro_export]\nmacro_rules! {name} {{\n    ($stamp:ident) => {{\n        $stamp! {{"
        );
        for pair in pairs.iter().filter(|pair| pair.kernels() >= kernels && is_taken(pair)) {
            text.push_str(&line(pair, "$crate::gpu_kernels::"));
        }
        text.push_str("        }\n    };\n}\n");
    };
    let is_sample = |pair: &Pair| {
        let is_long = !SHORT.contains(&&*pair.element) && !pair.cell.ends_with('-');
        is_long || pair.cell.contains(['+', '*', '!'])
    };
    let is_sample_of_many = |pair: &Pair| pair.cell.contains('*');
    list("for_each_sampled_kernel", "for_each_kernel", Kernels::One, is_sample);
    list("for_each_sampled_rows_kernel", "for_each_rows_kernel", Kernels::Many, is_sample_of_many);

    let always = pairs.iter().filter(|pair| pair.cell.contains('!')).map(|pair| &pair.entry);
    let _ = writeln!(text, "pub(crate) const ALWAYS: &[&str] = &{:?};", always.collect::<Vec<_>>());
    text
}
