//! The launches of the kernels that scan segments, and the expected outputs.

use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::{ScanSegments, ScanSegmentsList, ScanShortSegments};
use gpu_kernels::entry::raw::scan_segments_list;
use gpu_kernels::scan::segments::{Counters, shapes};
use gpu_kernels::scan::shapes::SCAN_THREADS;
use gpu_kernels::scan::{Kind, reference, tree};
use gpu_kernels::{Element, Op, Storable, StoredOf};
use warpfold_tests::{Bits, Offset, poison};

/// The entry points of one pair of the catalogue, as the emulator calls them.
pub(crate) struct Kernels<T: Element, O: Op<T, Out: Storable>> {
    pub(crate) segments: unsafe fn(ScanSegments<T, O>),
    pub(crate) short: unsafe fn(ScanShortSegments<T, O>),
    pub(crate) op: O,
}

/// The output of the first launch.
pub(crate) struct Listed {
    pub(crate) counters: Counters,
    medium: Vec<[u64; 2]>,
    long: Vec<[u64; 4]>,
    tiles: Vec<u64>,
}

/// Runs the first launch, with room for exactly the largest possible lists.
pub(crate) fn list<T, I: Offset>(offsets: &[I], len: u64, order: Order) -> Listed {
    let room = |most: u64| most as usize;
    let mut listed = Listed {
        counters: Counters::default(),
        medium: poison(room(shapes::most_medium::<T>(len))),
        long: poison(room(shapes::most_long::<T>(len))),
        tiles: poison(room(shapes::most_tiles::<T>(len))),
    };
    let count = offsets.len() as u64 - 1;
    let arguments = ScanSegmentsList {
        offsets: offsets.as_ptr().cast(),
        are_wide: u32::from(size_of::<I>() == 8),
        are_signed: u32::from(I::IS_SIGNED),
        count,
        len,
        log2_row: tree::row_len::<T>().ilog2(),
        counters: (&raw mut listed.counters).cast(),
        medium: listed.medium.as_mut_ptr(),
        most_medium: listed.medium.len() as u64,
        long: listed.long.as_mut_ptr(),
        most_long: listed.long.len() as u64,
        tiles: listed.tiles.as_mut_ptr(),
        most_tiles: listed.tiles.len() as u64,
    };
    Launch::new(2, 64)
        .order(order)
        .register(offsets)
        .register(&raw const listed.medium[..])
        .register(&raw const listed.long[..])
        .register(&raw const listed.tiles[..])
        .register(std::slice::from_ref(&listed.counters))
        // SAFETY: all arrays live as long as the launch and have the lengths given.
        .run(|| unsafe { scan_segments_list(arguments) })
        .unwrap_or_else(|misuse| panic!("{count} segments: {misuse}"));
    listed
}

/// The places of elements and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    /// Both at a multiple of 16 bytes.
    Aligned,
    /// Both one element after that; outputs without a segment are zeros.
    Beyond,
    /// Outputs replace the elements.
    InPlace,
}

/// Places aligned to 16 bytes, plus `skipped`.
fn places<S: Copy>(fill: S, len: usize, skipped: usize) -> (Vec<S>, usize) {
    let places = vec![fill; len + skipped + 16];
    let first = (0..16).find(|&i| places[i..].as_ptr().addr().is_multiple_of(16)).unwrap();
    (places, first + skipped)
}

/// Outputs in their stored form.
type Stored<T, O> = Vec<StoredOf<T, O>>;

/// The shape of the launches.
pub(crate) type Shape = (Lie, Order, u32);

impl<T: Element, O: Op<T, Out: Storable<Stored: Bits>>> Kernels<T, O> {
    /// The outputs of the launches, and the earlier contents of their memory.
    fn scanned<I: Offset>(
        &self,
        x: &[T],
        offsets: &[I],
        (kind, init, before): (Kind, O::Acc, u64),
        (lie, order, log2_batch): Shape,
    ) -> (Stored<T, O>, Stored<T, O>) {
        let len = x.len();
        let skipped = usize::from(lie == Lie::Beyond);
        let (mut elements, first) = places(x[0], len, skipped);
        elements[first..first + len].copy_from_slice(x);
        let poison: StoredOf<T, O> = bytemuck::pod_read_unaligned(&vec![0xa5; size_of::<StoredOf<T, O>>()]);
        let (mut outs, first_out) = places(poison, len, skipped);
        let input = elements[first..].as_mut_ptr();
        let out = if lie == Lie::InPlace {
            assert_eq!(size_of::<T>(), size_of::<StoredOf<T, O>>());
            input.cast()
        } else {
            outs[first_out..].as_mut_ptr()
        };
        let as_outs = |elements: &[T]| {
            let bytes = bytemuck::cast_slice::<T, u8>(elements);
            bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect::<Vec<_>>()
        };
        let untouched = match lie {
            Lie::Aligned => vec![poison; len],
            Lie::Beyond => vec![bytemuck::Zeroable::zeroed(); len],
            Lie::InPlace => as_outs(x),
        };
        let mut listed = list::<T, I>(offsets, len as u64, order);
        assert_eq!(listed.counters.wrong, 0);
        let count = offsets.len() as u64 - 1;
        let is_inclusive = u32::from(kind == Kind::Inclusive);
        let stretches = shapes::most_stretches::<T>(len as u64);
        let mut posts = vec![0_u64; shapes::posts_words::<O::Acc>(stretches) as usize];
        let (len, op) = (len as u64, self.op);
        let counters = (&raw mut listed.counters).cast::<u64>();
        let most_tiles = listed.tiles.len() as u64;
        let arguments = ScanSegments {
            input,
            len,
            is_inclusive,
            init,
            before,
            counters,
            long: listed.long.as_ptr(),
            most_long: listed.long.len() as u64,
            tiles: listed.tiles.as_ptr(),
            most_tiles,
            posts: posts.as_mut_ptr(),
            most_stretches: stretches,
            out,
            op,
        };
        // A few blocks with many tiles each, or one block per tile.
        let blocks = if log2_batch.is_multiple_of(2) { most_tiles.clamp(1, 3) } else { most_tiles.max(1) };
        Launch::new(blocks as u32, SCAN_THREADS)
            .order(order)
            .register(&raw const elements[first..first + x.len()])
            .register(&raw const outs[first_out..first_out + x.len()])
            .register(std::slice::from_ref(&listed.counters))
            .register(&raw const listed.long[..])
            .register(&raw const listed.tiles[..])
            .register(&raw const posts[..])
            // SAFETY: all arrays live as long as the launch and have the lengths given.
            .run(|| unsafe { (self.segments)(arguments) })
            .unwrap_or_else(|misuse| panic!("{count} segments, {lie:?}, {order:?}: {misuse}"));
        let arguments = ScanShortSegments {
            input,
            len,
            is_inclusive,
            init,
            before,
            offsets: offsets.as_ptr().cast(),
            are_wide: u32::from(size_of::<I>() == 8),
            count,
            log2_batch,
            counters,
            medium: listed.medium.as_ptr(),
            most_medium: listed.medium.len() as u64,
            is_new: u32::from(lie == Lie::Beyond),
            out,
            op,
        };
        Launch::new(2, shapes::LANES_THREADS)
            .order(order)
            .register(&raw const elements[first..first + x.len()])
            .register(&raw const outs[first_out..first_out + x.len()])
            .register(std::slice::from_ref(&listed.counters))
            .register(offsets)
            .register(&raw const listed.medium[..])
            // SAFETY: all arrays live as long as the launch and have the lengths given.
            .run(|| unsafe { (self.short)(arguments) })
            .unwrap_or_else(|misuse| panic!("{count} short segments, {lie:?}, {order:?}: {misuse}"));
        let found = if lie == Lie::InPlace {
            as_outs(&elements[first..first + x.len()])
        } else {
            outs[first_out..first_out + x.len()].to_vec()
        };
        (found, untouched)
    }

    pub(crate) fn check<I: Offset>(
        &self,
        x: &[T],
        offsets: &[u64],
        wanted: (Kind, O::Acc, u64),
        shape: Shape,
    ) {
        let (kind, init, before) = wanted;
        let given: Vec<I> = offsets.iter().map(|&at| I::try_from(at).ok().unwrap()).collect();
        let (found, mut expected) = self.scanned(x, &given, wanted, shape);
        for ends in offsets.windows(2) {
            let segment = ends[0] as usize..ends[1] as usize;
            let scanned = reference::scan_by(self.op, &x[segment.clone()], kind, (init, before));
            for (to, out) in expected[segment].iter_mut().zip(scanned) {
                *to = out.store();
            }
        }
        let at = found.iter().zip(&expected).position(|(found, expected)| found.bits() != expected.bits());
        assert_eq!(
            at.map(|at| (at, found[at].bits(), expected[at].bits())),
            None,
            "{} segments in {} elements, {kind:?}, {shape:?}: (output, found, expected)",
            offsets.len() - 1,
            x.len()
        );
    }
}
