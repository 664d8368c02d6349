//! The reasons why pairs have no kernels.

use super::Operation;

/// Each reason, by its letter.
pub(super) const REASONS: [(&str, &str); 11] = [
    (
        "a",
        "the operator does not apply: only integers have bits, complex numbers have no order, only floats can be NaN or need rounding.",
    ),
    ("b", "use `All` for the least bool, `Any` for the greatest, and `Sum` or `Count<NonZero>` for norms."),
    (
        "c",
        "only some accumulator types have kernels; `Sum` has kernels for every element, `Product` for all but `bool` and 128 bits.",
    ),
    (
        "d",
        "elements of 128 bits have kernels for sums and extremes of one array; use the CPU for other operators.",
    ),
    (
        "e",
        "no kernels for thresholds of this type, to keep the package small: convert the elements, or use the CPU.",
    ),
    (
        "f",
        "a combination of operators with large accumulators, or rarely needed: reduce with one operator at a time.",
    ),
    ("g", "norms of elements of 1 and 2 bytes have kernels for one array alone, to keep the package small."),
    (
        "h",
        "no scan, to keep the package small: its running results are rarely needed, or another scan gives them.",
    ),
    (
        "i",
        "the accumulator for f64 has 276 bytes, too many for registers: use the CPU. Elements of 2 bytes are exact in f32: convert them.",
    ),
    (
        "j",
        "the CPU returns the first and last of any plain data; on a GPU, read this element by `DeviceArray::slice`.",
    ),
    ("k", "two arrays of integers have kernels for `Dot` alone, to keep the package small."),
];

/// The letter of the reason why an operator has no kernels for an element.
///
/// # Panics
/// If there is no known reason.
pub(super) fn reason(operation: Operation, op: &str, element: &str, has_one_array: bool) -> &'static str {
    let is_float = matches!(element, "f16" | "bf16" | "f32" | "f64");
    let is_long = matches!(element, "i128" | "u128");
    let is_integer = !is_float && !matches!(element, "bool" | "complex");
    let is_short = matches!(element, "i8" | "u8" | "i16" | "u16");
    let is_threshold = ["Count<Above<T>>", "Count<Below<T>>", "Count<Within<T>>"].contains(&op);
    let is_norm = ["SumOfSquares", "Norm1", "Norm2", "NormInf"].contains(&op);
    if has_one_array && operation == Operation::Scan {
        return "h";
    }
    if has_one_array && operation == Operation::Many {
        match op {
            _ if is_threshold => return "e",
            _ if is_norm && is_short => return "g",
            _ if is_long => return "d",
            "Product" | "Sum" => return "f",
            _ => {}
        }
    }
    match op {
        "First" | "Last" => "j",
        "SquaredDistance" if is_integer => "k",
        "BitAnd" | "BitOr" | "BitXor" if is_float || element == "complex" => "a",
        "Count<IsNan>" if is_integer || element == "bool" => "a",
        "AccurateSum" | "CentredSquares<T>" | "AccurateDot" | "WeightedMean"
            if is_integer || element == "bool" =>
        {
            "a"
        }
        "ExactSum" if is_float => "i",
        "ExactSum" => "a",
        _ if op.starts_with("SumIn") || op.starts_with("ProductIn") => "c",
        "PolynomialHash" => "a",
        "AccurateSum" | "CentredSquares<T>" if matches!(element, "f16" | "bf16") => "i",
        _ if element == "complex" => "a",
        _ if is_threshold && element != "bool" && !is_long => "e",
        _ if is_long => "d",
        _ if op.starts_with('(') => "f",
        "ArgMinMax" if is_short || is_float => "f",
        _ if element == "bool" => "b",
        _ => {
            panic!("{operation:?}: {op} of {element} has no kernels: say why in tests/src/operators/holes.rs")
        }
    }
}
