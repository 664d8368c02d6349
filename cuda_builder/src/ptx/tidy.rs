//! The text of a module without what the machine or unrelated code put into it.
//!
//! Comments and blank lines go, but for comments that begin with `//@`: those are marks for whoever loads the text. Names
//! that rustc and LLVM make up contain hashes of paths, and numbers that count functions change with unrelated code; both
//! are replaced by names counted within the module.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{Item, Kind, tokens};

/// The text of `items`, in their order.
pub(crate) fn tidy(items: &[&Item<'_>]) -> String {
    let mut names = Names { functions: BTreeSet::new(), made_up: BTreeMap::new() };
    for item in items {
        if matches!(item.kind, Kind::Entry | Kind::Function | Kind::Prototype) {
            names.functions.insert(item.name);
        }
        if item.kind != Kind::Prototype && is_made_up(item.name) {
            let next = format!("private_{}", names.made_up.len());
            names.made_up.entry(item.name).or_insert(next);
        }
    }
    items.iter().map(|item| tidy_item(item.text, &names)).collect()
}

/// What the names of a module are told by.
#[derive(Default)]
struct Names<'a> {
    functions: BTreeSet<&'a str>,
    /// Names that a compiler chose, and those that replace them.
    made_up: BTreeMap<&'a str, String>,
}

/// Whether a compiler chose this name: rustc's mangling, old and new, and LLVM's names for constants.
fn is_made_up(name: &str) -> bool {
    ["_R", "_ZN", "anon_$", "__unnamed_", "switch_$_table", "alloc_"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// One declaration: its tokens, and of the white space between them what tells lines and indented lines.
fn tidy_item(text: &str, names: &Names<'_>) -> String {
    let mut tidy = String::new();
    let mut end = 0;
    for (at, token) in tokens(text) {
        let gap = &text[end..at];
        if let Some((_, indent)) = gap.rsplit_once('\n') {
            tidy.push('\n');
            tidy.push_str(if indent.is_empty() { "" } else { "\t" });
        } else if !gap.is_empty() {
            tidy.push(' ');
        }
        tidy.push_str(&rename(token.text(), names));
        end = at + token.text().len();
    }
    tidy.push('\n');
    tidy
}

/// The name to write for `word`.
fn rename(word: &str, names: &Names<'_>) -> String {
    if let Some(name) = names.made_up.get(word) {
        return name.clone();
    }
    // A parameter has its function's name in front; it is local to it, so that is not needed. No name of Rust's is so.
    if let Some((function, index)) = word.rsplit_once("_param_")
        && names.functions.contains(function)
    {
        return format!("${index}");
    }
    // Labels and stack frames have their function's number; they are local to it, so it is not needed.
    if let Some((_, label)) = word.strip_prefix("$L__BB").and_then(|rest| rest.split_once('_')) {
        return format!("$L__BB_{label}");
    }
    if word
        .strip_prefix("__local_depot")
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    {
        return "__local_depot".to_owned();
    }
    word.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spacing_is_normal_and_comments_are_gone() {
        let text = "{\n\tld.param.b64 \t%rd6, [x_param_1];   // note\n    .pragma  \"no  unroll\";\n\t// begin\n\n\
            .reg .pred %wf_valid;\n\t// in\n\t//@sm_90 wait;  \n\t// out\n/* one\n two */$L__BB12_7:\n  @%p1 bra \t$L__BB0_3;\n}";
        let expected = "{\n\tld.param.b64 %rd6, [x_param_1];\n\t.pragma \"no  unroll\";\n.reg .pred %wf_valid;\n\
            \t//@sm_90 wait;\n\t$L__BB_7:\n\t@%p1 bra $L__BB_3;\n}\n";
        assert_eq!(tidy_item(text, &Names::default()), expected);
    }
}
