//! The format's vectors, here and in Python.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use warpfold_exact::{Comoments, Dot, Element, Moments, Sum};

/// A line: a state and its element, elements, bytes, and results, separated by bars. `docs/exact.md` describes it.
const VECTORS: &str = include_str!("../vectors.txt");

/// An element or a result as text: a float by its bits.
trait Text: Copy {
    fn read(text: &str) -> Self;
    fn print(self) -> String;
}

macro_rules! texts {
    (floats $($float:ident, $bits:ident;)*) => { $(
        impl Text for $float {
            fn read(text: &str) -> Self {
                Self::from_bits($bits::from_str_radix(text, 16).unwrap())
            }
            fn print(self) -> String {
                format!("{:01$x}", self.to_bits(), $bits::BITS as usize / 4)
            }
        }
    )* };
    (integers $($integer:ident)*) => { $(
        impl Text for $integer {
            fn read(text: &str) -> Self {
                text.parse().unwrap()
            }
            fn print(self) -> String {
                self.to_string()
            }
        }
    )* };
}
texts! { floats f32, u32; f64, u64; }
#[cfg(feature = "half")]
type F16 = half::f16;
#[cfg(feature = "half")]
type Bf16 = half::bf16;
#[cfg(feature = "half")]
texts! { floats F16, u16; Bf16, u16; }
texts! { integers i64 u64 i128 u128 }

impl<T: Text> Text for Option<T> {
    fn read(text: &str) -> Self {
        (text != "none").then(|| T::read(text))
    }
    fn print(self) -> String {
        self.map_or_else(|| "none".to_owned(), T::print)
    }
}

/// Returns the line of this state, element and input.
fn line<T: Element<Value: Text, Float: Text> + Text>(state: &str, element: &str, input: &str) -> String {
    let weighted = input.split_whitespace().map(|item| item.split_once('*').unwrap_or(("1", item)));
    let weighted = weighted.map(|(weight, x)| (x, weight.parse::<i64>().unwrap()));
    let pair = |x: &str| x.split_once(',').map(|(x, y)| (T::read(x), T::read(y))).unwrap();
    macro_rules! of {
        ($State:ident, |$state:ident, $x:ident, $weight:ident| $push:expr, $($result:ident),*) => {{
            let mut $state = $State::<T>::new();
            weighted.for_each(|($x, $weight)| $push);
            let mut buffer = vec![0; $State::<T>::MAX_BYTES];
            let bytes = $state.encode(&mut buffer).unwrap();
            assert_eq!($State::<T>::decode(bytes).as_ref(), Ok(&$state));
            (bytes.to_vec(), vec![$($state.$result().print()),*])
        }};
    }
    let (bytes, results) = match state {
        "sum" => of!(Sum, |sum, x, weight| sum.push_weighted(T::read(x), weight), value, mean),
        "dot" => of!(Dot, |dot, x, weight| dot.push_weighted(pair(x).0, pair(x).1, weight), value),
        "moments" => of!(
            Moments,
            |moments, x, weight| moments.push_weighted(T::read(x), weight),
            mean,
            variance,
            sample_variance,
            std_dev,
            sample_std_dev
        ),
        "comoments" => of!(
            Comoments,
            |comoments, x, weight| comoments.push_weighted(pair(x).0, pair(x).1, weight),
            covariance,
            sample_covariance,
            correlation,
            slope,
            intercept
        ),
        _ => panic!("{state}"),
    };
    let bytes = bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    });
    format!("{state} {element} | {input} | {bytes} | {}", results.join(" "))
}

/// Returns the line as it must be; `None` for a comment, or an element that this build lacks.
fn expected(written: &str) -> Option<String> {
    let mut fields = written.split('|').map(str::trim);
    let (state, element) = fields.next()?.split_once(' ')?;
    let input = fields.next()?;
    let line = match element {
        "f32" => line::<f32>,
        "f64" => line::<f64>,
        #[cfg(feature = "half")]
        "f16" => line::<F16>,
        #[cfg(feature = "half")]
        "bf16" => line::<Bf16>,
        "i64" => line::<i64>,
        "u64" => line::<u64>,
        "i128" => line::<i128>,
        "u128" => line::<u128>,
        _ => return None,
    };
    Some(line(state, element, input))
}

#[test]
fn vectors_are_written() {
    let mut seen = 0;
    for written in VECTORS.lines() {
        if let Some(expected) = expected(written) {
            assert_eq!(written, expected);
            seen += 1;
        }
    }
    assert!(seen >= 28, "{seen}");
}

/// For lines that were added with a state, an element and an input alone: `cargo test -p warpfold-exact --features half --
/// --ignored write_vectors`.
#[test]
#[ignore = "writes"]
fn write_vectors() {
    let lines = VECTORS.lines().map(|line| expected(line).unwrap_or_else(|| line.to_owned()) + "\n");
    std::fs::write(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors.txt"),
        lines.collect::<String>(),
    )
    .unwrap();
}

#[test]
fn a_program_that_shares_no_code_has_the_same_vectors() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let program =
        Command::new("python3").arg(tests.join("vectors.py")).arg(tests.join("vectors.txt")).output();
    let Ok(output) = program else {
        println!("not run: a_program_that_shares_no_code_has_the_same_vectors, since there is no python3");
        return;
    };
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
}
