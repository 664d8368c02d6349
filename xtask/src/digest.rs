//! Hashes as hexadecimal digits.

use sha2::{Digest as _, Sha256};

/// Digits of a short hash, which only distinguishes texts.
const DIGITS: usize = 16;

/// One hash in this many is in the sample of a turn.
const SAMPLE: u64 = 16;

/// Returns the SHA-256 of a text.
pub(crate) fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the first digits of the SHA-256.
pub(crate) fn short(text: &str) -> String {
    sha256(text).chars().take(DIGITS).collect()
}

/// Returns the hash of a module: of the stored text and of the text for newer generations.
pub(crate) fn of_module(kept: &str, newer: Option<&str>) -> String {
    short(&[kept, newer.unwrap_or_default()].join("\0"))
}

/// Returns a pseudo-random number that depends on a hash and on `turn`, which may be any text.
pub(crate) fn draw(hash: &str, turn: &str) -> u64 {
    u64::from_str_radix(&short(&[turn, hash].join("\0")), 16).unwrap_or_default()
}

/// Returns whether a hash is in the sample of `turn`. Over many turns, each hash is in one of 16.
pub(crate) fn has_turn(hash: &str, turn: &str) -> bool {
    draw(hash, turn).is_multiple_of(SAMPLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_text_changes_the_hash() {
        assert_eq!(of_module("a", Some("b")), of_module("a", Some("b")));
        for other in [of_module("a", None), of_module("b", Some("b")), of_module("a", Some("c"))] {
            assert_ne!(other, of_module("a", Some("b")));
        }
        assert_eq!(of_module("a", None).len(), DIGITS);
    }

    #[test]
    fn one_in_16_has_its_turn_and_every_one_in_time() {
        let hashes: Vec<String> = (0..1600).map(|i| short(&i.to_string())).collect();
        let turns = |turn: &str| hashes.iter().filter(|hash| has_turn(hash, turn)).count();
        assert!((60..=140).contains(&turns("a")), "{}", turns("a"));
        assert!(hashes.iter().all(|hash| (0..400).any(|turn| has_turn(hash, &turn.to_string()))));
    }
}
