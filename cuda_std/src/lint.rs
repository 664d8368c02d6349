//! The lint of PTX: finds instructions whose results depend on the GPU.
//!
//! A float operation without a rounding mode may be contracted (PTX ISA 9.7.3: "may be optimized aggressively"). An
//! approximate operation differs between GPUs. A float atomic depends on the order of threads, and in global memory
//! flushes denormals.

/// Exceptions for an entry point.
#[derive(Clone, Copy, Debug, Default)]
pub struct May {
    /// It may fuse a product and a sum.
    pub fuse: bool,
    /// It may add floats by atomics.
    pub add_atomically: bool,
}

/// Returns the statements of a text with the indices of their lines, without comments.
pub fn statements(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().flat_map(|(index, line)| {
        let code = line.split("//").next().unwrap_or_default();
        code.split([';', '{', '}']).map(move |statement| (index, statement.trim()))
    })
}

/// Returns the first statement of a text that has not the same bits everywhere, and why.
///
/// ```
/// use cuda_std::lint::objection;
///
/// assert_eq!(objection("add.rn.f32 %f1, %f2, %f3;"), None);
/// assert!(objection("ret;\nadd.f32 %f1, %f2, %f3;").is_some_and(|found| found.starts_with("`add.f32 %f1, %f2, %f3`")));
/// ```
#[must_use]
pub fn objection(text: &str) -> Option<String> {
    statements(text).find_map(|(_, statement)| {
        objection_to(statement, May::default()).map(|why| format!("`{statement}`: {why}"))
    })
}

/// Returns what is wrong with a statement, if anything.
#[must_use]
pub fn objection_to(statement: &str, may: May) -> Option<String> {
    let mut parts = opcode(statement)?.split('.');
    let operation = parts.next()?;
    let modifiers: Vec<&str> = parts.collect();
    let has = |modifier: &str| modifiers.contains(&modifier);
    let is_float = modifiers.iter().any(|part| part.starts_with("bf16") || is_float_type(part));
    let inexact = ["ftz", "approx", "full"].into_iter().find(|modifier| has(modifier));
    match operation {
        // A directive.
        "" => None,
        _ if inexact.is_some() => Some(format!(".{} is not IEEE arithmetic", inexact.unwrap_or_default())),
        "rcp" if has("rn") => None,
        "rcp" | "rsqrt" | "ex2" | "lg2" | "sin" | "cos" | "tanh" => {
            Some("its result is not the same on the CPU".to_owned())
        }
        "red" if is_float && has("add") && may.add_atomically => None,
        "atom" | "red" | "multimem" if is_float => Some("the order of float atomics is not fixed".to_owned()),
        "fma" | "mad" if is_float && !may.fuse => {
            Some("fuses a product and a sum, which are rounded once; the CPU rounds twice".to_owned())
        }
        "add" | "sub" | "mul" | "div" | "sqrt" | "fma" | "mad" if is_float && !has("rn") => {
            Some("float arithmetic without .rn may be contracted or rounds otherwise".to_owned())
        }
        _ if is_float && has("sat") => Some("clamps to [0, 1]".to_owned()),
        _ => None,
    }
}

/// Returns the opcode of a statement, which a label or a predicate may precede.
fn opcode(statement: &str) -> Option<&str> {
    statement.split_whitespace().find(|word| !word.ends_with(':') && !word.starts_with('@'))
}

/// Returns whether a modifier names a float type, scalar or packed: `f32`, `f16x2`, `tf32`, `e4m3`.
fn is_float_type(part: &str) -> bool {
    let digits = part.strip_prefix('t').unwrap_or(part).strip_prefix('f');
    let is_minifloat = part.starts_with('e') && part[1..].starts_with(|c: char| c.is_ascii_digit());
    is_minifloat || digits.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}
