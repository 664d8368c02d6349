//! The kernels over segments, under the emulator: each segment has the bits of the reference of that segment
//! alone.
#![allow(missing_docs)]

use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::{Segments, SegmentsList, ShortSegments};
use gpu_kernels::entry::rows::{reduce_sum_f32, segments_list};
use gpu_kernels::segments::Counters;
use gpu_kernels::shapes::lanes_row_len;
use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::{ArgMin, Element, Op, Sum, Variance, f16, reference, tree};
use warpfold_tests::data::Family::Special;
use warpfold_tests::{Bits, Offset, Sample, poison, samples};

/// The output of the first launch.
struct Listed {
    offsets: Vec<u64>,
    counters: Counters,
    tiles: Vec<u64>,
    joins: Vec<[u64; 2]>,
}

/// Runs the first launch, with room for exactly the largest possible lists of tiles and joins.
fn list<T, I: Offset>(offsets: &[I], len: usize, short: u64, shape: (u32, u32), order: Order) -> Listed {
    let least = (tree::tile_len::<T>(0) as usize).min(short as usize + 1);
    let most = len / least + len / (short as usize + 1) + 1;
    let mut listed = Listed {
        offsets: poison(offsets.len()),
        counters: Counters::default(),
        tiles: poison(most),
        joins: poison(most),
    };
    let count = offsets.len() as u64 - 1;
    let arguments = SegmentsList {
        offsets: offsets.as_ptr().cast(),
        are_wide: u32::from(size_of::<I>() == 8),
        are_signed: u32::from(I::IS_SIGNED),
        count,
        len: len as u64,
        short,
        lanes: tree::lanes::<T>() as u64,
        checked: listed.offsets.as_mut_ptr(),
        counters: (&raw mut listed.counters).cast(),
        tiles: listed.tiles.as_mut_ptr(),
        most_tiles: most as u64,
        joins: listed.joins.as_mut_ptr(),
        most_joins: most as u64,
    };
    Launch::new(shape.0, shape.1)
        .order(order)
        .register(offsets)
        .register(&raw const listed.offsets[..])
        .register(&raw const listed.tiles[..])
        .register(&raw const listed.joins[..])
        .register(std::slice::from_ref(&listed.counters))
        // SAFETY: all arrays live as long as the launch and have the lengths given.
        .run(|| unsafe { segments_list(arguments) })
        .unwrap_or_else(|misuse| panic!("{count} segments: {misuse}"));
    listed
}

/// The entry points of one pair of the catalogue, as the emulator calls them.
struct Kernels<T: Element, O: Op<T>> {
    long: unsafe fn(Segments<T, O>),
    short: unsafe fn(ShortSegments<T, O>),
    op: O,
}

impl<T: Element + Sample, O: Op<T, Out: Bits>> Kernels<T, O> {
    fn check<I: Offset>(&self, x: &[T], offsets: &[I], shape: (u32, u32), order: Order) {
        let short = lanes_row_len::<T, O>(false);
        let listed = list::<T, I>(offsets, x.len(), short, shape, order);
        assert_eq!(listed.counters.wrong, 0);
        let (count, most) = (offsets.len() as u64 - 1, listed.tiles.len() as u64);
        let (mut partials, mut out) = (poison::<O::Acc>(most as usize), poison::<O::Acc>(count as usize));
        let (input, len, places) = (x.as_ptr(), x.len() as u64, listed.offsets.as_ptr());
        let counters = (&raw const listed.counters).cast::<u64>();
        let (parts, to) = (partials.as_mut_ptr(), out.as_mut_ptr());
        let arguments = Segments {
            input,
            len,
            offsets: places,
            count,
            counters,
            tiles: listed.tiles.as_ptr(),
            most_tiles: most,
            partials: parts,
            out: to,
            op: self.op,
        };
        // Groups of 256 threads fold tiles.
        Launch::new(shape.0, if shape.0 == 2 { 512 } else { 256 })
            .order(order)
            .register(x)
            .register(&raw const listed.offsets[..])
            .register(std::slice::from_ref(&listed.counters))
            .register(&raw const listed.tiles[..])
            .register(&raw const partials[..])
            .register(&raw const out[..])
            // SAFETY: all arrays live as long as the launch and have the lengths given.
            .run(|| unsafe { (self.long)(arguments) })
            .unwrap_or_else(|misuse| panic!("{count} segments: {misuse}"));
        let arguments = ShortSegments {
            input,
            len,
            offsets: places,
            count,
            short,
            counters,
            joins: listed.joins.as_ptr(),
            most_joins: most,
            partials: parts,
            most_tiles: most,
            out: to,
            op: self.op,
        };
        Launch::new(shape.0, shape.1)
            .order(order)
            .register(x)
            .register(&raw const listed.offsets[..])
            .register(std::slice::from_ref(&listed.counters))
            .register(&raw const listed.joins[..])
            .register(&raw const partials[..])
            .register(&raw const out[..])
            // SAFETY: all arrays live as long as the launch and have the lengths given.
            .run(|| unsafe { (self.short)(arguments) })
            .unwrap_or_else(|misuse| panic!("{count} segments, short: {misuse}"));
        for (segment, (ends, acc)) in offsets.windows(2).zip(out).enumerate() {
            let (start, end): (i128, i128) = (ends[0].into(), ends[1].into());
            let expected = reference::reduce_by(self.op, &x[start as usize..end as usize]).bits();
            let found = O::finish(acc, (end - start) as u64).bits();
            assert_eq!(found, expected, "segment {segment} of {count}, {start}..{end}");
        }
    }

    /// Segments of all kinds together, and the same offsets in every type.
    fn check_all(&self) {
        let tile = tree::tile_len::<T>(0) as usize;
        let short = lanes_row_len::<T, O>(false) as usize;
        let x = samples::<T>(Special, 51, (9 * tile + 4000) as u64);
        let edges = [
            [0, 1, 2, 3, 0, 0, 7, 16, 17, 31, 33, 64, 5],
            [short - 1, short, short + 1, 1, 0, 100, 3, tile - 1, 1, tile, tile + 1, 2, 0],
            [0, 3 * tile + 5, 0, 0, 1, 2 * tile, short, 1, short + 2, 2, 4, 4, 1],
            // Rows of a tile that are cut short, complete or started.
            [
                tile / 4,
                tile / 2 + 7,
                tile - 2,
                tile / 4 + 1,
                short + 3,
                3,
                tile,
                tile / 4 - 1,
                2,
                tile,
                0,
                tile - 3,
                1,
            ],
        ];
        for (i, lens) in edges.into_iter().enumerate() {
            let mut offsets = vec![i as u32];
            for len in lens.into_iter().cycle().take(13 * (1 + 4 * usize::from(i == 0))) {
                let next = offsets[offsets.len() - 1] as usize + len;
                offsets.push(next.min(x.len()) as u32);
            }
            let order = [Order::InOrder, Order::Reversed, Order::Shuffled(5), Order::Shuffled(6)][i];
            let shape = [(2, 64), (1, 32), (3, 96), (2, 32)][i];
            self.check(&x, &offsets, shape, order);
            self.check(&x, &offsets.iter().map(|&at| at as i32).collect::<Vec<_>>(), (1, 256), order);
            self.check(&x, &offsets.iter().map(|&at| u64::from(at)).collect::<Vec<_>>(), (2, 128), order);
            self.check(&x, &offsets.iter().map(|&at| i64::from(at)).collect::<Vec<_>>(), (5, 32), order);
        }
        // One segment of everything; two of several tiles; one without elements; one with the last element alone.
        self.check(&x, &[0u32, x.len() as u32], (3, 64), Order::Reversed);
        self.check(&x, &[3u64, (5 * tile + 9) as u64, x.len() as u64], (2, 64), Order::Shuffled(7));
        self.check(&x, &[7u64, 7, 7], (1, 32), Order::InOrder);
        self.check(&x, &[x.len() as i64 - 1, x.len() as i64], (1, 32), Order::InOrder);
    }
}

macro_rules! every_row {
    ($($module:path => $row:ident: $op:ty, $element:ty;)*) => { $(
        #[test]
        fn $row() {
            use $module as kernels;
            Kernels::<$element, $op> {
                long: kernels::segments,
                short: kernels::short_segments,
                op: <$op>::default(),
            }
            .check_all();
        }
    )* };
}
every_row! {
    test_kernels::kernels::rows::reduce_strided_u32 => reduce_strided_u32: Strided, u32;
    test_kernels::kernels::rows::reduce_ordered_u32 => reduce_ordered_u32: Ordered, u32;
    test_kernels::kernels::rows::reduce_matrix_u32 => reduce_matrix_u32: MatrixProduct, u32;
    gpu_kernels::entry::rows::reduce_sum_f32 => reduce_sum_f32: Sum, f32;
    gpu_kernels::entry::rows::reduce_sum_f16 => reduce_sum_f16: Sum, f16;
    gpu_kernels::entry::rows::reduce_sum_f64 => reduce_sum_f64: Sum, f64;
    gpu_kernels::entry::rows::reduce_argmin_f32 => reduce_argmin_f32: ArgMin, f32;
    gpu_kernels::entry::rows::reduce_sum_u8 => reduce_sum_u8: Sum, u8;
    gpu_kernels::entry::rows::reduce_variance_f64 => reduce_variance_f64: Variance, f64;
}

/// Wrong offsets are counted, nothing is accessed beyond the lists, and invalid places are replaced by valid
/// ones.
#[test]
fn wrong_offsets_are_counted() {
    let wrong = |offsets: &[i32]| list::<f32, i32>(offsets, 100_000, 512, (2, 64), Order::InOrder);
    assert_eq!(wrong(&[0, 5, 100_000]).counters.wrong, 0);
    assert_eq!(wrong(&[0, 5, 4, 10]).counters.wrong, 1);
    assert_eq!(wrong(&[-1, 5, 100_001]).counters.wrong, 2);
    let listed = wrong(&[0, 100_000, 0, 100_000, 0, 100_000, i32::MIN, 100_000]);
    assert_eq!((listed.counters.wrong, listed.counters.joins), (4, 3));
    assert!(listed.offsets.iter().all(|&at| at <= 100_000), "{:?}", listed.offsets);
    let unsigned = list::<f32, u32>(&[0, u32::MAX], 100_000, 512, (1, 32), Order::InOrder);
    assert_eq!(unsigned.counters.wrong, 1);
}

/// A lane joins few tiles, and a warp more, at most 256 at a time. A warp takes from one segment to 32, and then the next 32.
#[test]
fn tiles_are_joined_in_pairs_whatever_their_number() {
    let tile = tree::tile_len::<f32>(0);
    let tiles = [[2, 3, 7, 8, 9, 31, 33, 5, 255, 256, 257, 700, 6]; 3].concat();
    let (mut offsets, mut joins, mut first) = (vec![0], Vec::new(), 0);
    for (segment, &tiles) in (0..).zip(&tiles) {
        offsets.push(offsets[segment as usize] + (tiles - 1) * tile + 1 + segment);
        joins.push([segment, first]);
        first += tiles;
    }
    let partials: Vec<f32> = (0..first).map(|i| 1.0 / (1 + i) as f32).collect();
    // No segment is short, so no element is loaded.
    let x = [0.0];
    let counters = Counters { tiles: first, joins: joins.len() as u64, ..Counters::default() };
    for (shape, order) in
        [((1, 32), Order::InOrder), ((3, 64), Order::Shuffled(3)), ((20, 64), Order::Reversed)]
    {
        let mut out: Vec<f32> = poison(tiles.len());
        let arguments = ShortSegments {
            input: x.as_ptr(),
            len: 1,
            offsets: offsets.as_ptr(),
            count: tiles.len() as u64,
            short: 512,
            counters: (&raw const counters).cast(),
            joins: joins.as_ptr(),
            most_joins: joins.len() as u64,
            partials: partials.as_ptr(),
            most_tiles: first,
            out: out.as_mut_ptr(),
            op: Sum,
        };
        Launch::new(shape.0, shape.1)
            .order(order)
            .register(&x[..])
            .register(&offsets[..])
            .register(std::slice::from_ref(&counters))
            .register(&joins[..])
            .register(&partials[..])
            .register(&raw const out[..])
            // SAFETY: all arrays live as long as the launch and have the lengths given.
            .run(|| unsafe { reduce_sum_f32::short_segments(arguments) })
            .unwrap_or_else(|misuse| panic!("{misuse}"));
        for ((&tiles, [_, first]), total) in tiles.iter().zip(&joins).zip(out) {
            let first = *first as usize;
            let expected = pairs(partials[first..first + tiles as usize].to_vec());
            assert_eq!(total.to_bits(), expected.to_bits(), "{tiles} tiles");
        }
    }
}

/// Folds in pairs of neighbours.
fn pairs(totals: Vec<f32>) -> f32 {
    match totals[..] {
        [total] => total,
        _ => pairs(totals.chunks(2).map(|pair| pair.iter().sum()).collect()),
    }
}
