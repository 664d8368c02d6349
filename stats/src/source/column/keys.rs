//! The keys of a table's rows, and the group of each row.

mod order;

use std::collections::HashMap;
use std::rc::Rc;

/// The key of a row; `None` if it has none.
pub(crate) type Key = Option<Rc<str>>;

/// Keys in order of first appearance, until they are [sorted](Keys::sorted), and the rows with a value.
#[derive(Default)]
pub(crate) struct Keys {
    /// The group of each row with a value.
    ids: Vec<usize>,
    /// The key of each group.
    names: Vec<Key>,
    /// Rows without a value, in order, and their groups.
    skipped: Vec<(u64, usize)>,
    known: HashMap<Rc<str>, usize>,
    of_none: Option<usize>,
}

/// Groups in the order of their keys.
pub(crate) struct Groups {
    /// The group of each row with a value.
    pub(crate) ids: Vec<usize>,
    /// The keys of each group, one from each column.
    pub(crate) keys: Vec<Vec<Key>>,
    /// Rows without a value, in order, and their groups.
    skipped: Vec<(u64, usize)>,
}

impl Keys {
    /// Adds the next row.
    pub(super) fn push(&mut self, key: Option<&str>, has_value: bool) {
        let next = self.names.len();
        let known = key.map_or(self.of_none, |key| self.known.get(key).copied());
        let group = known.unwrap_or_else(|| {
            let key: Key = key.map(Rc::from);
            self.names.push(key.clone());
            match key {
                Some(key) => _ = self.known.insert(key, next),
                None => self.of_none = Some(next),
            }
            next
        });
        if has_value {
            self.ids.push(group);
        } else {
            self.skipped.push(((self.ids.len() + self.skipped.len()) as u64, group));
        }
    }

    /// Bytes of the groups of the rows so far.
    #[cfg(feature = "arrow")]
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(self.ids.as_slice()) as u64
    }

    /// The same rows, with groups in the order of keys: numbers by size if all keys are numbers, otherwise
    /// texts by their bytes. Rows without a key are the last group.
    pub(super) fn sorted(self) -> Groups {
        let order = order::of(&self.names);
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &group)| places[group] = place);
        let keys = order.iter().map(|&group| vec![self.names[group].clone()]).collect();
        Groups::placed(self.ids, self.skipped, |group| places[group], keys)
    }
}

impl Groups {
    /// Puts each row into the group at the place of its group.
    fn placed(
        mut ids: Vec<usize>,
        mut skipped: Vec<(u64, usize)>,
        place: impl Fn(usize) -> usize,
        keys: Vec<Vec<Key>>,
    ) -> Self {
        ids.iter_mut().chain(skipped.iter_mut().map(|(_, id)| id)).for_each(|id| *id = place(*id));
        Self { ids, keys, skipped }
    }

    /// Returns the groups of rows that are in one group here and in one of the other column, or `None` if the rows differ, or if there
    /// are more combinations of keys than addresses.
    pub(crate) fn and(self, other: &Self) -> Option<Self> {
        if self.ids.len() != other.ids.len() || self.skipped.len() != other.skipped.len() {
            return None;
        }
        self.keys.len().checked_mul(other.keys.len())?;
        // Both in one number, whose order is that of the first, then of the other.
        let both = |(id, other_id): (usize, usize)| id * other.keys.len() + other_id;
        let ids: Vec<usize> = self.ids.into_iter().zip(other.ids.iter().copied()).map(both).collect();
        let skipped = self.skipped.into_iter().zip(&other.skipped);
        let skipped: Vec<_> = skipped.map(|((row, id), other)| (row, both((id, other.1)))).collect();
        let mut pairs: Vec<usize> = ids.iter().chain(skipped.iter().map(|(_, id)| id)).copied().collect();
        pairs.sort_unstable();
        pairs.dedup();
        let keys_of = |&pair: &usize| {
            let (own, others) = (&self.keys[pair / other.keys.len()], &other.keys[pair % other.keys.len()]);
            own.iter().chain(others).cloned().collect()
        };
        let keys = pairs.iter().map(keys_of).collect();
        Some(Self::placed(ids, skipped, |pair| pairs.partition_point(|&before| before < pair), keys))
    }

    /// Iterates without end over the row numbers, except rows without a value.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u64> {
        let mut skipped = self.skipped.iter().map(|&(row, _)| row).peekable();
        (0..).filter(move |row| skipped.next_if_eq(row).is_none())
    }
}
