//! Why a pair has no kernels.

use super::Operation;

/// Each reason, by its letter.
pub(super) const REASONS: [(&str, &str); 11] = [
    (
        "a",
        "the operator is not of this element: bits are of integers, an order is not of complex numbers, and only floats are NaN or rounded.",
    ),
    (
        "b",
        "of bools `All` is the least and `Any` the greatest one, and `Sum` and `Count<NonZero>` are the norms.",
    ),
    (
        "c",
        "one of many choices of what to carry: those listed have kernels, and `Sum` and `Product` have them for every element.",
    ),
    (
        "d",
        "of 128 bits there are sums and extremes of one array; the CPU folds whatever else is implemented for them.",
    ),
    (
        "e",
        "a threshold of this type: convert the elements, or take the CPU. Fewer kernels keep the package small.",
    ),
    (
        "f",
        "operators together whose accumulators are large, or that are seldom asked for: fold them one by one.",
    ),
    (
        "g",
        "norms of elements of 1 and 2 bytes are made of one array at a time. Fewer kernels keep the package small.",
    ),
    (
        "h",
        "it is not scanned: a running result of it is seldom asked for, or another scan gives it. Fewer kernels keep the package small.",
    ),
    (
        "i",
        "of f64 the accumulator, of 276 bytes, fits no register file: the CPU folds it. Elements of 2 bytes are exact in f32: widen them.",
    ),
    (
        "j",
        "the CPU finds the first and the last of any plain data; on a GPU such an element is read from where it stands, by `DeviceArray::slice`.",
    ),
    ("k", "two arrays of integers have `Dot` alone. Fewer kernels keep the package small."),
];

/// The letter of the reason why an operator has no kernels for an element.
///
/// # Panics
/// If none is known: a hole is not to be there without.
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
