//! Loads at any place: the right elements for every alignment of the slice, and no byte beyond it.
#![cfg(feature = "emulator")]
#![expect(clippy::expect_used, reason = "a test may")]

use core::fmt::Debug;
use core::num::NonZeroU8;

use bytemuck::NoUninit;
use cuda_std::emulator::{Launch, Misuse};
use cuda_std::global::{GlobalSlice, VECTOR_BYTES};

/// Bytes aligned to 16.
#[repr(C, align(16))]
struct Aligned<T>([T; ELEMENTS]);

/// Elements for the slices: two vectors, and one for the first offset, for any type.
const ELEMENTS: usize = 3 * VECTOR_BYTES + 3;

/// Has a thread call `load` at every place of every slice of up to two vectors and some elements, and compares
/// the result with single reads; missing elements are equal to the last one.
fn check<T, const N: usize>(load: impl Fn(GlobalSlice<T>, u64) -> [T; N])
where
    T: NoUninit + From<u8> + PartialEq + Debug,
{
    // All are different.
    let data = Aligned::<T>(core::array::from_fn(|i| T::from(i as u8 + 1)));
    let in_vector = VECTOR_BYTES / size_of::<T>();
    for start in 0..in_vector {
        for len in 1..=2 * in_vector + 3 {
            let elements = &data.0[start..start + len];
            let launch = Launch::new(1, 1).register(elements);
            let outcome = launch.run(|| {
                // SAFETY: they live until the launch has ended, and nobody writes them.
                let slice = unsafe { GlobalSlice::new(elements.as_ptr(), len as u64) };
                let behind = (0..N as u64 + 3).map(|back| u64::MAX - back);
                for first in (0..(len + N + 1) as u64).chain(behind) {
                    let at = |i: usize| usize::try_from(first).unwrap_or(usize::MAX).saturating_add(i);
                    let expected: [T; N] = core::array::from_fn(|i| elements[at(i).min(len - 1)]);
                    assert_eq!(load(slice, first), expected, "{len} elements from {start} on, at {first}");
                }
            });
            outcome.expect("within the slice");
        }
    }
}

fn check_neighbours<T: NoUninit + From<u8> + PartialEq + Debug, const N: usize>() {
    check::<T, N>(|slice, first| {
        let neighbours = slice.neighbours::<N>();
        neighbours.settle(neighbours.read(first), first)
    });
}

fn check_straddled<T: NoUninit + From<u8> + PartialEq + Debug, const V: usize>() {
    check::<T, V>(|slice, first| {
        let vectors = slice.straddled_vectors::<V>().expect("16 bytes of small elements");
        vectors.join(vectors.read(first), first).elements()
    });
}

#[test]
fn neighbours_are_the_elements_from_any_place_on() {
    check_neighbours::<u8, 1>();
    check_neighbours::<u8, 16>();
    check_neighbours::<u16, 8>();
    check_neighbours::<f32, 3>();
    check_neighbours::<f32, 4>();
    check_neighbours::<u64, 2>();
    check_neighbours::<u128, 1>();
}

#[test]
fn straddled_vectors_are_the_elements_from_any_place_on() {
    check_straddled::<u8, 16>();
    check_straddled::<u16, 8>();
}

/// Elements that are loaded before they are known to be needed must be in the slice: `check` registers no other
/// memory.
#[test]
fn neighbours_that_are_all_there_lie_together() {
    let data: [u32; 9] = core::array::from_fn(|i| i as u32);
    let outcome = Launch::new(1, 1).register(&data[..]).run(|| {
        // SAFETY: they live until the launch has ended, and nobody writes them.
        let slice = unsafe { GlobalSlice::new(data.as_ptr(), 9) };
        for first in 0..12 {
            let at = first.min(5) as u32;
            assert_eq!(slice.neighbours::<4>().read(first), [at, at + 1, at + 2, at + 3]);
        }
    });
    outcome.expect("within the slice");
}

#[test]
fn vectors_are_straddled_by_16_bytes_of_small_elements_only() {
    let data = [0u64; 8];
    let start = data.as_ptr();
    // SAFETY: each has at most as many bytes as the array.
    unsafe {
        assert!(GlobalSlice::<u8>::new(start.cast(), 64).straddled_vectors::<16>().is_some());
        assert!(GlobalSlice::<u16>::new(start.cast(), 32).straddled_vectors::<8>().is_some());
        assert!(GlobalSlice::<u8>::new(start.cast(), 64).straddled_vectors::<8>().is_none());
        assert!(GlobalSlice::<u16>::new(start.cast(), 32).straddled_vectors::<4>().is_none());
        assert!(GlobalSlice::<u32>::new(start.cast(), 16).straddled_vectors::<4>().is_none());
        assert!(GlobalSlice::<u64>::new(start, 8).straddled_vectors::<2>().is_none());
    }
}

/// Elements that may not be 0: no vector of a slice shorter than one is made up.
#[test]
fn a_slice_without_a_whole_vector_has_no_vectors_to_read() {
    let data = Aligned([NonZeroU8::MAX; ELEMENTS]);
    for (start, len) in [(0, 1), (0, 15), (1, 15), (3, 28), (15, 16)] {
        let elements = &data.0[start..start + len];
        let outcome = Launch::new(1, 1).register(elements).run(|| {
            // SAFETY: they live until the launch has ended, and nobody writes them.
            let slice = unsafe { GlobalSlice::new(elements.as_ptr(), len as u64) };
            let vectors = slice.straddled_vectors::<16>().expect("16 bytes of small elements");
            assert!(vectors.read(0).is_none(), "{len} from {start} on");
            assert_eq!(vectors.join(None, 0).elements(), [NonZeroU8::MAX; 16]);
        });
        outcome.expect("within the slice");
    }
    // What another slice has is elements too.
    let outcome = Launch::new(1, 1).run(|| {
        // SAFETY: as above.
        let [short, long] = [3, ELEMENTS].map(|len| unsafe { GlobalSlice::new(data.0.as_ptr(), len as u64) });
        let [short, long] =
            [short, long].map(|slice| slice.straddled_vectors::<16>().expect("16 bytes of small elements"));
        for first in 0..20 {
            assert_eq!(long.join(short.read(first), first).elements(), [NonZeroU8::MAX; 16]);
            assert_eq!(short.join(long.read(first), first).elements(), [NonZeroU8::MAX; 16]);
        }
    });
    outcome.expect("within the slices");
}

#[test]
fn of_a_slice_of_no_elements_nothing_is_loaded() {
    let refused = |load: &dyn Fn(GlobalSlice<u16>)| {
        let none: [u16; 0] = [];
        let outcome = Launch::new(1, 1).register(&none[..]).run(|| {
            // SAFETY: empty, at an aligned address.
            load(unsafe { GlobalSlice::new(none.as_ptr(), 0) });
        });
        assert!(matches!(outcome, Err(Misuse::OutOfBounds { .. })), "{outcome:?}");
    };
    refused(&|slice| {
        let _ = slice.neighbours::<3>().read(0);
    });
    refused(&|slice| {
        let vectors = slice.straddled_vectors::<8>().expect("16 bytes of small elements");
        let _ = vectors.join(vectors.read(0), 0);
    });
}

/// Every shape within a slice of 20 elements, and those that reach just beyond it, which are refused.
#[test]
fn elements_that_are_spread_are_all_there_or_none_is_loaded() {
    let data: [u16; 20] = core::array::from_fn(|i| i as u16 + 1);
    for (step, last, rows) in (0..8).flat_map(|step| (0..21).map(move |last| (step, last, step * 2 % 7))) {
        for first in [0, 1, 5, 19, 20, u64::MAX] {
            let outcome = Launch::new(1, 1).register(&data[..]).run(|| {
                // SAFETY: they live until the launch has ended, and nobody writes them.
                let spread = unsafe { GlobalSlice::new(data.as_ptr(), 20) }.spread::<3>(step, last);
                let found = spread.read_column::<2>(first, rows);
                let at =
                    |row: u64, i: usize| data[(first + row * rows + (step * i as u64).min(last)) as usize];
                let expected: [[u16; 3]; 2] =
                    core::array::from_fn(|row| core::array::from_fn(|i| at(row as u64, i)));
                assert_eq!(found, expected);
                assert_eq!(spread.read(first), expected[0]);
            });
            let is_there = first < 20 && first + rows + last < 20;
            match outcome {
                Ok(_) if is_there => {}
                Err(Misuse::OutOfBounds { .. }) if !is_there => {}
                other => panic!("{step}, {last}, {rows} from {first}: {other:?}"),
            }
        }
    }
}
