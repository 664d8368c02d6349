//! What ranks scan: parts of an array or of segments.

use bytemuck::CheckedBitPattern;
use gpu_kernels::{Element, Op};

use crate::arrays::AsElements;
use crate::error::Error;
use crate::index_type::{IndexType, longest_segment};
use crate::input::Segments;
use crate::verb::{Backend, Scan};
use crate::world::agree::{call, digest, values};
use crate::world::{Communicator, World, WorldElements, WorldOutputs, bytes};

impl<C, T, X, O, A> Backend<Scan<O, X, A>> for World<C>
where
    C: Communicator,
    T: Element + CheckedBitPattern,
    X: WorldElements<Element = T> + WorldOutputs<<O as Op<T>>::Out>,
    O: Op<T, Acc = A>,
    A: Copy,
{
    type Results = X::Outs;

    fn run(&self, Scan { op, input, scan }: Scan<O, X, A>) -> Result<X::Outs, Error> {
        let x = self.known(input.in_host_memory())?;
        let gaps = self.known(x.gaps())?;
        let own = scan.check_first::<T, O>().map(|()| x.array_len());
        let places = self.agree_on_places(&scan_call::<T, O>(scan, "an array"), own, x.missing())?;
        let whole = [0, places.positions.total()];
        input.outputs(self.together(|| self.scan_places(op, (&x, gaps.as_ref()), &whole, scan, &places))?)
    }
}

impl<C, T, X, I, O, A> Backend<Scan<O, Segments<X, &I>, A>> for World<C>
where
    C: Communicator,
    T: Element + CheckedBitPattern,
    X: WorldElements<Element = T> + WorldOutputs<<O as Op<T>>::Out>,
    I: AsElements<Element: IndexType> + ?Sized,
    O: Op<T, Acc = A>,
    A: Copy,
{
    type Results = X::Outs;

    fn run(&self, Scan { op, input, scan }: Scan<O, Segments<X, &I>, A>) -> Result<X::Outs, Error> {
        let x = self.known(input.x.in_host_memory())?;
        let offsets = self.known(input.offsets.try_elements())?;
        let (gaps, offsets) = (self.known(x.gaps())?, self.known(offsets.as_offsets())?);
        let values = self.known(values(offsets))?;
        let by = format!("segments by {} offsets with the digest {:x}", values.len(), digest(&values));
        let own = scan.check_first::<T, O>().map(|()| x.array_len());
        let places = self.agree_on_places(&scan_call::<T, O>(scan, &by), own, x.missing())?;
        // All ranks have the same offsets, and so the same error.
        longest_segment(offsets, usize::try_from(places.positions.total()).unwrap_or(usize::MAX))?;
        input.x.outputs(self.together(|| self.scan_places(op, (&x, gaps.as_ref()), &values, scan, &places))?)
    }
}

/// Describes a scan, for comparison between ranks.
fn scan_call<T: Element, O: Op<T>>(scan: crate::scan::Scan<O::Acc>, input: &str) -> String {
    let kind = scan.kind();
    let (init, before) = scan.init(O::IDENTITY);
    let init: Vec<u64> = bytes::of(&[init]).iter().map(|&byte| byte.into()).collect();
    let scan = format!("{kind:?} scan from {before} elements with the digest {:x}", digest(&init));
    call::<T, O>("scan", &format!("{scan}, {input}"))
}
