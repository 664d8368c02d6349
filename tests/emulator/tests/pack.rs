//! The kernel that packs strided views, under the emulator: elements of any number of bytes are where the obvious loop puts
//! them, by the largest words that fit, and memory is accessed in whole sectors.
#![allow(missing_docs)]

use bytemuck::Pod;
use cuda_std::emulator::{Counts, Launch, Order};
use cuda_std::memory::{Pointer, Readable, Writable};
use gpu_kernels::arguments::Pack;
use gpu_kernels::ladder::host::sectors::InSectors;
use gpu_kernels::pack::boxes::{BOX_THREADS, Boxes};
use gpu_kernels::pack::packing::Packing;
use gpu_kernels::word::entry::{move_1, move_2, move_4, move_8, move_16};
use test_kernels::mix;
use warpfold::View;

const ORDERS: [Order; 4] = [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)];

/// The elements of a view, one index at a time.
fn loops<T: Copy>(view: &View<&[T]>) -> Vec<T> {
    let mut index = vec![0; view.dimensions()];
    let mut all = Vec::new();
    for _ in 0..view.len() {
        all.push(*view.get(&index).unwrap());
        for (place, &length) in index.iter_mut().zip(view.shape()).rev() {
            *place += 1;
            if *place < length {
                break;
            }
            *place = 0;
        }
    }
    all
}

/// The packed elements of a view, the packing, and the counts of the launch.
fn packed<T: Pod>(view: &View<&[T]>, order: Order) -> (Vec<T>, Packing, Counts) {
    let mut out = InSectors::filled(view.len(), T::zeroed());
    bytemuck::cast_slice_mut::<T, u8>(out.as_mut_slice()).fill(0xa5);
    let written = out.as_mut_slice();
    let first = view.slice()[view.offset()..].as_ptr().cast::<u8>();
    let to = Writable::from(&mut *written).cast::<u8>();
    let axes = view.shape().iter().copied().zip(view.strides().iter().copied());
    let packing = Packing::new(axes, size_of::<T>(), (first.addr() | to.addr()) as u64).unwrap();
    let input = first.wrapping_sub(packing.before as usize * packing.word_bytes).cast_mut();
    // SAFETY: it is an address in the view, and the packing chose words to which it is aligned.
    let input = unsafe { Readable::<u8>::new(input) };
    let (len, boxes): (u64, Boxes) = (packing.span, packing.boxes);
    assert_eq!(packing.words as usize * packing.word_bytes, size_of_val(written));
    let counts = Launch::new(boxes.count.min(5), BOX_THREADS as u32)
        .order(order)
        .register(view.slice())
        .register(&raw const *written)
        .run(|| {
            // SAFETY: both live as long as the launch and have the lengths of the packing; both addresses are
            // aligned for words of its size.
            unsafe {
                match packing.word_bytes {
                    1 => move_1::pack(Pack { input, len, out: to, boxes }),
                    2 => move_2::pack(Pack { input: input.cast(), len, out: to.cast(), boxes }),
                    4 => move_4::pack(Pack { input: input.cast(), len, out: to.cast(), boxes }),
                    8 => move_8::pack(Pack { input: input.cast(), len, out: to.cast(), boxes }),
                    _ => move_16::pack(Pack { input: input.cast(), len, out: to.cast(), boxes }),
                }
            }
        })
        .unwrap_or_else(|misuse| panic!("{view:?}: {misuse}"));
    (out.as_slice().to_vec(), packing, counts)
}

fn check<T: Pod>(view: &View<&[T]>, order: Order) -> (Packing, Counts) {
    let (found, packing, counts) = packed(view, order);
    let expected = loops(view);
    let mut both = found.iter().zip(&expected);
    let wrong = both.position(|(found, expected)| bytemuck::bytes_of(found) != bytemuck::bytes_of(expected));
    assert_eq!(wrong, None, "{view:?}, {packing:?}");
    (packing, counts)
}

/// Values of any bits.
fn values<T: Pod>(len: usize) -> InSectors<T> {
    let mut all = InSectors::filled(len, T::zeroed());
    for (i, byte) in bytemuck::cast_slice_mut::<T, u8>(all.as_mut_slice()).iter_mut().enumerate() {
        *byte = mix(i as u64) as u8;
    }
    all
}

/// Every order of these axes.
fn permutations(axes: &[usize]) -> Vec<Vec<usize>> {
    if axes.is_empty() {
        return vec![vec![]];
    }
    let first = |&axis: &usize| {
        let others: Vec<usize> = axes.iter().copied().filter(|&other| other != axis).collect();
        permutations(&others).into_iter().map(move |rest| [&[axis], &rest[..]].concat())
    };
    axes.iter().flat_map(first).collect()
}

fn every_order<T: Pod + Send + Sync>(shapes: &[[usize; 4]]) {
    for shape in shapes {
        let x = values::<T>(shape.iter().product());
        let view = View::new(x.as_slice(), shape).unwrap();
        for (i, axes) in permutations(&[0, 1, 2, 3]).into_iter().enumerate() {
            check(&view.permuted(&axes).unwrap(), ORDERS[i % 4]);
        }
    }
}

/// Elements of other sizes are moved as several words, and several elements along a dense axis as one word.
#[test]
fn elements_are_moved_by_words() {
    every_order::<[u8; 3]>(&[[2, 9, 3, 11]]);
    every_order::<[u16; 3]>(&[[2, 9, 3, 11]]);
    every_order::<[u32; 3]>(&[[2, 9, 3, 11]]);
    every_order::<[u64; 5]>(&[[2, 9, 3, 5]]);
    let bytes = values::<u8>(4096);
    let view = |shape: &[usize], strides: &[isize]| {
        let view = View::strided(bytes.as_slice(), 64, shape, strides).unwrap();
        check(&view, Order::InOrder).0.word_bytes
    };
    assert_eq!(view(&[3, 5, 32], &[64, 128, 1]), 16);
    assert_eq!(view(&[3, 5, 24], &[64, 128, 1]), 8);
    assert_eq!(view(&[3, 5, 24], &[64, 132, 1]), 4);
    assert_eq!(view(&[3, 5, 24], &[66, 128, 1]), 2);
    assert_eq!(view(&[3, 5, 24], &[64, 128, 2]), 1);
    let odd = View::strided(bytes.as_slice(), 1, &[3, 16], &[32, 1]).unwrap();
    assert_eq!(check(&odd, Order::InOrder).0.word_bytes, 1);
}

/// What lies in order in the result, whatever the strides, is moved without shared memory.
#[test]
fn straight_boxes_need_no_barrier() {
    let x = values::<f32>(8000);
    for len in [1023, 1024, 1025, 4096, 4099] {
        let view = View::strided(x.as_slice(), 5000, &[len], &[-1]).unwrap();
        let (packing, counts) = check(&view, Order::InOrder);
        assert_eq!((packing.boxes.is_straight, counts.barriers), (1, 0));
    }
    let eight = [-900, 7, 50, -1, 0, 300, 11, 2000];
    let wide = values::<[u32; 3]>(9_000);
    let view = View::strided(wide.as_slice(), 2_000, &[2, 3, 2, 3, 2, 3, 2, 3], &eight);
    check(&view.unwrap(), Order::Shuffled(1));
}

/// A transposition reads and writes whole sectors, without bank conflicts.
#[test]
fn both_sides_are_coalesced() {
    let x = values::<f32>(128 * 192);
    let view = View::new(x.as_slice(), &[128, 192]).unwrap();
    let (packing, counts) = check(&view.transposed(), Order::InOrder);
    assert_eq!((packing.word_bytes, packing.boxes.words, packing.boxes.is_straight), (4, 1024, 0));
    let (words, warps) = (128 * 192, 128 * 192 / 32);
    assert_eq!(counts.global_requests, 2 * warps);
    assert_eq!((counts.global_sectors, counts.wasted_bytes()), (2 * words * 4 / 32, 0));
    assert_eq!((counts.shared_requests, counts.bank_replays), (2 * warps, 0));
    assert_eq!(counts.barriers, 2 * u64::from(packing.boxes.count));

    // Pixels of three colours to three pictures: a box contains all colours.
    let view = View::new(&x.as_slice()[..64 * 128 * 3], &[64 * 128, 3]).unwrap();
    let (packing, counts) = check(&view.transposed(), Order::InOrder);
    assert_eq!(packing.boxes.is_straight, 0);
    let least = 2 * 64 * 128 * 3 * 4 / 32;
    assert!(counts.global_sectors * 4 < least * 5, "{} of {least}", counts.global_sectors);
    assert!(counts.bank_replays * 8 < counts.shared_requests, "{counts:?}");

    // Data that is dense on both sides is moved in large words, in order.
    let view = View::new(x.as_slice(), &[32, 12, 64]).unwrap();
    let (packing, counts) = check(&view.permuted(&[1, 0, 2]).unwrap(), Order::InOrder);
    assert_eq!((packing.word_bytes, packing.boxes.is_straight, counts.shared_requests), (16, 1, 0));
    assert_eq!((counts.global_requests, counts.wasted_bytes()), (2 * warps / 4, 0));
}

#[test]
fn what_no_launch_is_for() {
    let packing = |axes: &[(usize, isize)], bytes| Packing::new(axes.iter().copied(), bytes, 0);
    assert_eq!(packing(&[(3, 1), (0, 3)], 4), None);
    assert_eq!(packing(&[(3, 1); 10], 4), None);
    assert_eq!(packing(&[(usize::MAX, 1), (3, 0)], 4), None);
    // Distant neighbours are in separate boxes, so that a thread needs only 32 bits for offsets within one.
    let far = packing(&[(1 << 10, 1), (1 << 10, 1 << 30)], 4).unwrap();
    assert_eq!((far.boxes.count, far.boxes.words, far.span), (1 << 15, 32, 1023 + (1023 << 30) + 1));
    let scalar = packing(&[], 4).unwrap();
    assert_eq!((scalar.words, scalar.span, scalar.boxes.count, scalar.boxes.words), (1, 1, 1, 1));
}
