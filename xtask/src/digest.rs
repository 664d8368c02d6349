//! Hashes, as digits.

use sha2::{Digest as _, Sha256};

/// Digits of a hash that are kept where it only tells texts apart.
const DIGITS: usize = 16;

/// One in so many has its turn.
const SAMPLE: u64 = 16;

/// SHA-256.
pub(crate) fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The first digits of it.
pub(crate) fn short(text: &str) -> String {
    sha256(text).chars().take(DIGITS).collect()
}

/// The hash of a module: of the text that is kept, and of what it is made to for newer generations.
pub(crate) fn of_module(kept: &str, newer: Option<&str>) -> String {
    short(&[kept, newer.unwrap_or_default()].join("\0"))
}

/// A number that `turn`, any text, draws for what has this hash.
pub(crate) fn draw(hash: &str, turn: &str) -> u64 {
    u64::from_str_radix(&short(&[turn, hash].join("\0")), 16).unwrap_or_default()
}

/// Whether what has this hash has its turn: over many turns, everything has it one time in 16.
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
