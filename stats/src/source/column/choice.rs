//! The choice of a table's column.

use super::Unreadable;

/// The most columns that a message lists.
const LISTED: usize = 20;

/// A column's name and type.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(super) name: String,
    /// The type as named in the file; `None` if only the cells can tell.
    pub(super) r#type: Option<String>,
    /// Whether this type has numbers.
    pub(super) is_numbers: bool,
}

/// Returns the index of the column `wanted`, or of the only one.
pub(super) fn choose(columns: &[Named], wanted: Option<&str>) -> Result<usize, Unreadable> {
    let Some(name) = wanted else {
        return match columns {
            [_] => Ok(0),
            [] => Err(Unreadable::NoColumns { why: "the file names none" }),
            _ => Err(Unreadable::SeveralColumns { columns: columns.into() }),
        };
    };
    let mut named = (0..).zip(columns).filter(|(_, column)| column.name == name).map(|(index, _)| index);
    match (named.next(), named.count()) {
        (Some(index), 0) => Ok(index),
        (None, _) => Err(Unreadable::NoSuchColumn { name: name.into(), columns: columns.into() }),
        (_, others) => Err(Unreadable::SameName { name: name.into(), count: 1 + others }),
    }
}

/// The columns as text in one line.
pub(super) fn list(columns: &[Named]) -> String {
    let one = |Named { name, r#type, .. }: &Named| match r#type {
        Some(r#type) => format!("`{name}` ({type})"),
        None => format!("`{name}`"),
    };
    let mut text = columns.iter().take(LISTED).map(one).collect::<Vec<_>>().join(", ");
    if columns.len() > LISTED {
        text += &format!(", and {} more", columns.len() - LISTED);
    }
    if columns.is_empty() { "none at all".into() } else { text }
}
