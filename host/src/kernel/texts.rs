//! The kernels' texts: embedded in the program, or in a pack.

#[cfg(feature = "cuda")]
use std::borrow::Cow;

#[cfg(feature = "cuda")]
use warpfold_ptx::{Pack, Place};

/// A line of cuda_builder's `entries.rs`: an entry, its kernel, and that kernel's module.
type Line = (&'static str, &'static str, &'static str);

/// The kernels that were built from one crate. For [`ship_kernels!`](crate::ship_kernels).
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Texts {
    /// Lines written by cuda_builder, sorted by the entries' names.
    Written(&'static [Line]),
    /// A pack in the format of `warpfold-ptx`.
    #[cfg(feature = "cuda")]
    Packed(Pack<'static>),
    /// A pack left out of a build without GPUs. So a kernel missing from it is noticed only with the feature `cuda`.
    #[cfg(not(feature = "cuda"))]
    LeftOut,
}

/// The text of one kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Text(&'static str),
    #[cfg(feature = "cuda")]
    Packed(Place<'static>),
    /// A kernel that its pack lacks. The emulated device, which reads no more of a text than the name, runs it.
    #[cfg(feature = "emulator")]
    Unpacked(&'static str),
    #[cfg(not(feature = "cuda"))]
    LeftOut,
}

impl Texts {
    /// Returns the name of an entry's kernel, and its text. With the feature `emulator` a kernel that its pack lacks is
    /// found too, so that a new kernel runs on the emulated device before it is compiled.
    pub(crate) const fn find(self, name: &'static str) -> Option<(&'static str, Source)> {
        match self {
            Self::Written(lines) => find(lines, name),
            #[cfg(feature = "cuda")]
            Self::Packed(pack) => match pack.find(name) {
                Some(packed) => Some((packed.kernel(), Source::Packed(packed))),
                #[cfg(feature = "emulator")]
                None => Some((name, Source::Unpacked(name))),
                #[cfg(not(feature = "emulator"))]
                None => None,
            },
            #[cfg(not(feature = "cuda"))]
            Self::LeftOut => Some((name, Source::LeftOut)),
        }
    }
}

#[cfg(feature = "cuda")]
impl Source {
    /// Returns the PTX text, or why there is none. Decodes it each time, because a kernel is loaded once per device.
    pub(crate) fn text(&self) -> Result<Cow<'static, str>, String> {
        match self {
            Self::Text(text) => Ok(Cow::Borrowed(text)),
            Self::Packed(packed) => packed.text().map(Cow::Owned).map_err(|damaged| damaged.to_string()),
            #[cfg(feature = "emulator")]
            Self::Unpacked(name) if cust::emulated::is_in_use() => Ok(Cow::Owned(format!(
                ".version 6.3\n.target sm_75\n.visible .entry {name}(\n//@sm_90 griddepcontrol.wait;\n"
            ))),
            #[cfg(feature = "emulator")]
            Self::Unpacked(_) => {
                Err("its pack lacks it, so only the emulated device runs it: run `cargo xtask ptx`".into())
            }
        }
    }

    /// Returns a checksum of the text.
    pub(crate) fn checksum(&self) -> u64 {
        match self {
            Self::Text(text) => warpfold_ptx::checksum(text),
            Self::Packed(packed) => packed.checksum(),
            #[cfg(feature = "emulator")]
            Self::Unpacked(name) => warpfold_ptx::checksum(name),
        }
    }

    /// Returns the registers per thread that the kernel is known to need.
    pub(crate) fn registers(&self) -> Option<u32> {
        match self {
            Self::Text(_) => None,
            Self::Packed(packed) => packed.registers(),
            #[cfg(feature = "emulator")]
            Self::Unpacked(_) => None,
        }
    }

    /// Returns whether both are at one address.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => std::ptr::eq(*a, *b),
            (Self::Packed(a), Self::Packed(b)) => a.is_at(*b),
            #[cfg(feature = "emulator")]
            (Self::Unpacked(a), Self::Unpacked(b)) => std::ptr::eq(*a, *b),
            _ => false,
        }
    }
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a == b,
            #[cfg(feature = "cuda")]
            (Self::Packed(a), Self::Packed(b)) => a.is_at(*b) || a == b,
            #[cfg(feature = "emulator")]
            (Self::Unpacked(a), Self::Unpacked(b)) => a == b,
            #[cfg(not(feature = "cuda"))]
            (Self::LeftOut, Self::LeftOut) => true,
            _ => false,
        }
    }
}

/// Returns the kernel and the text of entry `name`.
const fn find(lines: &[Line], name: &str) -> Option<(&'static str, Source)> {
    // Binary search, because the compiler runs it for every entry.
    let (mut first, mut end) = (0, lines.len());
    while first < end {
        let middle = first + (end - first) / 2;
        let (entry, kernel, ptx) = lines[middle];
        match order(entry, name) {
            0 => return Some((kernel, Source::Text(ptx))),
            ..0 => first = middle + 1,
            1.. => end = middle,
        }
    }
    None
}

/// Compares `a` with `b` byte by byte: negative for less, 0 for equal, positive for greater. [`Ord`] is not const.
const fn order(a: &str, b: &str) -> i32 {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if a[at] != b[at] {
            return a[at] as i32 - b[at] as i32;
        }
        at += 1;
    }
    (a.len() > at) as i32 - (b.len() > at) as i32
}

/// The [`Texts`] in a pack's file, embedded only with warpfold's feature `cuda`, in any crate.
#[cfg(feature = "cuda")]
#[doc(hidden)]
#[macro_export]
macro_rules! packed_texts {
    ($file:expr) => {
        $crate::Texts::Packed($crate::warpfold_ptx::include_pack!($file))
    };
}
/// The [`Texts`] in a pack's file, embedded only with warpfold's feature `cuda`, in any crate.
#[cfg(not(feature = "cuda"))]
#[doc(hidden)]
#[macro_export]
macro_rules! packed_texts {
    ($file:expr) => {
        $crate::Texts::LeftOut
    };
}

/// The [`Texts`] of one of the library's own packs.
#[cfg(feature = "cuda")]
macro_rules! library_texts {
    ($pack:ident) => {
        $crate::Texts::Packed(::warpfold_ptx::$pack)
    };
}
#[cfg(not(feature = "cuda"))]
macro_rules! library_texts {
    ($pack:ident) => {
        $crate::Texts::LeftOut
    };
}
pub(crate) use library_texts;

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &[Line] =
        &[("a", "a", "text a"), ("a_b", "a", "text a"), ("ab", "c", "text c"), ("c", "c", "text c")];

    #[test]
    fn every_line_is_found_and_nothing_else() {
        for &(name, kernel, ptx) in LINES {
            assert_eq!(Texts::Written(LINES).find(name), Some((kernel, Source::Text(ptx))));
        }
        for name in ["", "A", "a_", "a_c", "b", "cc"] {
            assert_eq!(Texts::Written(LINES).find(name), None, "{name}");
        }
        assert_eq!(Texts::Written(&[]).find("a"), None);
    }

    #[test]
    fn order_is_that_of_texts() {
        let texts = ["", "A", "a", "a_", "a_b", "ab", "abc", "b", "z"];
        for a in texts {
            for b in texts {
                assert_eq!(order(a, b).cmp(&0), a.cmp(b), "{a} {b}");
            }
        }
    }
}
