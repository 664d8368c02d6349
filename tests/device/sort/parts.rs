//! Sorts and selections of parts: each has the CPU's bits over that part alone, whatever its neighbours.

use bytemuck::AnyBitPattern;
use gpu_kernels::sort::shapes::{sort_items, sort_tile};
use test_kernels::mix;
use warpfold::Order::{Ascending, Descending};
use warpfold::elements::SortKey;
use warpfold::{
    At, Cpu, DeviceArray, Error, Interpolation, NanGreatest, Order, bf16, chunks, f16, rows, segments,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, on_gpu_or_emulated, samples, sizes, takes_case};

/// How an array is divided.
pub(crate) enum Parts {
    Rows([usize; 2]),
    Chunks(usize),
    Segments(Vec<u64>, DeviceArray<u64>),
}

impl Parts {
    pub(crate) fn segments(offsets: Vec<u64>) -> Self {
        let on_device = cuda().upload(&offsets).unwrap();
        Self::Segments(offsets, on_device)
    }

    /// Returns where the parts of `len` elements begin and end.
    pub(crate) fn offsets(&self, len: usize) -> Vec<usize> {
        match self {
            Self::Rows([rows, columns]) => (0..=*rows).map(|row| row * columns).collect(),
            Self::Chunks(of) => (0..=len.div_ceil(*of)).map(|chunk| len.min(chunk * of)).collect(),
            Self::Segments(offsets, _) => offsets.iter().map(|&offset| offset as usize).collect(),
        }
    }
}

/// Evaluates an expression with the parts of an array as an input.
macro_rules! divided {
    ($parts:expr, $x:expr, |$input:ident| $body:expr) => {
        match $parts {
            Parts::Rows(shape) => {
                let $input = rows($x, *shape);
                $body
            }
            Parts::Chunks(len) => {
                let $input = chunks($x, *len);
                $body
            }
            Parts::Segments(_, offsets) => {
                let $input = segments($x, offsets);
                $body
            }
        }
    };
}

fn bytes<T: SortKey>(x: &[T]) -> &[u8] {
    bytemuck::cast_slice(x)
}

/// What the CPU makes of each part alone.
struct Expected<T> {
    sorted: Vec<T>,
    /// For each result the place in the array.
    places: Vec<usize>,
    /// For each result the place in the part.
    indices: Vec<u64>,
}

fn expected<T: SortKey>(x: &[T], offsets: &[usize], order: Order) -> Expected<T> {
    let (mut places, mut indices): (Vec<usize>, _) = ((0..x.len()).collect(), vec![0; x.len()]);
    for ends in offsets.windows(2) {
        let sorted = Cpu::new().argsort(&x[ends[0]..ends[1]], order).unwrap();
        for (i, &index) in sorted.iter().enumerate() {
            places[ends[0] + i] = ends[0] + index;
            indices[ends[0] + i] = index as u64;
        }
    }
    Expected { sorted: places.iter().map(|&place| x[place]).collect(), places, indices }
}

/// Sorts, and a selection of the first `k`.
fn check<T: SortKey + AnyBitPattern>(x: &[T], parts: &Parts, k: usize, order: Order, what: &str) {
    let what = format!("{what}, {} elements of {} bytes, {order:?}", x.len(), size_of::<T>());
    let (offsets, on_device) = (parts.offsets(x.len()), cuda().upload(x).unwrap());
    let Expected { sorted, places, indices } = expected(x, &offsets, order);
    let found = divided!(parts, &on_device, |input| cuda().sort(input, order)).unwrap().to_vec().unwrap();
    assert!(bytes(&found) == bytes(&sorted), "{what}, sort");
    let found = divided!(parts, &on_device, |input| cuda().argsort(input, order)).unwrap().to_vec().unwrap();
    assert!(found == indices, "{what}, argsort");
    let values: Vec<[u32; 3]> = (0..x.len() as u32).map(|i| [i, !i, 7]).collect();
    let on_values = cuda().upload(&values).unwrap();
    let (keys, moved) =
        divided!(parts, &on_device, |input| cuda().sort_pairs(input, &on_values, order)).unwrap();
    assert!(bytes(&keys.to_vec().unwrap()) == bytes(&sorted), "{what}, keys of pairs");
    let moved = moved.to_vec().unwrap();
    assert!(moved.iter().zip(&places).all(|(value, &place)| *value == values[place]), "{what}, values");
    check_first(x, parts, k, order, &what);
}

/// A selection of the first `k`.
pub(crate) fn check_first<T: SortKey + AnyBitPattern>(
    x: &[T],
    parts: &Parts,
    k: usize,
    order: Order,
    what: &str,
) {
    let (offsets, on_device) = (parts.offsets(x.len()), cuda().upload(x).unwrap());
    let Expected { sorted, indices, .. } = expected(x, &offsets, order);
    let first = divided!(parts, &on_device, |input| match order {
        Ascending => cuda().bottom_k(input, k),
        Descending => cuda().top_k(input, k),
    });
    if let Some(part) = offsets.windows(2).position(|ends| ends[1] - ends[0] < k) {
        assert!(matches!(&first, Err(Error::PartTooShort { part: found, .. }) if *found == part), "{what}");
        return;
    }
    let (values, found) = first.unwrap();
    let wanted = || offsets.windows(2).flat_map(|ends| ends[0]..ends[0] + k);
    let of_first: Vec<T> = wanted().map(|place| sorted[place]).collect();
    assert!(bytes(&values.to_vec().unwrap()) == bytes(&of_first), "{what}, values of the first {k}");
    let found = found.to_vec().unwrap();
    assert!(found.into_iter().eq(wanted().map(|place| indices[place])), "{what}, indices of the first {k}");
}

/// Medians and quantiles, of parts that all have elements.
fn check_quantiles<T: SortKey<Quantile: Bits> + AnyBitPattern>(x: &[T], parts: &Parts, what: &str) {
    let (offsets, on_device) = (parts.offsets(x.len()), cuda().upload(x).unwrap());
    let qs = [0.0, 0.1, 0.5, 0.77, 1.0];
    let how = Interpolation::Linear;
    let found = divided!(parts, &on_device, |input| cuda().quantiles(input, &qs, how)).unwrap();
    let medians = divided!(parts, &on_device, |input| cuda().median(input)).unwrap();
    let of_parts = || offsets.windows(2).map(|ends| &x[ends[0]..ends[1]]);
    let expected = of_parts().flat_map(|part| Cpu::new().quantiles(part, &qs, how).unwrap());
    assert!(found.iter().map(Bits::bits).eq(expected.map(|out| out.bits())), "{what}, quantiles");
    let expected = of_parts().map(|part| Cpu::new().median(part).unwrap().bits());
    assert!(medians.iter().map(Bits::bits).eq(expected), "{what}, medians");
}

/// Lengths at which the way of sorting changes, for keys `T`.
fn lens<T>() -> Vec<usize> {
    let (items, tile) = (sort_items(size_of::<T>()), sort_tile(sort_items(size_of::<T>())) as usize);
    let mut lens =
        vec![2 * items, 2 * items + 1, tile / 2, tile / 2 + 1, tile - 1, tile, tile + 1, 3 * tile + 5];
    lens.extend(sizes::up_to::<T>(40).into_iter().filter(|&n| n > 0).map(|n| n as usize));
    lens
}

/// Segments of every kind together, with elements in none: an offset after each.
fn mixed<T>(first: usize) -> Vec<u64> {
    let tile = sort_tile(sort_items(size_of::<T>())) as usize;
    let short = [0, 1, 2, 16, 17, 40, 0, 0, 300, 5, 130, 64];
    let long = [tile / 2, tile / 2 + 1, 1, tile - 1, tile, 3, tile + 1, 0, 3 * tile + 7, 8];
    let mut at = first as u64;
    let ends = short.iter().chain(&long).chain(&short).map(|&len| {
        at += len as u64;
        at
    });
    [first as u64].into_iter().chain(ends.collect::<Vec<_>>()).collect()
}

/// Segments of every kind of keys `T`.
fn every_mix<T: SortKey + AnyBitPattern + Sample>(case: u64) {
    if !takes_case(case) {
        return;
    }
    let offsets = mixed::<T>(3);
    let x = samples::<T>(Special, 71 + case, offsets[offsets.len() - 1] + 5);
    let order = if case.is_multiple_of(2) { Ascending } else { Descending };
    check(&x, &Parts::segments(offsets), 0, order, "mixed segments");
}

#[test]
fn rows_of_every_length() {
    for (case, len) in (0..).zip(lens::<f32>()) {
        if len > 40 || takes_case(case) {
            let count = on_gpu_or_emulated(100_000 / len, 1000 / len).clamp(2, 300) + 1;
            let x = samples::<f32>(Special, 51 + case, (len * count) as u64);
            let order = if case.is_multiple_of(2) { Ascending } else { Descending };
            check(&x, &Parts::Rows([count, len]), len.div_ceil(3), order, &format!("rows of {len}"));
        }
    }
}

#[test]
fn chunks_whose_last_one_is_of_another_kind() {
    let tile = sort_tile(sort_items(2)) as usize;
    for (len, rest) in [(7, 3), (tile, 5), (tile + 3, tile / 2 + 2), (3 * tile, tile), (9 * tile, 0)] {
        let n = if rest > 0 { 2 * len + rest } else { tile + 9 };
        let x: Vec<u16> = (0..n as u64).map(|i| (mix(i) % 1000) as u16).collect();
        check(&x, &Parts::Chunks(len), 3, Descending, &format!("chunks of {len}"));
    }
}

#[test]
fn segments_of_every_mix_and_every_key() {
    every_mix::<f32>(0);
    every_mix::<u8>(1);
    every_mix::<i16>(2);
    every_mix::<u64>(3);
    every_mix::<f16>(4);
    every_mix::<i128>(5);
    every_mix::<f64>(6);
    every_mix::<i32>(7);
    every_mix::<bf16>(8);
    every_mix::<u128>(9);
    every_mix::<i8>(10);
    every_mix::<u16>(11);
}

/// Segments that a lane each sorts, of random lengths up to the longest that there are, and elements in none. Every third key equals
/// another, and some are the greatest, which lanes put behind their keys.
fn of_few_keys<T: SortKey + AnyBitPattern + Sample>(case: u64) {
    if !takes_case(case) {
        return;
    }
    let items = sort_items(size_of::<T>()) as u64;
    for most in [items, 2 * items] {
        let mut offsets = vec![3];
        for i in 0..on_gpu_or_emulated(5000, 70) {
            let len = if i == 40 { most } else { mix(i + case) % (most + 1) };
            offsets.push(offsets[offsets.len() - 1] + len);
        }
        let mut x = samples::<T>(Special, 77 + case, offsets[offsets.len() - 1] + 5);
        (3..x.len()).step_by(3).for_each(|i| x[i] = x[i / 2]);
        let greatest = x.iter().copied().max_by_key(|x| x.rank()).unwrap();
        (5..x.len()).step_by(7).for_each(|i| x[i] = greatest);
        let parts = Parts::segments(offsets);
        for order in [Ascending, Descending] {
            check(&x, &parts, 0, order, &format!("segments of up to {most}"));
        }
    }
}

#[test]
fn segments_of_few_keys_by_lanes() {
    of_few_keys::<f32>(0);
    of_few_keys::<u8>(1);
    of_few_keys::<i64>(2);
    of_few_keys::<u128>(3);
    of_few_keys::<u16>(4);
}

/// Equal keys keep their order, and NaNs come last where they are wanted so.
#[test]
fn equal_keys_and_nans_in_parts() {
    let offsets = mixed::<f32>(0);
    let n = offsets[offsets.len() - 1];
    let equal: Vec<u32> = (0..n).map(|i| (mix(i) % 3) as u32 * 0x7fff_ffff).collect();
    check(&equal, &Parts::segments(offsets.clone()), 1, Ascending, "few values");
    let bits = |i: u64| mix(i) | if i.is_multiple_of(2) { 0x7f80_0000 } else { 0 };
    let x: Vec<f32> = (0..n).map(|i| f32::from_bits(bits(i) as u32)).collect();
    check(NanGreatest::wrap_slice(&x), &Parts::segments(offsets), 0, Descending, "NaN greatest");
    let x = vec![5_u64; 9000];
    check(&x, &Parts::Rows([3, 3000]), 2999, Descending, "equal keys in long rows");
}

/// The first elements of parts of every kind: of those that a block merges, few wanted ones leave ever more threads idle.
#[test]
fn the_first_of_parts() {
    let tile = sort_tile(sort_items(4)) as usize;
    let x = samples::<f32>(Ordinary, 61, 2 * (5 * tile as u64 + 1));
    for k in [1, 50, tile + 1, 5 * tile + 1] {
        check_first(&x, &Parts::Rows([2, 5 * tile + 1]), k, Descending, "long rows");
    }
    for (len, k) in [(300, 17), (tile / 2 + 1, 1), (tile - 1, 16), (tile, 33), (tile, 512), (tile, 513)] {
        check_first(&x[..2 * len], &Parts::Rows([2, len]), k, Ascending, &format!("{k} of rows of {len}"));
    }
    let mut offsets = vec![7];
    for len in [6, 17, 300, tile, 3 * tile + 1, tile / 2 + 1, 5, 2 * tile] {
        offsets.push(offsets[offsets.len() - 1] + len as u64);
    }
    let parts = Parts::segments(offsets);
    for (k, order) in [(5, Descending), (4, Ascending), (6, Ascending)] {
        check_first(&x, &parts, k, order, &format!("{k} of segments"));
    }
}

#[test]
fn quantiles_of_parts_are_those_of_each_alone() {
    let tile = sort_tile(sort_items(4)) as usize;
    check_quantiles(&samples::<f32>(Ordinary, 62, 3003), &Parts::Rows([1001, 3]), "short rows");
    let x = samples::<f32>(Special, 63, 3 * (tile as u64 + 3));
    check_quantiles(&x, &Parts::Rows([3, tile + 3]), "long rows");
    check_quantiles(NanGreatest::wrap_slice(&x), &Parts::Chunks(1000), "chunks with NaN greatest");
    check_quantiles(&samples::<i16>(Special, 64, 500), &Parts::segments(vec![2, 3, 5, 80, 400]), "segments");
    let on_device = cuda().upload(&x).unwrap();
    let offsets = cuda().upload(&[0_u32, 2, 2, 5]).unwrap();
    let refused = cuda().median(segments(&on_device, &offsets));
    assert!(matches!(refused, Err(Error::PartTooShort { part: 1, .. })), "{refused:?}");
    let refused = cuda().quantiles(rows(&on_device, [3, tile + 3]), &[1.5], Interpolation::Linear);
    assert!(matches!(refused, Err(Error::Quantile { .. })), "{refused:?}");
}

/// On a stream, into the caller's memory.
#[test]
fn parts_on_a_stream() {
    let stream = cuda().stream().unwrap();
    let tile = sort_tile(sort_items(4)) as usize;
    for parts in [
        Parts::Rows([100, 17]),
        Parts::Chunks(tile + 1),
        Parts::segments(mixed::<f32>(2)),
        Parts::segments(vec![3]),
    ] {
        let n = match &parts {
            Parts::Rows(_) => 1700,
            Parts::Chunks(_) => 2 * tile + 5,
            Parts::Segments(offsets, _) => offsets[offsets.len() - 1] as usize + 7,
        };
        let x: Vec<u32> = (0..n as u64).map(|i| mix(i / 2) as u32).collect();
        let values: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let (on_device, on_values) = (cuda().upload(&x).unwrap(), cuda().upload(&values).unwrap());
        let (mut sorted, mut keys) = (cuda().values::<u32>(n).unwrap(), cuda().values::<u32>(n).unwrap());
        let (mut moved, mut indices) = (cuda().values::<f64>(n).unwrap(), cuda().values::<u64>(n).unwrap());
        let expected = expected(&x, &parts.offsets(n), Ascending);
        divided!(&parts, &on_device, |input| {
            stream.sort_into(input, &mut sorted, Ascending).unwrap();
            stream.argsort_into(input, &mut indices, Ascending).unwrap();
            stream.sort_pairs_into(input, &on_values, &mut keys, &mut moved, Ascending).unwrap();
        });
        assert_eq!(sorted.to_vec().unwrap(), expected.sorted, "{n}");
        assert_eq!(indices.to_vec().unwrap(), expected.indices, "{n}");
        assert_eq!(keys.to_vec().unwrap(), expected.sorted, "{n}");
        let of = |&place: &usize| values[place];
        assert!(moved.to_vec().unwrap().into_iter().eq(expected.places.iter().map(of)), "{n}");
    }
}

#[test]
fn parts_that_are_wrong_are_refused_and_change_nothing() {
    let (stream, x) = (cuda().stream().unwrap(), cuda().upload(&[3_i32, 1, 2, 9, 4]).unwrap());
    let mut out = cuda().values::<i32>(5).unwrap();
    out.copy_from_slice(&[7; 5]).unwrap();
    for offsets in [&[0_i32, 4, 2][..], &[-1, 3], &[0, 6], &[9]] {
        let offsets = cuda().upload(offsets).unwrap();
        let refused = cuda().sort(segments(&x, &offsets), Ascending).map(drop);
        assert!(matches!(refused, Err(Error::Offset { .. })), "{refused:?}");
        let refused = cuda().top_k(segments(&x, &offsets), 0).map(drop);
        assert!(matches!(refused, Err(Error::Offset { .. })), "{refused:?}");
        let refused = stream.sort_into(segments(&x, &offsets), &mut out, Ascending);
        assert!(matches!(refused, Err(Error::Offset { .. })), "{refused:?}");
    }
    let refused = [
        cuda().sort(rows(&x, [2, 3]), Ascending).map(drop),
        stream.sort_into(rows(&x, [2, 3]), &mut out, Ascending),
        cuda().median(rows(&x, [2, 3])).map(drop),
    ];
    assert!(refused.iter().all(|refused| matches!(refused, Err(Error::Shape { .. }))), "{refused:?}");
    let refused = cuda().argsort(chunks(&x, 0), Ascending).map(drop);
    assert!(matches!(refused, Err(Error::ChunkLength)), "{refused:?}");
    let refused = cuda().top_k(chunks(&x, 2), 2).map(drop);
    assert!(matches!(refused, Err(Error::PartTooShort { part: 2, .. })), "{refused:?}");
    assert_eq!(out.to_vec().unwrap(), [7; 5]);

    let none = x.slice(5..).unwrap();
    assert!(cuda().sort(rows(none, [3, 0]), Ascending).unwrap().is_empty());
    assert!(cuda().sort(rows(none, [0, 3]), Ascending).unwrap().is_empty());
    assert_eq!(cuda().top_k(rows(none, [0, 3]), 2).unwrap().0.to_vec().unwrap(), []);
    let refused = cuda().top_k(rows(none, [3, 0]), 1).map(drop);
    assert!(matches!(refused, Err(Error::PartTooShort { part: 0, .. })), "{refused:?}");
    let at = cuda().top_k(rows(&x, [1, 5]), 1).unwrap();
    let at = At { index: at.1.to_vec().unwrap()[0], value: at.0.to_vec().unwrap()[0] };
    assert_eq!(at, At { index: 3, value: 9 });
}

/// Every kernel that sorts parts, by key size: see `sanitize_reduce`.
#[test]
fn sanitize_parts() {
    let offsets = mixed::<u64>(1);
    let n = offsets[offsets.len() - 1] + 2;
    check(&samples::<u64>(Special, 66, n), &Parts::segments(offsets), 0, Ascending, "mixed segments");
    check(&samples::<i8>(Special, 67, 3001), &Parts::Chunks(100), 1, Descending, "short chunks");
    check(&samples::<u128>(Special, 68, 4000), &Parts::Rows([2, 2000]), 3, Descending, "long rows");
}
