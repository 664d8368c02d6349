//! The PTX of formulas, read without a GPU: what it computes.

use std::collections::HashMap;

/// Computes a text that is a formula's alone: the bits of the registers that it leaves, from those of the registers `given` and of the
/// captured numbers. Fails at what formulas' texts do not have.
#[must_use]
pub fn run(text: &str, given: &[(&str, u64)], captured: &[u64]) -> HashMap<String, u64> {
    let mut registers: HashMap<String, u64> =
        given.iter().map(|&(register, word)| (register.to_owned(), word)).collect();
    let statements = text.split([';', '{', '}', '\n']).map(str::trim);
    for statement in statements.filter(|statement| !statement.is_empty() && !statement.starts_with('.')) {
        let (instruction, operands) = statement.split_once(char::is_whitespace).expect(statement);
        let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
        let word = |operand: &str| match operand.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).expect(statement),
            None => match operand.split_once('+') {
                Some((_, at)) => captured[at.trim_end_matches(']').parse::<usize>().expect(statement) / 8],
                None => operand.parse().unwrap_or_else(|_| *registers.get(operand).expect(statement)),
            },
        };
        let words: Vec<u64> = operands[1..].iter().map(|operand| word(operand)).collect();
        registers.insert(operands[0].to_owned(), computed(instruction, &words));
    }
    registers
}

/// Computes an instruction of the operands' bits.
fn computed(instruction: &str, words: &[u64]) -> u64 {
    let parts: Vec<&str> = instruction.split('.').collect();
    let is_wide = parts.last().is_some_and(|part| part.ends_with("64"));
    let kept = |word: u64| if is_wide { word } else { word & 0xffff_ffff };
    let &[x, ref rest @ ..] = words else { panic!("{instruction} of nothing") };
    let y = rest.first().copied().unwrap_or_default();
    match parts[..] {
        ["mov", _] | ["ld", "param", _] => kept(x),
        ["not", "pred"] => x ^ 1,
        ["not", _] => kept(!x),
        ["and", _] => x & y,
        ["or", _] => x | y,
        ["xor", _] => x ^ y,
        ["shl", _] => kept(x << y),
        ["selp", _] => kept(if rest[1] != 0 { x } else { y }),
        ["setp", comparison, kind] => u64::from(compared(comparison, kind, x, y)),
        ["cvt", ref how @ ..] => converted(how, x),
        [.., "f32"] => {
            let [x, y, z] =
                [0, 1, 2].map(|i| f32::from_bits(words.get(i).copied().unwrap_or_default() as u32));
            u64::from(
                match parts[..parts.len() - 1] {
                    ["add", "rn"] => x + y,
                    ["sub", "rn"] => x - y,
                    ["mul", "rn"] => x * y,
                    ["div", "rn"] => x / y,
                    ["sqrt", "rn"] => x.sqrt(),
                    ["fma", "rn"] => x.mul_add(y, z),
                    ["neg"] => -x,
                    ["abs"] => x.abs(),
                    ["min"] => least(x.into(), y.into()) as f32,
                    ["max"] => -least((-x).into(), (-y).into()) as f32,
                    ["copysign"] => y.copysign(x),
                    _ => panic!("{instruction} is no instruction of formulas"),
                }
                .to_bits(),
            )
        }
        [.., "f64"] => {
            let [x, y, z] = [0, 1, 2].map(|i| f64::from_bits(words.get(i).copied().unwrap_or_default()));
            match parts[..parts.len() - 1] {
                ["add", "rn"] => x + y,
                ["sub", "rn"] => x - y,
                ["mul", "rn"] => x * y,
                ["div", "rn"] => x / y,
                ["sqrt", "rn"] => x.sqrt(),
                ["fma", "rn"] => x.mul_add(y, z),
                ["neg"] => -x,
                ["abs"] => x.abs(),
                ["min"] => least(x, y),
                ["max"] => -least(-x, -y),
                ["copysign"] => y.copysign(x),
                _ => panic!("{instruction} is no instruction of formulas"),
            }
            .to_bits()
        }
        [.., kind] => {
            let (a, b) = (integer(kind, x), integer(kind, y));
            let result = match parts[..parts.len() - 1] {
                ["add"] => a + b,
                ["sub"] => a - b,
                // Of 128 bits the low ones are right whatever was cut off.
                ["mul", "lo"] => a.wrapping_mul(b),
                ["div"] => a / b,
                ["rem"] => a % b,
                ["neg"] => -a,
                ["min"] => a.min(b),
                ["max"] => a.max(b),
                ["shr"] => a >> y,
                _ => panic!("{instruction} is no instruction of formulas"),
            };
            kept(result as u64)
        }
        [] => panic!("no instruction"),
    }
}

/// Returns the lesser: of a number and NaN the number, of the zeros -0.0.
fn least(x: f64, y: f64) -> f64 {
    match () {
        () if x.is_nan() => y,
        () if y.is_nan() => x,
        () if x == y => {
            if x.is_sign_negative() {
                x
            } else {
                y
            }
        }
        () => {
            if x < y {
                x
            } else {
                y
            }
        }
    }
}

/// Returns the integer of these bits.
fn integer(kind: &str, word: u64) -> i128 {
    match kind {
        "s32" => (word as i32).into(),
        "s64" => (word as i64).into(),
        "u32" => (word as u32).into(),
        "u64" => word.into(),
        _ => panic!("{kind} is no type of integers"),
    }
}

/// Returns the float of these bits.
fn float(kind: &str, word: u64) -> Option<f64> {
    match kind {
        "f32" => Some(f32::from_bits(word as u32).into()),
        "f64" => Some(f64::from_bits(word)),
        _ => None,
    }
}

fn compared(comparison: &str, kind: &str, x: u64, y: u64) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};

    let order = match (float(kind, x), float(kind, y)) {
        (Some(x), Some(y)) => x.partial_cmp(&y),
        _ if kind == "b32" => Some(x.cmp(&y)),
        _ => Some(integer(kind, x).cmp(&integer(kind, y))),
    };
    match comparison {
        "lt" => order == Some(Less),
        "le" => matches!(order, Some(Less | Equal)),
        "gt" => order == Some(Greater),
        "ge" => matches!(order, Some(Greater | Equal)),
        "eq" => order == Some(Equal),
        "ne" => matches!(order, Some(Less | Greater)),
        "neu" => order != Some(Equal),
        "nan" => order.is_none(),
        _ => panic!("{comparison} is no comparison of formulas"),
    }
}

fn converted(how: &[&str], word: u64) -> u64 {
    let (rounding, to, from) = match *how {
        [to, from] => ("", to, from),
        [rounding, to, from] => (rounding, to, from),
        _ => panic!("cvt.{how:?} is no conversion of formulas"),
    };
    match (rounding, to, float(from, word)) {
        ("rmi", _, Some(x)) => bits(to, x.floor()),
        ("rpi", _, Some(x)) => bits(to, x.ceil()),
        ("rni", _, Some(x)) => bits(to, x.round_ties_even()),
        ("rzi", "f32" | "f64", Some(x)) => bits(to, x.trunc()),
        ("" | "rn", "f32" | "f64", Some(x)) => bits(to, x),
        // A GPU converts NaN to a number of its own, which the text replaces.
        ("rzi", "s32", Some(x)) => u64::from(if x.is_nan() { i32::MIN } else { x as i32 } as u32),
        ("rzi", "u32", Some(x)) => u64::from(if x.is_nan() { u32::MAX } else { x as u32 }),
        ("rzi", "s64", Some(x)) => (if x.is_nan() { i64::MIN } else { x as i64 }) as u64,
        ("rzi", "u64", Some(x)) => {
            if x.is_nan() {
                u64::MAX
            } else {
                x as u64
            }
        }
        ("rn", "f32", None) => (integer(from, word) as f32).to_bits().into(),
        ("rn", "f64", None) => (integer(from, word) as f64).to_bits(),
        ("", "s64" | "u64", None) => integer(from, word) as u64,
        ("", "s32" | "u32", None) => u64::from(integer(from, word) as u32),
        _ => panic!("cvt.{how:?} is no conversion of formulas"),
    }
}

/// Returns the bits of a float.
fn bits(kind: &str, x: f64) -> u64 {
    if kind == "f32" { (x as f32).to_bits().into() } else { x.to_bits() }
}
