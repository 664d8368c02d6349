//! Entries with equal code, such as sums of signed and unsigned integers, share one module.

use std::collections::BTreeMap;

/// The modules of a kernels crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Modules {
    /// Texts, by the name of the one kernel in each.
    pub(crate) texts: BTreeMap<String, String>,
    /// For each entry, the name of its kernel: its own name, or the name of an entry with the same code.
    pub(crate) kernels: BTreeMap<String, String>,
}

/// Keeps one of the modules that differ only in their entry's name: that with the shortest name, and the first of
/// those.
pub(crate) fn share(modules: BTreeMap<String, String>) -> Modules {
    let mut alike: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for (entry, text) in &modules {
        alike.entry(nameless(entry, text)).or_default().push(entry);
    }
    let mut shared = Modules { texts: BTreeMap::new(), kernels: BTreeMap::new() };
    for entries in alike.into_values() {
        let Some(kernel) = entries.iter().min_by_key(|entry| (entry.len(), **entry)) else { continue };
        shared.texts.extend(modules.get_key_value(*kernel).map(|(name, text)| (name.clone(), text.clone())));
        shared.kernels.extend(entries.iter().map(|&entry| (entry.clone(), (*kernel).clone())));
    }
    shared
}

/// Returns the module without its entry's name.
fn nameless(entry: &str, text: &str) -> String {
    text.replacen(&format!(".entry {entry}("), ".entry (", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(modules: &[(&str, &str)]) -> BTreeMap<String, String> {
        modules.iter().map(|&(entry, text)| (entry.to_owned(), text.to_owned())).collect()
    }

    #[test]
    fn the_same_code_is_kept_once_under_the_shortest_name() {
        let given = modules(&[
            ("a_long_sum", ".visible .entry a_long_sum(\n.param .u64 $0\n)\n{\nret;\n}\n"),
            ("sum_u", ".visible .entry sum_u(\n.param .u64 $0\n)\n{\nret;\n}\n"),
            ("sum_i", ".visible .entry sum_i(\n.param .u64 $0\n)\n{\nret;\n}\n"),
            ("trap", ".visible .entry trap(\n.param .u64 $0\n)\n{\ntrap;\n}\n"),
        ]);
        let shared = share(given.clone());
        let kernels: Vec<(&str, &str)> =
            shared.kernels.iter().map(|(entry, kernel)| (entry.as_str(), kernel.as_str())).collect();
        assert_eq!(
            kernels,
            [("a_long_sum", "sum_i"), ("sum_i", "sum_i"), ("sum_u", "sum_i"), ("trap", "trap")]
        );
        assert_eq!(shared.texts.keys().collect::<Vec<_>>(), ["sum_i", "trap"]);
        assert!(shared.texts.iter().all(|(kernel, text)| given[kernel] == *text));
    }

    #[test]
    fn a_name_that_is_used_elsewhere_keeps_modules_apart() {
        let given = modules(&[("f", ".entry f(){ call f; }"), ("g", ".entry g(){ call g; }")]);
        assert_eq!(share(given).texts.len(), 2);
    }
}
