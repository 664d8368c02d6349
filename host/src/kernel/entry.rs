//! Entry points of kernels, and their lookup among those that were built.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

#[cfg(feature = "emulator")]
use gpu_kernels::formula::combine_by;
use gpu_kernels::formula::{Operation, Program};

use crate::kernel::texts::{Source, Texts};

/// What the emulator runs for an [`Entry`].
#[cfg(feature = "emulator")]
pub use cuda_std::emulator::Entry as Emulated;

/// A kernel's entry point, and the PTX module that holds only this kernel. A launch takes `A`: a struct of
/// `gpu_kernels::arguments`, or the one that `cuda_std::kernel!` declares beside a kernel. An entry without an `A`
/// cannot be launched.
pub struct Entry<A = Untyped> {
    /// Name of the entry point, as stamped.
    pub name: &'static str,
    /// Name of the `.visible .entry` in the module: `name`, or the name of another entry point with the same code. The
    /// same code is kept only once.
    pub kernel: &'static str,
    /// Where the module's text is.
    source: Source,
    /// Returns the formula for the marks in the text, if it has some.
    formula: Option<fn() -> Program>,
    /// What runs instead of the text under the emulator.
    #[cfg(feature = "emulator")]
    emulated: Option<Emulated>,
    arguments: PhantomData<fn(A)>,
}

/// The arguments of an [`Entry`] whose arguments are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Untyped {}

impl<A> Entry<A> {
    /// Creates an entry from its name, the name of the kernel with its code, and the PTX text of that kernel's module,
    /// which serves every GPU. From compute capability 9.0 on, launches overlap if the kernel waits for earlier ones
    /// (`cuda_std::grid`), as kernels stamped by `stamp_kernels!` do.
    ///
    /// Launches rely on the kernel's parameters being the fields of `A`. An implementation of
    /// [`Kernel`](crate::kernels::Kernel) that uses the entry must guarantee this.
    ///
    /// ```
    /// use warpfold::kernels::Entry;
    ///
    /// const SUM: Entry = Entry::new("my_sum", "my_sum", ".version 7.0 ...");
    /// assert_eq!(SUM.name, "my_sum");
    /// ```
    #[must_use]
    pub const fn new(name: &'static str, kernel: &'static str, ptx: &'static str) -> Self {
        Self::at(name, kernel, Source::Text(ptx))
    }

    const fn at(name: &'static str, kernel: &'static str, source: Source) -> Self {
        Self {
            name,
            kernel,
            source,
            formula: None,
            #[cfg(feature = "emulator")]
            emulated: None,
            arguments: PhantomData,
        }
    }

    /// Returns the same entry, which `kernel` runs under the emulator ([`Cuda::emulated`](crate::Cuda::emulated)).
    /// [`ship_kernels!`](crate::ship_kernels) gives it to every entry.
    #[cfg(feature = "emulator")]
    #[must_use]
    pub const fn emulated_by(self, kernel: Emulated) -> Self {
        Self { emulated: Some(kernel), ..self }
    }

    /// Returns the same entry without what the emulator runs.
    pub(crate) const fn bare(self) -> Self {
        Self::at(self.name, self.kernel, self.source)
    }

    /// Returns the same kernel with a formula in the places of its marks.
    pub(crate) const fn after(self, formula: fn() -> Program) -> Self {
        Self { formula: Some(formula), ..self }
    }

    /// Returns the same kernel with an operation in the places of its marks.
    pub(crate) const fn combining_by<B: Operation>(self) -> Self {
        Self {
            formula: Some(Program::of_operation::<B>),
            #[cfg(feature = "emulator")]
            emulated: match self.emulated {
                Some(kernel) => Some(kernel.after(combine_by::<B>)),
                None => None,
            },
            ..self
        }
    }

    /// Returns the formula for the marks in the text, if it has some.
    #[cfg(feature = "cuda")]
    pub(crate) fn formula(&self) -> Option<Program> {
        self.formula.map(|formula| formula())
    }

    /// Has the emulated device, if it is in use, find what runs this entry. Calls that name their operator do so by themselves;
    /// [`Auto`](crate::Auto), which finds kernels at run time, does not.
    ///
    /// ```
    /// use warpfold::kernels::Kernel;
    /// use warpfold::{Cuda, Sum};
    ///
    /// let _device = Cuda::emulated()?;
    /// <Sum as Kernel<f32>>::FOLD.block.offer();
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[cfg(feature = "emulator")]
    pub fn offer(&self) {
        self.offer_as(self.kernel);
    }

    /// Does [`offer`](Self::offer) for a text in which the kernel has another name.
    #[cfg(feature = "emulator")]
    pub(crate) fn offer_as(&self, name: &str) {
        if let Some(kernel) = self.emulated
            && cust::emulated::is_in_use()
        {
            cust::emulated::offer(name, kernel);
        }
    }

    /// Returns the same entry under another name, with arguments `B`.
    const fn called<B>(self, name: &'static str) -> Entry<B> {
        Entry {
            name,
            kernel: self.kernel,
            source: self.source,
            formula: self.formula,
            #[cfg(feature = "emulator")]
            emulated: self.emulated,
            arguments: PhantomData,
        }
    }

    /// Returns the same kernel under another name, with arguments `B`. As for [`new`](Self::new), an implementation of
    /// [`Kernel`](crate::kernels::Kernel) that uses the entry must guarantee that the kernel takes them.
    ///
    /// ```
    /// use warpfold::kernels::{Entry, Untyped};
    ///
    /// const SUM: Entry = Entry::new("my_sum", "my_sum", ".version 7.0 ...");
    /// const TOTAL: Entry = SUM.named::<Untyped>("my_total");
    /// assert_eq!((TOTAL.name, TOTAL.kernel), ("my_total", "my_sum"));
    /// ```
    #[must_use]
    pub const fn named<B>(self, name: &'static str) -> Entry<B> {
        self.called(name)
    }

    /// Returns the same entry point without its arguments, for loading and comparing.
    #[must_use]
    pub const fn untyped(self) -> Entry {
        self.cast()
    }

    /// Returns the same entry point with arguments `B`.
    pub(crate) const fn cast<B>(self) -> Entry<B> {
        self.called(self.name)
    }

    /// Returns the entry `name` if it was built, or if only the emulated device is to run it. For [`ship_kernels!`](crate::ship_kernels).
    #[doc(hidden)]
    #[must_use]
    pub const fn among(texts: Texts, name: &'static str) -> Option<Self> {
        match texts.find(name) {
            Some((kernel, source)) => Some(Self::at(name, kernel, source)),
            None => None,
        }
    }

    /// Returns the PTX text.
    #[cfg(feature = "cuda")]
    pub(crate) fn ptx(&self) -> Result<std::borrow::Cow<'static, str>, crate::error::Error> {
        self.source.text().map_err(|why| crate::error::Error::Kernel {
            entry: self.name,
            code: crate::error::DriverCode::INVALID_PTX,
            log: why.into(),
        })
    }

    /// Returns the registers per thread that NVIDIA's assembler gave it for compute capability 9.0, if they are
    /// known.
    #[cfg(feature = "cuda")]
    pub(crate) fn registers(&self) -> Option<u32> {
        self.source.registers()
    }

    /// Returns a checksum of the text.
    #[cfg(feature = "cuda")]
    pub(crate) fn checksum(&self) -> u64 {
        self.source.checksum()
    }

    /// Returns whether both are the same kernel, under any names, judged by where texts and names lie: comparing texts
    /// of many kilobytes would cost more than a launch. May miss equal kernels, because the compiler may put one text
    /// at two places.
    #[cfg(feature = "cuda")]
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        self.source.is_at(&other.source) && std::ptr::eq(self.kernel, other.kernel) && self.has_formula(other)
    }

    /// Returns whether both have the same formula, or none, judged by where its code lies.
    fn has_formula(&self, other: &Self) -> bool {
        match (self.formula, other.formula) {
            (Some(one), Some(other)) => std::ptr::fn_addr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// Returns whether both are the same kernel, under any names and at any addresses.
    #[cfg(feature = "cuda")]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.is_at(other)
            || (self.kernel == other.kernel && self.source == other.source && self.has_formula(other))
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
        (self.name, self.kernel, self.source) == (other.name, other.kernel, other.source)
            && self.has_formula(other)
    }
}
impl<A> Eq for Entry<A> {}

impl<A> Hash for Entry<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.name, self.kernel).hash(state);
    }
}

impl<A> fmt::Debug for Entry<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, kernel, source, .. } = self;
        f.debug_struct("Entry").field("name", name).field("kernel", kernel).field("source", source).finish()
    }
}

/// An entry that the emulator runs by a kernel.
#[cfg(all(feature = "cuda", feature = "emulator"))]
macro_rules! emulated {
    ($entry:expr, $kernel:expr) => {
        $entry.emulated_by(crate::kernel::entry::Emulated::new($kernel))
    };
}
/// An entry that the emulator runs by a kernel.
#[cfg(all(feature = "cuda", not(feature = "emulator")))]
macro_rules! emulated {
    ($entry:expr, $kernel:expr) => {
        $entry
    };
}
#[cfg(feature = "cuda")]
pub(crate) use emulated;

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;

    const TEXTS: Texts =
        Texts::Written(&[("a", "a", "text a"), ("a_b", "a", "text a"), ("c", "c", "text c")]);

    #[test]
    fn one_kernel_under_two_names_is_one() {
        let [Some(a), Some(a_b), Some(c)] =
            ["a", "a_b", "c"].map(|name| Entry::<Untyped>::among(TEXTS, name))
        else {
            panic!("one of them is not there");
        };
        assert!(a.is_same(&a_b) && !a.is_same(&c));
        let elsewhere = String::from("text a").leak();
        let moved = Entry::new("a", "a", elsewhere);
        assert!(a.is_same(&moved) && !a.is_at(&moved));
        assert!(a.is_at(&a.named("b")) && a != a.named::<Untyped>("b"));
    }

    #[test]
    fn one_kernel_of_a_pack_is_one() {
        let among = |name| Entry::<Untyped>::among(Texts::Packed(warpfold_ptx::REDUCE), name).unwrap();
        let (signed, unsigned) = (among("reduce_sum_i64_grid"), among("reduce_sum_u64_grid"));
        assert!(signed.is_at(&unsigned) && signed != unsigned);
        assert!(!signed.is_same(&among("reduce_sum_i64_block")));
        assert!(!signed.is_same(&Entry::new("reduce_sum_i64_grid", "reduce_sum_i64_grid", "")));
    }

    /// A release has no such entry: without the feature `emulator` it does not compile.
    #[test]
    fn a_kernel_that_its_pack_lacks_is_for_the_emulated_device() {
        let found = Entry::<Untyped>::among(Texts::Packed(warpfold_ptx::REDUCE), "reduce_new_f32_grid");
        assert_eq!(found.is_some(), cfg!(feature = "emulator"));
        if let Some(entry) = found {
            let refused = entry.ptx().unwrap_err().to_string();
            assert!(
                refused.contains("`reduce_new_f32_grid`") && refused.contains("`cargo xtask ptx`"),
                "{refused}"
            );
        }
        assert!(Entry::<Untyped>::among(TEXTS, "b").is_none());
    }
}
