//! Pairs of two arrays with missing elements.

use std::borrow::Cow;

use gpu_kernels::Element;

use super::Elements;
use super::presence::Presence;
use crate::error::Error;
use crate::memory::with_room;

/// Returns two arrays without the elements that have no partner. The partner is the element at the same
/// position of the other array.
///
/// # Errors
/// [`Error::Lengths`] if the arrays have different lengths.
#[inline(always)]
pub(crate) fn both<'x, 'y, X: Element, Y: Element>(
    x: Elements<'x, X>,
    y: Elements<'y, Y>,
) -> Result<(Elements<'x, X>, Elements<'y, Y>), Error> {
    let (left, right) = (x.array_len(), y.array_len());
    if left != right {
        return Err(Error::Lengths { left, right });
    }
    if x.presence.is_none() && y.presence.is_none() {
        return Ok((x, y));
    }
    partners(x, y)
}

/// Does [`both`] for arrays of one length. At least one of them has missing elements.
#[cold]
#[inline(never)]
fn partners<'x, 'y, X: Element, Y: Element>(
    x: Elements<'x, X>,
    y: Elements<'y, Y>,
) -> Result<(Elements<'x, X>, Elements<'y, Y>), Error> {
    let both = match (x.presence.as_deref(), y.presence.as_deref()) {
        (None, None) => return Ok((x, y)),
        (Some(presence), None) | (None, Some(presence)) => presence.copied()?,
        (Some(left), Some(right)) => left.and(right)?,
    };
    Ok((x.only(&both)?, y.only(&both)?))
}

impl<T: Element> Elements<'_, T> {
    /// Returns the array without the elements that are missing in `kept`, which is clear wherever this array's presence is.
    fn only(self, kept: &Presence) -> Result<Self, Error> {
        let count = kept.before(kept.len()) as usize;
        let presence = Some(Cow::Owned(kept.copied()?));
        if count == self.values.len() {
            return Ok(Self { presence, ..self });
        }
        let mut values = with_room(count)?;
        let (mut own, mut at) = (self.presence.iter().flat_map(|presence| presence.words()), 0);
        for &keep in kept.words() {
            let mut left = own.next().copied().unwrap_or(u64::MAX);
            while left != 0 {
                let bit = left & left.wrapping_neg();
                values.extend(self.values.get(at).filter(|_| keep & bit != 0));
                at += 1;
                left ^= bit;
            }
        }
        Ok(Self { values: Cow::Owned(values), presence })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::AsElements;

    fn of(x: &[Option<u32>]) -> Elements<'static, u32> {
        x.iter().copied().collect()
    }

    #[test]
    fn partners_stay_and_keep_their_positions() {
        let scattered = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
        for len in [0, 1, 63, 64, 65, 500] {
            for [left, right] in [[0, 0], [0, 3], [3, 0], [3, 5], [16, 1]] {
                let x: Vec<_> = (0..len).map(|i| (scattered(i) >= left).then_some(i as u32)).collect();
                let y: Vec<_> = (0..len).map(|i| (scattered(i + 9) >= right).then_some(i as u32)).collect();
                let kept: Vec<u32> = x.iter().zip(&y).filter_map(|(x, y)| x.and(*y)).collect();
                let (x, y) = both(of(&x), of(&y)).unwrap();
                assert_eq!((&x[..], &y[..]), (&kept[..], &kept[..]));
                assert_eq!((x.array_len(), y.array_len()), (len, len));
                for array in [&x, &y] {
                    let positions = (0..).map_while(|index| array.position(index));
                    assert!(positions.eq(kept.iter().map(|&at| at.into())));
                }
            }
        }
    }

    #[test]
    fn whole_arrays_are_not_copied() {
        let (x, y) = ([1, 2, 3], [4, 5, 6]);
        let (x, y) = both(x.elements(), y.elements()).unwrap();
        assert!(x.is_borrowed() && y.is_borrowed());
        assert!(matches!(both(x, [1].elements()), Err(Error::Lengths { left: 3, right: 1 })));
    }
}
