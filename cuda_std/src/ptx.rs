//! PTX texts on the host: one text for every GPU, with instructions that only newer ones have.
//!
//! When compiled for an older GPU, functions of this crate that use a newer instruction write it as a *mark*: a comment
//! with the architecture, such as `//@sm_90 griddepcontrol.wait;`. The unchanged text does without the instruction;
//! [`for_sm_90`] returns the text with it. The texts are otherwise equal, so only one is kept and shipped.

/// Prefix of an instruction that exists from sm_90 on.
const MARK: &str = "//@sm_90 ";

/// The architecture of the marks.
const ARCH: u32 = 90;

/// The first PTX version, major and minor, with that architecture.
const VERSION: (u32, u32) = (7, 8);

/// Returns the text for compute capability 9.0 and later: with the marked instructions, for that architecture, and in a
/// PTX version that supports both. Returns `None` if nothing is marked; then the text serves those GPUs too.
///
/// ```
/// let text = ".version 6.3\n.target sm_75\n//@sm_90 griddepcontrol.wait;\nret;\n";
/// let newer = ".version 7.8\n.target sm_90\ngriddepcontrol.wait;\nret;\n";
/// assert_eq!(cuda_std::ptx::for_sm_90(text).as_deref(), Some(newer));
/// assert_eq!(cuda_std::ptx::for_sm_90(newer), None);
/// ```
#[must_use]
pub fn for_sm_90(text: &str) -> Option<String> {
    if !text.contains(MARK) {
        return None;
    }
    let mut newer = String::with_capacity(text.len());
    for line in text.lines() {
        match header(line) {
            Some(header) => newer.push_str(header),
            None => newer.push_str(&line.replacen(MARK, "", 1)),
        }
        newer.push('\n');
    }
    Some(newer)
}

/// Returns the replacement for a line of the header, or `None` if it can stay.
fn header(line: &str) -> Option<&'static str> {
    if let Some(version) = line.strip_prefix(".version ") {
        let (major, minor) = version.trim().split_once('.')?;
        return ((major.parse().ok()?, minor.parse().ok()?) < VERSION).then_some(".version 7.8");
    }
    let arch = line.strip_prefix(".target sm_")?;
    (arch.trim().parse::<u32>().ok()? < ARCH).then_some(".target sm_90")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_else_stays() {
        let text = ".version 8.1\n.target sm_89\n\t//@sm_90 griddepcontrol.wait;\n// a note\n\tret; // //@sm_80 x;\n";
        let newer = ".version 8.1\n.target sm_90\n\tgriddepcontrol.wait;\n// a note\n\tret; // //@sm_80 x;\n";
        assert_eq!(for_sm_90(text).as_deref(), Some(newer));
    }

    #[test]
    fn a_header_that_is_new_enough_stays() {
        for (line, replaced) in [
            (".version 6.3", Some(".version 7.8")),
            (".version 7.10", None),
            (".version 7.8", None),
            (".target sm_80", Some(".target sm_90")),
            (".target sm_90", None),
            (".target sm_100", None),
            (".target sm_90a", None),
            (".address_size 64", None),
        ] {
            assert_eq!(header(line), replaced, "{line}");
        }
    }
}
