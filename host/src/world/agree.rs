//! The start of every call: each rank sends the name of its call and the length of its part.

use std::any::type_name;
use std::sync::Arc;

use gpu_kernels::TREE_VERSION;

use super::cut::Cut;
use super::exchange::garbled;
use super::{Communicator, World};
use crate::error::{Error, RankFault};
use crate::float_environment;
use crate::index_type::IndexType;
use crate::memory;

/// Describes a call of a verb with an operator over elements, for comparison between ranks.
pub(super) fn call<T, O>(verb: &str, input: &str) -> String {
    format!("{verb}({}, {input} of {})", type_name::<O>(), type_name::<T>())
}

/// Returns offsets as numbers. A later check reports negative ones.
pub(super) fn values<I: IndexType>(offsets: &[I]) -> Result<Vec<u64>, Error> {
    memory::collected(offsets.iter().map(|offset| offset.value() as u64))
}

/// Returns a hash by which ranks compare values that are too long to send.
///
/// Fowler, Noll and Vo, *FNV-1a* (RFC 9923), over words instead of bytes.
pub(super) fn digest(words: &[u64]) -> u64 {
    words.iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Most bytes of another rank's call or error that a message shows.
const MOST_TEXT: usize = 4096;

impl<C: Communicator> World<C> {
    /// Tells the other ranks which call this rank makes and the length of its part, or that its arguments are wrong.
    /// Returns the parts of all ranks, if all make the same call.
    ///
    /// # Errors
    /// This rank's own; [`Error::Rank`] for a rank whose call differs from rank 0's, or whose arguments are wrong.
    /// Nothing has been moved then.
    pub(super) fn agree(&self, call: &str, len: Result<u64, Error>) -> Result<Cut, Error> {
        self.agree_on(call, len, [0, 0]).map(|(cut, _)| cut)
    }

    /// Does [`agree`](Self::agree) for a part with `missing` missing elements. Each item of its length has `each`
    /// elements. Also returns the numbers of all ranks, as the parts of an array.
    pub(super) fn agree_on(
        &self,
        call: &str,
        len: Result<u64, Error>,
        [missing, each]: [u64; 2],
    ) -> Result<(Cut, Cut), Error> {
        if self.rank >= self.size {
            return Err(Error::Rank { rank: self.rank, fault: RankFault::Misplaced { ranks: self.size } });
        }
        let len = len.and_then(|len| float_environment::check().map(|()| len));
        let said = match &len {
            Ok(len) => {
                let build =
                    format!("{call} of warpfold {}, tree version {TREE_VERSION}", env!("CARGO_PKG_VERSION"));
                [&[0][..], &len.to_le_bytes(), &missing.to_le_bytes(), build.as_bytes()].concat()
            }
            Err(error) => [&[1][..], &[0; 16], error.to_string().as_bytes()].concat(),
        };
        let all = self.together(|| {
            let all = self.all_gather(&said)?;
            let garbled_one = all.iter().position(|said| Said::of(said).is_none());
            garbled_one.map_or(Ok(all), |rank| Err(garbled(rank)))
        })?;
        len?;
        let all = || all.iter().filter_map(|said| Said::of(said)).enumerate();
        if let Some((rank, said)) = all().find(|(_, said)| said.is_refused) {
            return Err(Error::Rank { rank, fault: RankFault::Refused { why: said.shown() } });
        }
        if let Some((other, first)) = all().next()
            && let Some((rank, said)) = all().find(|(_, said)| said.text != first.text)
        {
            let fault = RankFault::Disagrees { call: said.shown(), other, other_call: first.shown() };
            return Err(Error::Rank { rank, fault });
        }
        if let Some((rank, _)) = all().find(|(_, said)| said.missing > said.len.saturating_mul(each)) {
            return self.together(|| Err(garbled(rank)));
        }
        let cut =
            Cut::new(all().map(|(_, said)| said.len)).zip(Cut::new(all().map(|(_, said)| said.missing)));
        cut.ok_or(Error::TooManyResults { results: usize::MAX })
    }

    /// Returns what was read from this rank's part before a call. If reading failed, tells the other
    /// ranks.
    ///
    /// # Errors
    /// This rank's own errors. The other ranks learn of them as they learn of wrong arguments.
    pub(crate) fn known<X>(&self, read: Result<X, Error>) -> Result<X, Error> {
        read.or_else(|error| self.agree("", Err(error.clone())).and(Err(error)))
    }
}

/// The message of a rank.
struct Said<'a> {
    is_refused: bool,
    len: u64,
    missing: u64,
    text: &'a [u8],
}

impl<'a> Said<'a> {
    /// Reads a message. Returns `None` for bytes that are not one.
    fn of(said: &'a [u8]) -> Option<Self> {
        let (&kind, said) = said.split_first()?;
        let (len, said) = said.split_first_chunk::<8>()?;
        let (missing, text) = said.split_first_chunk::<8>()?;
        let [len, missing] = [*len, *missing].map(u64::from_le_bytes);
        (kind <= 1).then_some(Self { is_refused: kind == 1, len, missing, text })
    }

    /// Returns the text for a message, or its beginning.
    fn shown(&self) -> Arc<str> {
        String::from_utf8_lossy(&self.text[..self.text.len().min(MOST_TEXT)]).into()
    }
}
