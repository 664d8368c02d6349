//! Elements of an iterator in blocks.

use gpu_kernels::Element;

/// Calls `with` for all elements, in blocks: a word of bits and a check of room for each block, not for each element. If an element cannot
/// be had, because the iterator panics, its whole block is left out. It is about as fast as a loop that pushes to a `Vec`
/// (docs/tuning/cpu.md).
pub(super) fn in_blocks<T: Element, E>(
    elements: impl IntoIterator<Item = Option<T>>,
    mut with: impl FnMut(&[Option<T>]) -> Result<(), E>,
) -> Result<(), E> {
    // Large elements, which would fill the stack, are copied one by one.
    const SMALL: usize = 64;
    if const { size_of::<T>() <= SMALL } {
        let mut block = [None; 64];
        fill(elements, &mut block, &mut with)
    } else {
        fill(elements, &mut [None], &mut with)
    }
}

/// Calls `with` for each block of elements, copied to `block`.
#[inline]
fn fill<T: Element, E>(
    elements: impl IntoIterator<Item = Option<T>>,
    block: &mut [Option<T>],
    with: &mut impl FnMut(&[Option<T>]) -> Result<(), E>,
) -> Result<(), E> {
    let mut elements = elements.into_iter();
    loop {
        let mut len = 0;
        for (place, element) in block.iter_mut().zip(&mut elements) {
            *place = element;
            len += 1;
        }
        if len > 0 {
            with(&block[..len])?;
        }
        if len < block.len() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use crate::arrays::Elements;

    /// Elements, some of them missing: none, all, every other, runs.
    fn patterns(len: u64) -> Vec<Vec<Option<u64>>> {
        let there: [fn(u64) -> bool; 6] =
            [|_| true, |_| false, |i| i % 2 == 0, |i| i % 100 < 63, |i| i < 64, |i| i >= 64];
        there.iter().map(|there| (0..len).map(|i| there(i).then_some(i * 3)).collect()).collect()
    }

    /// Compares with the obvious loop.
    fn agrees(elements: &Elements<'_, u64>, plain: &[Option<u64>]) {
        let there = (0..).zip(plain).filter_map(|(at, element)| Some((at, (*element)?)));
        let (places, values): (Vec<u64>, Vec<u64>) = there.unzip();
        assert_eq!(elements[..], values);
        assert_eq!(elements.array_len(), plain.len() as u64);
        let found: Vec<u64> = (0..).map_while(|index| elements.position(index)).collect();
        assert_eq!(found, places);
    }

    #[test]
    fn elements_are_those_of_a_loop() {
        for len in [0, 1, 2, 63, 64, 65, 127, 128, 129, 1000] {
            for more in [0, 1, 64, 70] {
                for (first, second) in patterns(len).iter().zip(patterns(more).iter().rev()) {
                    let plain = [first.as_slice(), second].concat();
                    let mut elements: Elements<'_, u64> = first.iter().copied().collect();
                    elements.extend(second.iter().copied());
                    agrees(&elements, &plain);
                    let mut elements = Elements::default();
                    assert_eq!(elements.try_extend(plain.iter().copied()), Ok(()));
                    agrees(&elements, &plain);
                }
            }
        }
    }

    #[test]
    fn large_elements_are_too() {
        let plain: Vec<_> = (0..100_u8).map(|i| (i % 3 > 0).then_some([i; 1 << 15])).collect();
        let elements: Elements<'_, [u8; 1 << 15]> = plain.iter().copied().collect();
        assert!(elements.iter().eq(plain.iter().flatten()) && elements.missing() == 34);
    }

    #[test]
    fn after_a_panic_of_the_iterator_the_array_is_whole() {
        for after in [0, 1, 64, 100, 200] {
            let plain: Vec<_> = (0..300).map(|i| (i % 3 > 0).then_some(i)).collect();
            let mut elements = Elements::default();
            let broken = plain.iter().enumerate().map(|(at, element)| {
                assert_ne!(at, after);
                *element
            });
            assert!(catch_unwind(AssertUnwindSafe(|| elements.extend(broken))).is_err());
            agrees(&elements, &plain[..after / 64 * 64]);
        }
    }
}
