//! The start of every call: each rank sends the name of its call and the length of its part.

use std::any::type_name;

use gpu_kernels::TREE_VERSION;

use super::cut::Cut;
use super::{Communicator, World};
use crate::error::RankFault;
use crate::float_environment;
use crate::{Error, IndexType};

/// Describes a call of a verb with an operator over elements, for comparison between ranks.
pub(super) fn call<T, O>(verb: &str, input: &str) -> String {
    format!("{verb}({}, {input} of {})", type_name::<O>(), type_name::<T>())
}

/// Returns offsets as numbers. A later check reports negative ones.
pub(super) fn values<I: IndexType>(offsets: &[I]) -> Vec<u64> {
    offsets.iter().map(|offset| offset.value() as u64).collect()
}

/// Returns a hash by which ranks compare values that are too long to send.
///
/// Fowler, Noll and Vo, *FNV-1a* (RFC 9923), over words instead of bytes.
pub(super) fn digest(words: &[u64]) -> u64 {
    words.iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3))
}

impl<C: Communicator> World<C> {
    /// Tells the other ranks what this one calls and the length of its part, or that its arguments are wrong. Returns
    /// the parts of all ranks, if all make the same call.
    ///
    /// # Errors
    /// This rank's own; [`Error::Rank`] for a rank whose call differs from that of rank 0, or whose arguments are
    /// wrong. Nothing has been moved then.
    pub(super) fn agree(&self, call: &str, len: Result<u64, Error>) -> Result<Cut, Error> {
        self.agree_on(call, len, 0).map(|(cut, _)| cut)
    }

    /// Does [`agree`](Self::agree) for a part of which `missing` elements are missing. Returns the numbers of all ranks
    /// too, as the parts of an array.
    pub(super) fn agree_on(
        &self,
        call: &str,
        len: Result<u64, Error>,
        missing: u64,
    ) -> Result<(Cut, Cut), Error> {
        let len = len.and_then(|len| float_environment::check().map(|()| len));
        let said = match &len {
            Ok(len) => {
                let build =
                    format!("{call} of warpfold {}, tree version {TREE_VERSION}", env!("CARGO_PKG_VERSION"));
                [&[0][..], &len.to_le_bytes(), &missing.to_le_bytes(), build.as_bytes()].concat()
            }
            Err(error) => [&[1][..], &[0; 16], error.to_string().as_bytes()].concat(),
        };
        let all = self.together(|| self.all_gather(&said))?;
        len?;
        let all = all.iter().enumerate().map(|(rank, said)| Said::new(rank, said));
        let all = all.collect::<Result<Vec<_>, _>>()?;
        for said in &all {
            if said.is_refused {
                let why = said.text.as_str().into();
                return Err(Error::Rank { rank: said.rank, fault: RankFault::Refused { why } });
            }
        }
        if let [first, others @ ..] = &all[..]
            && let Some(said) = others.iter().find(|said| said.text != first.text)
        {
            let (call, other_call) = (said.text.as_str().into(), first.text.as_str().into());
            let fault = RankFault::Disagrees { call, other: first.rank, other_call };
            return Err(Error::Rank { rank: said.rank, fault });
        }
        let cut =
            Cut::new(all.iter().map(|said| said.len)).zip(Cut::new(all.iter().map(|said| said.missing)));
        cut.ok_or(Error::TooManyResults { results: usize::MAX })
    }

    /// Returns what was read of this rank's part before a call. If that failed, tells the other ranks.
    ///
    /// # Errors
    /// This rank's own, of which the others know as of wrong arguments.
    pub(crate) fn known<X>(&self, read: Result<X, Error>) -> Result<X, Error> {
        read.or_else(|error| self.agree("", Err(error.clone())).and(Err(error)))
    }
}

/// The message of a rank.
struct Said {
    rank: usize,
    is_refused: bool,
    len: u64,
    missing: u64,
    text: String,
}

impl Said {
    fn new(rank: usize, said: &[u8]) -> Result<Self, Error> {
        let parsed = said.split_first().and_then(|(&kind, said)| {
            let (len, said) = said.split_first_chunk::<8>()?;
            let (missing, text) = said.split_first_chunk::<8>()?;
            Some((kind, [*len, *missing].map(u64::from_le_bytes), text))
        });
        let (kind, [len, missing], text) = parsed.ok_or(Error::Rank { rank, fault: RankFault::Garbled })?;
        let text = String::from_utf8_lossy(text).into_owned();
        Ok(Self { rank, is_refused: kind != 0, len, missing, text })
    }
}
