//! The values of a column: numbers, or what is said of values that are none.

use std::collections::HashSet;
use std::hash::Hash;

use crate::numbers::Loaded;

/// The most different values of a column that are counted: their texts are kept in memory.
pub(crate) const MOST: usize = 1_000_000;

/// The values of a column.
pub(crate) enum Values {
    Numbers(Loaded<'static>),
    Others(Others),
}

/// What is said of values that are no numbers.
#[derive(Default)]
pub(crate) struct Others {
    pub(crate) count: u64,
    pub(crate) missing: u64,
    /// The number of different values, up to [`MOST`]; `None` if they cannot be compared.
    pub(crate) distinct: Option<usize>,
    pub(crate) least: Option<String>,
    pub(crate) greatest: Option<String>,
    /// Where a column that began with numbers has something else.
    pub(crate) mixed: Option<String>,
}

/// Counts different values.
#[derive(Default)]
pub(super) struct Distinct<K>(HashSet<K>);

impl<K: Hash + Eq> Distinct<K> {
    /// Counts a value, of which `own` makes one to keep.
    pub(super) fn add<Q: Hash + Eq + ?Sized>(&mut self, value: &Q, own: impl FnOnce() -> K)
    where
        K: std::borrow::Borrow<Q>,
    {
        if self.0.len() < MOST && !self.0.contains(value) {
            self.0.insert(own());
        }
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}

/// Texts, which are ordered by their bytes.
#[derive(Default)]
pub(super) struct Texts {
    known: Distinct<Box<str>>,
    said: Others,
}

impl Texts {
    pub(super) fn after(missing: u64) -> Self {
        Self { said: Others { missing, ..Others::default() }, ..Self::default() }
    }

    pub(super) fn push(&mut self, text: &str) {
        let said = &mut self.said;
        said.count += 1;
        self.known.add(text, || text.into());
        if said.least.as_deref().is_none_or(|least| text < least) {
            said.least = Some(text.into());
        }
        if said.greatest.as_deref().is_none_or(|greatest| text > greatest) {
            said.greatest = Some(text.into());
        }
    }

    pub(super) fn skip(&mut self) {
        self.said.missing += 1;
    }

    pub(super) fn said(self) -> Others {
        Others { distinct: Some(self.known.count()), ..self.said }
    }
}
