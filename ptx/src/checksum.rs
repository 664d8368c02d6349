//! Checksums, which the compiler can compute too.

/// Returns the FNV-1a hash (Fowler, Noll and Vo) with 8 bytes per step, because byte by byte would take longer than
/// decoding. Each step is one to one, so a change of one word always changes the hash.
#[must_use]
pub fn checksum(text: &str) -> u64 {
    of(text.as_bytes())
}

/// Returns the [`checksum`] of bytes.
pub(crate) const fn of(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let (mut hash, mut at) = (0xcbf2_9ce4_8422_2325, 0);
    while at < words.len() {
        hash = step(hash, u64::from_le_bytes(words[at]));
        at += 1;
    }
    let (mut last, mut left) = (0, rest.len());
    while left > 0 {
        left -= 1;
        last = last << 8 | rest[left] as u64;
    }
    step(hash, last)
}

/// Returns the hash of what has the hash `hash`, and of a word.
pub(crate) const fn step(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x100_0000_01b3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Manifests and tuning tables have these.
    #[test]
    fn checksums_stay_as_they_are() {
        for (text, expected) in [
            ("", 0xaf63_bd4c_8601_b7df),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("12345678", 0xa6cd_a2d6_7708_7834),
            ("123456789", 0xa6cd_6bd6_7708_1abf),
        ] {
            assert_eq!(checksum(text), expected, "{text}");
        }
    }
}
