//! The keys of a table's rows, and the group of each row.

mod order;

use std::collections::HashMap;
use std::rc::Rc;

/// Keys in order of first appearance, until they are [sorted](Keys::sorted), and the rows with a value.
#[derive(Default)]
pub(crate) struct Keys {
    /// The group of each row with a value.
    pub(crate) ids: Vec<usize>,
    /// The key of each group; `None` for rows without a key.
    pub(crate) names: Vec<Option<Rc<str>>>,
    /// Rows without a value, in order.
    skipped: Vec<u64>,
    known: HashMap<Rc<str>, usize>,
    of_none: Option<usize>,
}

impl Keys {
    /// Adds the next row.
    pub(super) fn push(&mut self, key: Option<&str>, has_value: bool) {
        let next = self.names.len();
        let known = key.map_or(self.of_none, |key| self.known.get(key).copied());
        let group = known.unwrap_or_else(|| {
            let key: Option<Rc<str>> = key.map(Rc::from);
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
            self.skipped.push((self.ids.len() + self.skipped.len()) as u64);
        }
    }

    /// The same rows, with groups in the order of keys: numbers by size if all keys are numbers, otherwise
    /// texts by their bytes. Rows without a key are the last group.
    pub(crate) fn sorted(mut self) -> Self {
        let order = order::of(&self.names);
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &group)| places[group] = place);
        self.ids.iter_mut().for_each(|id| *id = places[*id]);
        self.names = order.iter().map(|&group| self.names[group].clone()).collect();
        self
    }

    /// Iterates without end over the row numbers, except rows without a value.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u64> {
        let mut skipped = self.skipped.iter().copied().peekable();
        (0..).filter(move |row| skipped.next_if_eq(row).is_none())
    }
}
