//! What peers that are separate programs are asked, and reply.

use serde::{Deserialize, Serialize};

use super::peer::RESULT;
use crate::Outcome;

/// A contest for the program to run. The data is elements 0 to `buffer` - 1 of [`Datum`](crate::datum::Datum)
/// on its device; slice `slot` of `n` elements begins at element `slot * n`.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Request {
    pub op: &'static str,
    pub element: &'static str,
    pub n: usize,
    pub buffer: usize,
    pub slots: usize,
    pub trials: usize,
    /// Calls of a trial by stream launches.
    pub stream: usize,
    /// Calls in a graph.
    pub graph: usize,
    /// Calls of a trial end to end.
    pub end_to_end: usize,
    /// The time limit in seconds.
    pub seconds: f64,
}

/// A program's description of itself when it is ready.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub(super) struct Hello {
    /// Its contenders with their versions, such as `PyTorch 2.11.0`.
    pub peers: Vec<String>,
    /// What it lacks, with the reasons.
    #[serde(default)]
    pub missing: Vec<Missing>,
}

/// The reply to a [`Request`].
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(super) struct Reply {
    pub results: Vec<Measured>,
    #[serde(default)]
    pub missing: Vec<Missing>,
}

/// A contender that is missing.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(super) struct Missing {
    pub peer: String,
    pub reason: String,
}

/// One contender's results and times, in microseconds per call, one for each trial; end to end one for each
/// call.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(super) struct Measured {
    pub peer: String,
    pub answers: Vec<Answer>,
    pub stream: Vec<f64>,
    #[serde(default)]
    pub graph: Vec<f64>,
    /// Why there is no graph.
    pub no_graph: Option<String>,
    #[serde(default)]
    pub end_to_end: Vec<f64>,
}

/// A contender's result for a slice.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(super) struct Answer {
    pub slot: usize,
    /// 16 bytes in hexadecimal digits, in the layout of peers/cub.cu: the value at 0, an index at 8.
    pub bytes: String,
}

impl Answer {
    /// The bytes.
    pub(super) fn result(&self) -> Outcome<[u8; RESULT]> {
        let wrong = || format!("{:?} is no result of 16 bytes", self.bytes);
        let digits = self.bytes.as_bytes();
        let mut result = [0; RESULT];
        if digits.len() != 32 {
            return Err(wrong().into());
        }
        for (byte, digits) in result.iter_mut().zip(digits.chunks_exact(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| wrong())?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
        }
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sixteen_bytes_in_hexadecimal_are_a_result() {
        let result = |bytes: &str| Answer { slot: 0, bytes: bytes.into() }.result();
        assert_eq!(result("000102030405060708090a0b0c0d0e0f").unwrap()[15], 15);
        for wrong in ["00", "zz0102030405060708090a0b0c0d0e0f", "é0é0é0é0é0é0é0é0é0é0é000"] {
            assert!(result(wrong).is_err(), "{wrong}");
        }
    }
}
