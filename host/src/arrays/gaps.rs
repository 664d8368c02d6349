//! Where elements of an array are missing, for calls in which a position matters.

use gpu_kernels::Element;

use super::Elements;
use super::presence::Presence;
use crate::error::Error;
use crate::memory::with_room;

/// The gaps that missing elements leave in an array. Positions in the array count them; the elements of the array's slice
/// are counted without.
pub(crate) struct Gaps<'a> {
    presence: &'a Presence,
    /// The number of present elements before each word of bits, and of all.
    before: Vec<usize>,
}

impl<'a> Gaps<'a> {
    fn new(presence: &'a Presence) -> Result<Self, Error> {
        let mut before = with_room(presence.words().len() + 1)?;
        let mut count = 0;
        before.push(0);
        for word in presence.words() {
            count += word.count_ones() as usize;
            before.push(count);
        }
        Ok(Self { presence, before })
    }

    /// Returns the number of elements of the array, including missing ones.
    pub(crate) fn len(&self) -> usize {
        self.presence.len() as usize
    }

    /// Returns the number of present elements.
    pub(crate) fn present(&self) -> usize {
        self.before.last().copied().unwrap_or(0)
    }

    /// Returns whether the element at a position is present.
    #[inline]
    pub(crate) fn has(&self, position: usize) -> bool {
        self.presence.words().get(position / 64).is_some_and(|word| word >> (position % 64) & 1 != 0)
    }

    /// Returns the number of present elements before a position, which is at most the array's length.
    #[inline]
    pub(crate) fn before(&self, position: usize) -> usize {
        let (word, bits) = (position / 64, position % 64);
        let rest = self.presence.words().get(word).map_or(0, |word| word & ((1 << bits) - 1));
        self.before[word] + rest.count_ones() as usize
    }

    /// Returns the position of present element number `nth`. There are more than `nth` of them.
    pub(crate) fn position(&self, nth: usize) -> usize {
        let word = self.before.partition_point(|&before| before <= nth) - 1;
        let rest = (self.before[word]..nth).fold(self.presence.words()[word], |rest, _| rest & (rest - 1));
        64 * word + rest.trailing_zeros() as usize
    }

    /// Returns the positions of the present elements, in order.
    pub(crate) fn positions(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|&position| self.has(position))
    }
}

impl<T: Element> Elements<'_, T> {
    /// Returns the gaps, or `None` if no element is missing: then positions are indices of the slice.
    pub(crate) fn gaps(&self) -> Result<Option<Gaps<'_>>, Error> {
        let presence = self.presence.as_deref().filter(|_| self.missing() > 0);
        presence.map(Gaps::new).transpose()
    }

    /// Returns all elements of an array.
    ///
    /// # Errors
    /// [`Error::Missing`] with `why` if some are missing.
    pub(crate) fn whole(&self, why: &'static str) -> Result<&[T], Error> {
        match self.presence.as_deref().filter(|_| self.missing() > 0) {
            None => Ok(&self.values),
            Some(presence) => {
                Err(Error::Missing { missing: self.missing(), first: presence.first_missing(), why })
            }
        }
    }

    /// Returns the offsets of segments.
    ///
    /// # Errors
    /// [`Error::Missing`] if one is missing.
    pub(crate) fn as_offsets(&self) -> Result<&[T], Error> {
        self.whole("each offset of segments is needed: pass offsets without nulls")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_a_loop() {
        for len in [1, 63, 64, 65, 130, 1000] {
            for step in [1, 2, 3, 64, 70] {
                let x: Vec<Option<usize>> = (0..len).map(|i| (i % step == step / 2).then_some(i)).collect();
                let elements: Elements<'_, usize> = x.iter().copied().collect();
                let Some(gaps) = elements.gaps().unwrap() else {
                    assert_eq!(elements.len(), len);
                    continue;
                };
                assert_eq!((gaps.len(), gaps.present()), (len, elements.len()));
                assert!(gaps.positions().eq(elements.iter().copied()));
                for (nth, &position) in elements.iter().enumerate() {
                    assert_eq!((gaps.position(nth), gaps.before(position)), (position, nth));
                }
                for position in 0..=len {
                    let before = x[..position].iter().flatten().count();
                    assert_eq!(gaps.before(position), before);
                    assert_eq!(
                        elements.position_from(position as u64, 0),
                        elements.get(before).map(|&at| at as u64)
                    );
                }
            }
        }
    }

    #[test]
    fn the_first_missing_element_is_named() {
        for at in [0, 1, 63, 64, 100] {
            let x: Elements<'_, u8> = (0..200).map(|i| (i != at && i != 150).then_some(1)).collect();
            let error = x.whole("why").unwrap_err();
            assert!(
                matches!(error, Error::Missing { missing: 2, first, why: "why" } if first == at),
                "{error:?}"
            );
        }
        assert_eq!(Elements::<u8>::from(vec![1, 2]).whole("why").unwrap(), [1, 2]);
    }
}
