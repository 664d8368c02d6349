//! Each operator as documents show it, with an example that is a doctest.

use std::fmt::Write as _;

/// An operator, what it returns, of which type for elements `T`, for empty input, what becomes of NaN, a call and its result.
type Line = [&'static str; 7];

macro_rules! lines {
    ($(($operator:literal, $gives:literal, $type:literal, $empty:literal, $nan:literal,
        $call:literal, $result:literal)),* $(,)?) => {
        const LINES: &[Line] = &[$([$operator, $gives, $type, $empty, $nan, $call, $result]),*];

        /// The examples, as one test.
        #[cfg(doctest)]
        #[doc = concat!(
            "```\n# use warpfold::*;\n# fn main() -> Result<(), Error> {\nlet cpu = Cpu::new();\n",
            $("assert_eq!(", $call, ", ", $result, ");\n",)*
            "# Ok(())\n# }\n```"
        )]
        pub struct Examples;
    };
}

lines! {
    ("Sum", "the sum; of bools, how many are true", "integers: 64 bits, or 128 for elements of 128, wrapping; otherwise `T`", "0, -0.0", "any NaN gives NaN",
        "cpu.reduce(Sum, &[1.5f64, 2.0, 4.0])?", "7.5"),
    ("SumIn<A>", "the sum, carried and returned in `A`", "`A`", "0, -0.0", "any NaN gives NaN",
        "reduce::<u64, SumIn<u128>>(&[u64::MAX, 2])?", "(1 << 64) + 1"),
    ("AccurateSum", "the sum, with the rounding errors carried too", "the float that `T` is carried in", "-0.0", "any NaN gives NaN",
        "cpu.reduce(AccurateSum, &[1e16f64, 1.0, -1e16])?", "1.0"),
    ("ExactSum", "the exact sum, rounded once", "`T`", "-0.0", "any NaN gives NaN",
        "cpu.reduce(ExactSum, &[1e30f64, 1.0, -1e30])?", "1.0"),
    ("Product", "the product", "as `Sum`", "1", "any NaN gives NaN",
        "cpu.reduce(Product, &[2i64, 3, 4])?", "24"),
    ("ProductIn<A>", "the product, carried and returned in `A`", "`A`", "1", "any NaN gives NaN",
        "reduce::<f32, ProductIn<f64>>(&[1e30, 1e30])?", "f64::from(1e30f32) * f64::from(1e30f32)"),
    ("Min", "the least element; NaN is skipped", "`Option<T>`", "`None`", "skipped; all NaN gives NaN",
        "cpu.reduce(Min, &[3.0, f64::NAN, 1.0])?", "Some(1.0)"),
    ("Max", "the greatest element; NaN is skipped", "`Option<T>`", "`None`", "skipped; all NaN gives NaN",
        "cpu.reduce(Max, &[3.0, f64::NAN, 1.0])?", "Some(3.0)"),
    ("Minimum", "the least element, or NaN if one is", "`Option<T>`", "`None`", "any NaN gives NaN",
        "cpu.reduce(Minimum, &[3.0, 1.0])?", "Some(1.0)"),
    ("Maximum", "the greatest element, or NaN if one is", "`Option<T>`", "`None`", "any NaN gives NaN",
        "cpu.reduce(Maximum, &[3.0, 1.0])?", "Some(3.0)"),
    ("MinMax", "the least and the greatest element", "`Option<Extremes<T>>`", "`None`", "as `Min`",
        "cpu.reduce(MinMax, &[3, 1, 2])?", "Some(Extremes { min: 1, max: 3 })"),
    ("ArgMin", "the least element and its first index", "`Option<At<T>>`", "`None`", "as `Min`",
        "cpu.reduce(ArgMin, &[3, 1, 1])?", "Some(At { index: 1, value: 1 })"),
    ("ArgMax", "the greatest element and its first index", "`Option<At<T>>`", "`None`", "as `Min`",
        "cpu.reduce(ArgMax, &[3, 1, 3])?", "Some(At { index: 0, value: 3 })"),
    ("ArgMinMax", "both, with their indices", "`Option<Extremes<At<T>>>`", "`None`", "as `Min`",
        "cpu.reduce(ArgMinMax, &[3, 1])?", "Some(Extremes { min: At { index: 1, value: 1 }, max: At { index: 0, value: 3 } })"),
    ("Mean", "the mean", "`Option`: f64 for integers, exact and rounded once; otherwise the float that `T` is carried in", "`None`", "any NaN gives NaN",
        "cpu.reduce(Mean, &[1i32, 2, 4, 5])?", "Some(3.0)"),
    ("Variance", "the mean squared distance from the mean", "`Option`: f64 for integers, exact and rounded once; otherwise the float that `T` is carried in", "`None`", "any NaN gives NaN",
        "cpu.reduce(Variance, &[1.0f64, 3.0])?", "Some(1.0)"),
    ("SampleVariance", "the variance of what the elements are a sample of: divided by n - 1", "`Option`: f64 for integers, exact and rounded once; otherwise the float that `T` is carried in", "`None`", "any NaN gives NaN",
        "cpu.reduce(SampleVariance, &[1.0f64, 3.0])?", "Some(2.0)"),
    ("StdDev", "the root of the variance", "`Option`: f64 for integers, exact and rounded once; otherwise the float that `T` is carried in", "`None`", "any NaN gives NaN",
        "cpu.reduce(StdDev, &[1.0f64, 3.0])?", "Some(1.0)"),
    ("SampleStdDev", "the root of the sample variance", "`Option`: f64 for integers, exact and rounded once; otherwise the float that `T` is carried in", "`None`", "any NaN gives NaN",
        "cpu.reduce(SampleStdDev, &[0.0f64, 2.0, 4.0])?", "Some(2.0)"),
    ("ExactMean", "the mean of floats, exact and rounded once", "`Option<T>`", "`None`", "any NaN gives NaN",
        "cpu.reduce(ExactMean, &[1e16f64, 4.0, -1e16, 0.0])?", "Some(1.0)"),
    ("ExactVariance", "the variance of floats, exact and rounded once", "`Option<T>`", "`None`", "any NaN gives NaN",
        "cpu.reduce(ExactVariance, &[1e15f64, 1e15 + 2.0])?", "Some(1.0)"),
    ("ExactSampleVariance", "the sample variance of floats, exact and rounded once", "`Option<T>`", "`None`", "any NaN gives NaN",
        "cpu.reduce(ExactSampleVariance, &[1e15f64, 1e15 + 2.0])?", "Some(2.0)"),
    ("ExactStdDev", "the root of the exact variance, rounded once", "`Option<T>`", "`None`", "any NaN gives NaN",
        "cpu.reduce(ExactStdDev, &[1e15f64, 1e15 + 2.0])?", "Some(1.0)"),
    ("ExactSampleStdDev", "the root of the exact sample variance, rounded once", "`Option<T>`", "`None`", "any NaN gives NaN",
        "cpu.reduce(ExactSampleStdDev, &[1e15f64, 1e15 + 2.0, 1e15 + 4.0])?", "Some(2.0)"),
    ("SumOfSquares", "the sum of the squares", "u64 for integers, wrapping; otherwise the float that `T` is carried in", "0", "any NaN gives NaN",
        "cpu.reduce(SumOfSquares, &[3i32, -4])?", "25"),
    ("Norm1", "the sum of the absolute values", "u64 for integers, wrapping; otherwise the float that `T` is carried in", "0", "any NaN gives NaN",
        "cpu.reduce(Norm1, &[3i32, -4])?", "7"),
    ("Norm2", "the root of the sum of the squares", "f64 for integers, exact and rounded once; otherwise the float that `T` is carried in", "0", "any NaN gives NaN",
        "cpu.reduce(Norm2, &[3i32, -4])?", "5.0"),
    ("NormInf", "the greatest absolute value", "u64 for integers; otherwise the float that `T` is carried in", "0", "any NaN gives NaN",
        "cpu.reduce(NormInf, &[3i32, -4])?", "4"),
    ("CentredSquares<T>", "the sum of the squared distances from a number", "the float that `T` is carried in", "0", "any NaN gives NaN",
        "cpu.reduce(CentredSquares { centre: 1.0 }, &[0.0f64, 3.0])?", "5.0"),
    ("BitAnd", "the bits that all elements have", "`T`", "all ones", "",
        "cpu.reduce(BitAnd, &[0b110, 0b011])?", "0b010"),
    ("BitOr", "the bits that any element has", "`T`", "0", "",
        "cpu.reduce(BitOr, &[0b110, 0b011])?", "0b111"),
    ("BitXor", "the bits that an odd number of elements has", "`T`", "0", "",
        "cpu.reduce(BitXor, &[0b110, 0b011])?", "0b101"),
    ("All", "whether no element is 0 or false", "bool", "true", "is not 0",
        "cpu.reduce(All, &[true, false])?", "false"),
    ("Any", "whether any element is not 0 or true", "bool", "false", "is not 0",
        "cpu.reduce(Any, &[0, 7])?", "true"),
    ("Count<NonZero>", "how many elements are not 0", "u64", "0", "is not 0",
        "cpu.reduce(count(NonZero), &[0, 7, 8])?", "2"),
    ("Count<IsNan>", "how many elements are NaN", "u64", "0", "is counted",
        "cpu.reduce(count(IsNan), &[1.0, f32::NAN])?", "1"),
    ("Count<Above<T>>", "how many elements are greater than a number", "u64", "0", "is not counted",
        "cpu.reduce(count(above(2)), &[1, 2, 3])?", "1"),
    ("Count<Below<T>>", "how many elements are less than a number", "u64", "0", "is not counted",
        "cpu.reduce(count(below(2)), &[1, 2, 3])?", "1"),
    ("Count<Within<T>>", "how many elements are in a range, ends included", "u64", "0", "is not counted",
        "cpu.reduce(count(within(2, 3)), &[1, 2, 3])?", "2"),
    ("First", "the first element", "`Option<T>`", "`None`", "an element like any other",
        "cpu.reduce(First, &[3, 1, 2])?", "Some(3)"),
    ("Last", "the last element", "`Option<T>`", "`None`", "an element like any other",
        "cpu.reduce(Last, &[3, 1, 2])?", "Some(2)"),
    ("Compose", "affine maps one after the other", "`T`", "the identity", "",
        "cpu.reduce(Compose, &[Affine::new(2u32, 0), Affine::new(1, 3)])?", "Affine::new(2, 3)"),
    ("MatrixProduct", "the product of 2 x 2 matrices", "`T`", "the identity", "",
        "cpu.reduce(MatrixProduct, &[Matrix2 { rows: [[1u32, 1], [1, 0]] }; 5])?.rows[0][1]", "5"),
    ("PolynomialHash", "a hash of bytes", "u64", "0", "",
        "cpu.reduce(PolynomialHash, b\"ab\")?", "98 * PolynomialHash::BASE + 99"),
    ("Dot", "the sum of the products of pairs", "the accumulator of `Sum` of `T`", "as `Sum`", "any NaN gives NaN",
        "cpu.reduce(Dot, zip(&[1i32, 2], &[3, 4]))?", "11"),
    ("AccurateDot", "the same, with the rounding errors carried too", "the float that `T` is carried in", "-0.0", "any NaN gives NaN",
        "cpu.reduce(AccurateDot, zip(&[1e16f64, 1.0, -1e16], &[1.0; 3]))?", "1.0"),
    ("ExactDot", "the same, exact and rounded once", "`T`", "-0.0", "any NaN gives NaN",
        "cpu.reduce(ExactDot, zip(&[1e30f64, 1.0, -1e30], &[1.0; 3]))?", "1.0"),
    ("ExactCovariance", "the covariance of pairs of floats, exact and rounded once", "`Option<T>`", "`None`", "any NaN gives NaN",
        "cpu.reduce(ExactCovariance, zip(&[1e15f64, 1e15 + 2.0], &[1.0, 4.0]))?", "Some(1.5)"),
    ("ExactSampleCovariance", "the sample covariance of pairs of floats, exact and rounded once", "`Option<T>`", "`None`", "any NaN gives NaN",
        "cpu.reduce(ExactSampleCovariance, zip(&[1e15f64, 1e15 + 2.0], &[1.0, 4.0]))?", "Some(3.0)"),
    ("ExactCorrelation", "the correlation of pairs of floats, exact and rounded once", "`Option<T>`", "`None`", "any NaN gives NaN",
        "cpu.reduce(ExactCorrelation, zip(&[1e15f64, 1e15 + 2.0], &[4.0, 1.0]))?", "Some(-1.0)"),
    ("SquaredDistance", "the sum of the squared differences of pairs", "the accumulator of `Sum` of `T`", "as `Sum`", "any NaN gives NaN",
        "cpu.reduce(SquaredDistance, zip(&[1.0f64, 2.0], &[1.0, 4.0]))?", "4.0"),
    ("WeightedMean", "the mean of first elements, weighted by the second", "`Option` of the accumulator of `Sum` of `T`", "`None`", "any NaN gives NaN",
        "cpu.reduce(WeightedMean, zip(&[1.0f64, 4.0], &[2.0, 1.0]))?", "Some(2.0)"),
    ("(A, B), (A, B, C), (A, B, C, D)", "the results of two to four operators in one pass; more by nesting", "a tuple of results", "one for each", "one for each",
        "cpu.reduce((Sum, (Min, Max)), &[1i32, 2])?", "(3, (Some(1), Some(2)))"),
}

/// The table of docs/operators.md.
pub(super) fn of_the_page() -> String {
    let head = "| operator | returns | type for elements `T` | empty input | NaN | example | is |\n|---|---|---|---|---|---|---|\n";
    LINES.iter().fold(head.to_owned(), |mut table, [operator, gives, ty, empty, nan, call, result]| {
        let _ =
            writeln!(table, "| `{operator}` | {gives} | {ty} | {empty} | {nan} | `{call}` | `{result}` |");
        table
    })
}

/// The table in the documentation of the library, which links each operator.
pub(super) fn of_the_library() -> String {
    let head = "| operator | returns | type for elements `T` | empty input | NaN |\n|---|---|---|---|---|\n";
    LINES.iter().fold(head.to_owned(), |mut table, [operator, gives, ty, empty, nan, ..]| {
        let name = plain(operator);
        let operator = match name {
            "" => format!("`{operator}`"),
            _ => format!("[`{operator}`]({name})"),
        };
        let _ = writeln!(table, "| {operator} | {gives} | {ty} | {empty} | {nan} |");
        table
    })
}

/// Whether an operator of the catalogue is in the list.
pub(super) fn has(operator: &str) -> bool {
    operator.starts_with('(')
        || LINES.iter().any(|[listed, ..]| *listed == operator)
        || (!operator.starts_with("Count<")
            && LINES.iter().any(|[listed, ..]| plain(listed) == plain(operator)))
}

/// An operator's name without parameters; of tuples, nothing.
fn plain(operator: &str) -> &str {
    operator.split(['<', '(']).next().unwrap_or_default()
}
