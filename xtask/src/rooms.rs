//! The rooms of the host crate: a module imports from rooms below its own, and each name from the module that has it.

use crate::rust_text::code_only;

/// The modules of `host/src`, from the lowest to the highest.
const ROOMS: [&str; 28] = [
    "error",
    "sync",
    "events",
    "cache",
    "memory",
    "index_type",
    "group_key",
    "layout",
    "view",
    "interpolate",
    "sort_key",
    "scan",
    "unfinished",
    "float_environment",
    "bins",
    "operator",
    "plan",
    "kernel",
    "input",
    "arrays",
    "verb",
    "cpu",
    "cuda",
    "world",
    "auto",
    "open",
    "about",
    "methods",
];

/// Returns the imports in the file `name` that go up, or through the crate's root. Tests may import anything.
pub(crate) fn check(name: &str, source: &str) -> Vec<String> {
    let Some(path) = name.strip_prefix("host/src/").filter(|path| *path != "lib.rs") else {
        return Vec::new();
    };
    let room = path.split(['/', '.']).next().unwrap_or_default();
    let Some(own) = rank(room) else {
        return vec![format!("{name}: `{room}` is not a room that xtask/src/rooms.rs lists")];
    };
    let Ok(code) = code_only(source) else { return vec![format!("{name}: not Rust")] };
    let tests = code.find("# cfg test").unwrap_or(code.len());
    imports(&code[..tests])
        .into_iter()
        .filter_map(|(line, import): (usize, String)| {
            let fault = match rank(&import) {
                Some(other) if other > own => format!("`{room}` is below `{import}`"),
                None if import.starts_with(char::is_uppercase) => {
                    format!("`{import}` is imported from the crate's root, not from its module")
                }
                _ => return None,
            };
            Some(format!("{name}:{line}: {fault}"))
        })
        .collect()
}

/// Returns the place of a room in the order.
fn rank(room: &str) -> Option<usize> {
    ROOMS.iter().position(|known| *known == room)
}

/// Returns the lines and the first segments of the paths that begin with `crate`, in code without brackets.
fn imports(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, start) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c == '$' || c == '_' || c.is_alphanumeric()) {
            continue;
        }
        let line = code[..at].lines().count().max(1);
        let path = &code[at + start.len()..];
        // A list in braces, which are blank here, ends with the statement.
        let list = path.split(';').next().unwrap_or_default();
        for item in list.split(',').take(if path.starts_with(' ') { usize::MAX } else { 1 }) {
            let name = item.trim_start().chars().take_while(|c| *c == '_' || c.is_alphanumeric());
            found.push((line, name.collect()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_that_goes_up_is_found() {
        let found = |name: &str, source: &str| check(name, source).len();
        for up in [
            "use crate::cuda::Cuda;",
            "use crate::{\n    memory,\n    cuda::Cuda,\n};",
            "crate::cuda::open()",
        ] {
            assert_eq!(found("host/src/cpu/tiles.rs", up), 1, "{up}");
            assert_eq!(found("host/src/world/mod.rs", up), 0, "{up}");
        }
        assert_eq!(
            check("host/src/verb/scan.rs", "\nuse crate::cpu::Cpu;")[0],
            "host/src/verb/scan.rs:2: `verb` is below `cpu`"
        );
        assert_eq!(found("host/src/cpu/mod.rs", "#[cfg(test)]\nmod tests { use crate::cuda::Cuda; }"), 0);
        assert_eq!(found("host/src/cpu/mod.rs", "/// [`Cuda`](crate::Cuda)\nuse $crate::cuda::Cuda;"), 0);
    }

    #[test]
    fn an_import_through_the_root_is_found() {
        assert_eq!(check("host/src/cpu/mod.rs", "use crate::Error;").len(), 1);
        assert_eq!(check("host/src/cpu/mod.rs", "use crate::{Error, memory};").len(), 1);
        assert_eq!(check("host/src/attic/mod.rs", "").len(), 1);
        assert!(check("cust/src/lib.rs", "use crate::Error;").is_empty());
    }
}
