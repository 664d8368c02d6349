//! Inputs of scans over all ranks.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Op};

use crate::index_type::longest_segment;
use crate::world::agree::{call, digest, values};
use crate::world::{Communicator, World, WorldElements, WorldOutputs, bytes};
use crate::{AsElements, Error, IndexType, Scan, Segments};

/// An input that operator `O` can scan over all ranks of a [`World`]: this rank's part of an array, or
/// [`segments(part, &offsets)`](crate::segments()) of its part and all offsets. A part is `&x` in host memory, or with
/// the feature `cuda` an array on a device ([`WorldElements`](crate::WorldElements)). The offsets are in host memory and
/// count from the start of the whole, and all ranks pass the same. There is one output for each element of the part,
/// [missing](crate::Elements) ones too.
/// Elements are sent to other ranks, so their type must allow a check of its bytes ([`CheckedBitPattern`]).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that `{O}` can scan over the ranks of a World",
    label = "neither this rank's part of an array, nor `segments(part, &offsets)`"
)]
pub trait WorldScanInput<O>: Sized {
    /// The type of the initial value.
    type Acc;
    /// The outputs: a `Vec`, or a `DeviceArray` of their [stored form](crate::stored).
    type Outs;

    /// Scans over all ranks. [`World::scan`] calls it.
    #[doc(hidden)]
    fn scan_in_world<C: Communicator>(
        self,
        world: &World<C>,
        op: O,
        scan: Scan<Self::Acc>,
    ) -> Result<Self::Outs, Error>;
}

impl<T, X, O> WorldScanInput<O> for X
where
    T: Element + CheckedBitPattern,
    X: WorldElements<Element = T> + WorldOutputs<<O as Op<T>>::Out>,
    O: Op<T>,
{
    type Acc = O::Acc;
    type Outs = X::Outs;

    fn scan_in_world<C: Communicator>(
        self,
        world: &World<C>,
        op: O,
        scan: Scan<O::Acc>,
    ) -> Result<X::Outs, Error> {
        let x = world.known(self.in_host_memory())?;
        let gaps = world.known(x.gaps())?;
        let own = scan.check_first::<T, O>().map(|()| x.array_len());
        let places = world.agree_on_places(&scan_call::<T, O>(scan, "an array"), own, x.missing())?;
        let whole = [0, places.positions.total()];
        self.outputs(world.together(|| world.scan_places(op, (&x, gaps.as_ref()), &whole, scan, &places))?)
    }
}

impl<T, X, I, O> WorldScanInput<O> for Segments<X, &I>
where
    T: Element + CheckedBitPattern,
    X: WorldElements<Element = T> + WorldOutputs<<O as Op<T>>::Out>,
    I: AsElements<Element: IndexType> + ?Sized,
    O: Op<T>,
{
    type Acc = O::Acc;
    type Outs = X::Outs;

    fn scan_in_world<C: Communicator>(
        self,
        world: &World<C>,
        op: O,
        scan: Scan<O::Acc>,
    ) -> Result<X::Outs, Error> {
        let x = world.known(self.x.in_host_memory())?;
        let offsets = world.known(self.offsets.try_elements())?;
        let (gaps, offsets) = (world.known(x.gaps())?, world.known(offsets.as_offsets())?);
        let values = world.known(values(offsets))?;
        let input = format!("segments by {} offsets with the digest {:x}", values.len(), digest(&values));
        let own = scan.check_first::<T, O>().map(|()| x.array_len());
        let places = world.agree_on_places(&scan_call::<T, O>(scan, &input), own, x.missing())?;
        // All ranks have the same offsets, and so the same error.
        longest_segment(offsets, usize::try_from(places.positions.total()).unwrap_or(usize::MAX))?;
        self.x.outputs(world.together(|| world.scan_places(op, (&x, gaps.as_ref()), &values, scan, &places))?)
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
