//! A hash of a text, combined from the hashes of its parts.

use crate::op::Op;

/// The polynomial hash of bytes; there is no NaN among them. 0 for empty input.
///
/// Byte `x_i` of n contributes `(x_i + 1) BASE^(n - 1 - i)`, added up in 64 bits, which wrap (Karp and Rabin, *Efficient
/// randomized pattern-matching algorithms*, 1987). The hash depends on the place of every byte. Hashes of parts are combined,
/// each carried with `BASE^length`. Equal texts have equal hashes, but whoever can choose texts can make different ones
/// collide.
///
/// ```
/// use gpu_kernels::{Op, PolynomialHash, reference};
///
/// let plain = |text: &[u8]| {
///     let next = |hash: u64, &x| hash.wrapping_mul(PolynomialHash::BASE).wrapping_add(u64::from(x) + 1);
///     text.iter().fold(0, next)
/// };
/// let text = b"the quick brown fox jumps over the lazy dog".repeat(1000);
/// assert_eq!(reference::reduce::<u8, PolynomialHash>(&text), plain(&text));
/// let (head, tail) = text.split_at(12_345);
/// let parts = [head, tail].map(|part| reference::fold(PolynomialHash, part));
/// assert_eq!(PolynomialHash::combine(parts[0], parts[1])[0], plain(&text));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PolynomialHash;

impl PolynomialHash {
    /// The factor between neighbouring places: a prime below 2^32, so that a product with it costs less.
    pub const BASE: u64 = 0x9e37_79b1;
}

impl Op<u8> for PolynomialHash {
    /// The hash, and `BASE` to the power of the number of bytes.
    type Acc = [u64; 2];
    type Out = u64;
    const IDENTITY: [u64; 2] = [0, 1];
    const ASSOCIATIVE: bool = true;
    const NEEDS_INDEX: bool = false;
    #[inline]
    fn lift(self, x: u8, _index: u64) -> [u64; 2] {
        [u64::from(x) + 1, Self::BASE]
    }
    #[inline]
    fn combine(left: [u64; 2], right: [u64; 2]) -> [u64; 2] {
        [left[0].wrapping_mul(right[1]).wrapping_add(right[0]), left[1].wrapping_mul(right[1])]
    }
    #[inline]
    fn finish([hash, _]: [u64; 2], _len: u64) -> u64 {
        hash
    }
}
