//! Shortens the text of a module, which programs contain, and removes what depends on the machine or on unrelated code.
//!
//! Comments and blank lines are removed, except comments that begin with `//@`: these are marks for the program that
//! loads the text. Names that rustc and LLVM generate contain hashes of paths, and the numbers of functions change with
//! unrelated code; both are replaced by names counted within the module. White space stays only where it separates
//! words and lines. Names that are local to a function (parameters, labels, registers) are shortened.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{Item, Kind, Token, tokens};

/// LLVM's registers and their short names: predicates, 16, 32, 64 and 128 bits, f32 and f64.
const REGISTERS: [(&str, &str); 7] =
    [("%p", "p"), ("%rs", "h"), ("%r", "r"), ("%rd", "d"), ("%rq", "q"), ("%f", "f"), ("%fd", "g")];

/// Returns the text of `items`, in order.
pub(crate) fn tidy(items: &[&Item<'_>]) -> String {
    let mut names = Names { functions: BTreeSet::new(), made_up: BTreeMap::new(), short_registers: true };
    for item in items {
        if matches!(item.kind, Kind::Entry | Kind::Function | Kind::Prototype) {
            names.functions.insert(item.name);
        }
        if item.kind != Kind::Prototype && is_made_up(item.name) {
            let next = format!("private_{}", names.made_up.len());
            names.made_up.entry(item.name).or_insert(next);
        }
        // A name in the source must not look like a short register.
        names.short_registers &= !tokens(item.text).any(|(_, token)| is_short_register(token.text()));
    }
    items.iter().map(|item| tidy_item(item.text, &names)).collect()
}

/// The names of a module, as renaming needs them.
struct Names<'a> {
    functions: BTreeSet<&'a str>,
    /// Generated names and their replacements.
    made_up: BTreeMap<&'a str, String>,
    /// Whether registers may be shortened.
    short_registers: bool,
}

/// Returns whether a compiler generated this name: rustc's mangling, old and new, and LLVM's names for constants.
fn is_made_up(name: &str) -> bool {
    ["_R", "_ZN", "anon_$", "__unnamed_", "switch_$_table", "alloc_"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// Returns one declaration: its tokens, and the white space that separates lines and words.
fn tidy_item(text: &str, names: &Names<'_>) -> String {
    let mut tidy = String::new();
    let (mut end, mut before) = (0, "");
    for (at, token) in tokens(text) {
        let gap = &text[end..at];
        if gap.contains('\n') {
            tidy.push('\n');
        } else if !gap.is_empty() && parts(before, token.text()) {
            tidy.push(' ');
        }
        match token {
            Token::Word(word) => tidy.push_str(&rename(word, names)),
            Token::Other(text) => tidy.push_str(text),
        }
        (end, before) = (at + token.text().len(), token.text());
    }
    tidy.push('\n');
    tidy
}

/// Returns whether the space between two tokens separates words, or an instruction from its first operand.
fn parts(before: &str, after: &str) -> bool {
    !["{", "(", "[", ",", ";", "|", "+", "="].contains(&before)
        && !["}", ")", "]", ",", ";", "|", "+", "="].contains(&after)
}

/// Returns whether a name could be mistaken for a short register.
fn is_short_register(word: &str) -> bool {
    let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    REGISTERS.iter().any(|(_, short)| word.strip_prefix(short).is_some_and(digits))
}

/// Returns the name to write for `word`.
fn rename(word: &str, names: &Names<'_>) -> String {
    if let Some(name) = names.made_up.get(word) {
        return name.clone();
    }
    // A parameter has its function's name as prefix, which it does not need, as it is local. Rust has no such names.
    if let Some((function, index)) = word.rsplit_once("_param_")
        && names.functions.contains(function)
    {
        return format!("$arg{index}");
    }
    // Labels and stack frames have their function's number, which they do not need, as they are local.
    if let Some((_, label)) = word.strip_prefix("$L__BB").and_then(|rest| rest.split_once('_')) {
        return format!("${label}");
    }
    if word
        .strip_prefix("__local_depot")
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    {
        return "__local_depot".to_owned();
    }
    // A register, or the declaration of several: `%rd12`, `%rd<13>`.
    let kind = word.trim_end_matches(|c: char| c.is_ascii_digit());
    match REGISTERS.iter().find(|(register, _)| names.short_registers && *register == kind) {
        Some((_, short)) => format!("{short}{}", &word[kind.len()..]),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::item::items;
    use super::*;

    /// Returns the text of one entry.
    fn tidied(text: &str) -> String {
        let items = items(text).unwrap();
        tidy(&items.iter().collect::<Vec<_>>())
    }

    #[test]
    fn comments_and_white_space_are_gone_but_for_marks() {
        let text = ".visible .entry x(\n\t.param .u64 x_param_0,\n\t.param .u32 x_param_1\n)\n{\n\
            \t.reg .b64 \t%rd<7>;\n\tld.param.b64 \t%rd6, [x_param_1+4];   // note\n    .pragma  \"no  unroll\";\n\
            \t// begin\n\n.reg .pred %wf_valid;\n\t// in\n\t//@sm_90 wait;  \n\t// out\n/* one\n two */$L__BB12_7:\n\
            \x20 @%p1 bra \t$L__BB0_3;\n\t{ .reg .b32 tmp; mov.b64 {tmp, %r1}, %rd6; }\n\
            shfl.sync.down.b32 %r9 | %p1, %r1, -1;\n\tmov.u32 %r1, %tid.x;\n\tcall.uni (r), f, (a, b);\n}";
        let expected = ".visible .entry x(\n.param .u64 $arg0,\n.param .u32 $arg1\n)\n{\n\
            .reg .b64 d<7>;\nld.param.b64 d6,[$arg1+4];\n.pragma \"no  unroll\";\n\
            .reg .pred %wf_valid;\n//@sm_90 wait;\n$7:\n\
            @p1 bra $3;\n{.reg .b32 tmp;mov.b64 {tmp,r1},d6;}\n\
            shfl.sync.down.b32 r9|p1,r1,-1;\nmov.u32 r1,%tid.x;\ncall.uni (r),f,(a,b);\n}\n";
        assert_eq!(tidied(text), expected);
    }

    #[test]
    fn registers_keep_their_sigil_where_a_name_is_like_theirs() {
        let entry = ".visible .entry x()\n{\nmov.b32 %r1, d12;\nadd.s64 %rd12, %rd13, 1;\n}\n";
        let taken = format!(".global .u32 d12;\n{entry}");
        assert!(tidied(&taken).contains("add.s64 %rd12,%rd13,1;"), "{}", tidied(&taken));
        let free = taken.replace("d12;\n", "d_12;\n");
        assert!(tidied(&free).contains("mov.b32 r1,d_12;\nadd.s64 d12,d13,1;"), "{}", tidied(&free));
    }
}
