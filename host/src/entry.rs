//! A kernel's entry point, and how it is found among those that cuda_builder wrote.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// A kernel entry point and the PTX module that holds it, alone. A launch takes `A`: a struct of `gpu_kernels::arguments`,
/// or the one that `cuda_std::kernel!` declares beside a kernel. Without an `A` it is not known, and nothing can be launched.
pub struct Entry<A = Untyped> {
    /// Name of the entry point, as it was stamped.
    pub name: &'static str,
    /// Name of the `.visible .entry` in the module: the same, or that of another entry point with the same code, of which
    /// one is kept.
    pub kernel: &'static str,
    /// PTX text of the module, for every GPU. On those of compute capability 9.0 and later its launches overlap if it
    /// waits for earlier ones (`cuda_std::grid`), as what `stamp_kernels!` stamps does.
    pub ptx: &'static str,
    arguments: PhantomData<fn(A)>,
}

/// The arguments of an [`Entry`] of which they are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Untyped {}

/// A line of cuda_builder's `entries.rs`: an entry, its kernel, and the module that has it.
type Line = (&'static str, &'static str, &'static str);

impl<A> Entry<A> {
    /// An entry point by its name, that of the kernel with its code, and the module that has it. What launches it relies on
    /// its parameters being the fields of `A`: whoever implements [`Kernel`](crate::Kernel) with it promises that.
    #[must_use]
    pub const fn new(name: &'static str, kernel: &'static str, ptx: &'static str) -> Self {
        Self { name, kernel, ptx, arguments: PhantomData }
    }

    /// The same entry point without what it takes: to be loaded, or told from others.
    #[must_use]
    pub const fn untyped(self) -> Entry {
        self.cast()
    }

    /// The same entry point, said to take `B`.
    pub(crate) const fn cast<B>(self) -> Entry<B> {
        Entry::new(self.name, self.kernel, self.ptx)
    }

    /// The entry `name` in `lines`, which are in order of names. For [`ship_kernels!`](crate::ship_kernels).
    #[doc(hidden)]
    #[must_use]
    pub const fn among(lines: &[Line], name: &'static str) -> Option<Self> {
        // Halved, because the compiler goes through it for every entry.
        let (mut first, mut end) = (0, lines.len());
        while first < end {
            let middle = first + (end - first) / 2;
            let (entry, kernel, ptx) = lines[middle];
            match order(entry, name) {
                0 => return Some(Self::new(name, kernel, ptx)),
                ..0 => first = middle + 1,
                1.. => end = middle,
            }
        }
        None
    }

    /// Whether both are one kernel, whatever they are called, by where texts and names lie: comparing texts of many
    /// kilobytes would cost more than a launch. The compiler may put one text at two places.
    #[cfg(feature = "cuda")]
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        std::ptr::eq(self.ptx, other.ptx) && std::ptr::eq(self.kernel, other.kernel)
    }

    /// Whether both are one kernel, whatever they are called and wherever they lie.
    #[cfg(feature = "cuda")]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.is_at(other) || (self.kernel == other.kernel && self.ptx == other.ptx)
    }
}

impl<A> Clone for Entry<A> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<A> Copy for Entry<A> {}

impl<A> PartialEq for Entry<A> {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.kernel, self.ptx) == (other.name, other.kernel, other.ptx)
    }
}
impl<A> Eq for Entry<A> {}

impl<A> Hash for Entry<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.name, self.kernel, self.ptx).hash(state);
    }
}

impl<A> fmt::Debug for Entry<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, kernel, ptx, .. } = self;
        f.debug_struct("Entry").field("name", name).field("kernel", kernel).field("ptx", ptx).finish()
    }
}

/// How `a` stands to `b`, byte by byte: negative for before, 0 for equal. [`Ord`] is not for constants.
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

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &[Line] =
        &[("a", "a", "text a"), ("a_b", "a", "text a"), ("ab", "c", "text c"), ("c", "c", "text c")];

    #[test]
    fn every_line_is_found_and_nothing_else() {
        for &(name, kernel, ptx) in LINES {
            assert_eq!(Entry::among(LINES, name), Some(Entry::<Untyped>::new(name, kernel, ptx)));
        }
        for name in ["", "A", "a_", "a_c", "b", "cc"] {
            assert_eq!(Entry::<Untyped>::among(LINES, name), None, "{name}");
        }
        assert_eq!(Entry::<Untyped>::among(&[], "a"), None);
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

    #[cfg(feature = "cuda")]
    #[test]
    fn one_kernel_under_two_names_is_one() {
        let [Some(a), Some(a_b), Some(c)] =
            ["a", "a_b", "c"].map(|name| Entry::<Untyped>::among(LINES, name))
        else {
            panic!("one of them is not there");
        };
        assert!(a.is_same(&a_b) && !a.is_same(&c));
        let elsewhere = String::from("text a").leak();
        let moved = Entry { ptx: elsewhere, ..a };
        assert!(a.is_same(&moved) && !a.is_at(&moved));
    }
}
