//! Inputs of scans over all ranks.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Op};

use crate::index_type::longest_segment;
use crate::world::agree::{call, digest, values};
use crate::world::{Communicator, World, bytes};
use crate::{AsElements, Error, IndexType, Scan, Segments};

/// An input that operator `O` can scan over all ranks of a [`World`]: this rank's part of an array, `&x`, or
/// [`segments(&x, &offsets)`](crate::segments()) of its part and all offsets. The offsets count from the start of the
/// whole, and all ranks pass the same. There is one output for each element of the part. Elements are sent to other
/// ranks, so their type must allow a check of its bytes ([`CheckedBitPattern`]).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing in host memory that `{O}` can scan over the ranks of a World",
    label = "not `&x` of this rank's part, and not `segments(&x, &offsets)`"
)]
pub trait WorldScanInput<O>: Sized {
    /// The type of the initial value.
    type Acc;
    /// The type of outputs.
    type Out;

    /// Scans over all ranks. [`World::scan`] calls it.
    #[doc(hidden)]
    fn scan_in_world<C: Communicator>(
        self,
        world: &World<C>,
        op: O,
        scan: Scan<Self::Acc>,
    ) -> Result<Vec<Self::Out>, Error>;
}

impl<S, O> WorldScanInput<O> for &S
where
    S: AsElements<Element: CheckedBitPattern> + ?Sized,
    O: Op<S::Element>,
{
    type Acc = O::Acc;
    type Out = O::Out;

    fn scan_in_world<C: Communicator>(
        self,
        world: &World<C>,
        op: O,
        scan: Scan<O::Acc>,
    ) -> Result<Vec<O::Out>, Error> {
        let x = self.elements();
        let own = scan.check_first::<S::Element, O>().map(|()| x.len() as u64);
        let cut = world.agree(&scan_call::<S::Element, O>(scan, "an array"), own)?;
        world.together(|| world.scan_segments(op, &x, &[0, cut.total()], scan, &cut))
    }
}

impl<X, I, O> WorldScanInput<O> for Segments<&X, &I>
where
    X: AsElements<Element: CheckedBitPattern> + ?Sized,
    I: AsElements<Element: IndexType> + ?Sized,
    O: Op<X::Element>,
{
    type Acc = O::Acc;
    type Out = O::Out;

    fn scan_in_world<C: Communicator>(
        self,
        world: &World<C>,
        op: O,
        scan: Scan<O::Acc>,
    ) -> Result<Vec<O::Out>, Error> {
        let (x, offsets) = (self.x.elements(), self.offsets.elements());
        let values = values(&offsets);
        let input = format!("segments by {} offsets with the digest {:x}", values.len(), digest(&values));
        let own = scan.check_first::<X::Element, O>().map(|()| x.len() as u64);
        let cut = world.agree(&scan_call::<X::Element, O>(scan, &input), own)?;
        // All ranks have the same offsets, and so the same error.
        longest_segment(&offsets, usize::try_from(cut.total()).unwrap_or(usize::MAX))?;
        world.together(|| world.scan_segments(op, &x, &values, scan, &cut))
    }
}

/// Describes a scan, for comparison between ranks.
fn scan_call<T: Element, O: Op<T>>(scan: Scan<O::Acc>, input: &str) -> String {
    let kind = scan.kind();
    let (init, before) = scan.init(O::IDENTITY);
    let init: Vec<u64> = bytes::of(&[init]).iter().map(|&byte| byte.into()).collect();
    let scan = format!("{kind:?} scan from {before} elements with the digest {:x}", digest(&init));
    call::<T, O>("scan", &format!("{scan}, {input}"))
}
