//! Plain data of up to 8 bytes, encoded as words for kernels.

use bytemuck::{NoUninit, Pod};

/// Returns the word that begins with the data's bytes, padded with zeros.
pub(crate) fn word<D: NoUninit>(data: &D) -> u64 {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(bytemuck::bytes_of(data)) {
        *to = *from;
    }
    u64::from_ne_bytes(word)
}

/// Returns the data that a word begins with.
pub(crate) fn of_word<D: Pod>(word: u64) -> D {
    let mut data = D::zeroed();
    for (to, from) in bytemuck::bytes_of_mut(&mut data).iter_mut().zip(word.to_ne_bytes()) {
        *to = from;
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_comes_back() {
        assert_eq!(word(&0x1234_u16).to_ne_bytes()[..2], 0x1234_u16.to_ne_bytes());
        assert_eq!(of_word::<u16>(word(&0x1234_u16)), 0x1234);
        assert_eq!(of_word::<f64>(word(&-0.5_f64)), -0.5);
        assert_eq!(word(&true), word(&1_u8));
    }
}
