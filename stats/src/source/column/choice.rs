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

/// Returns the column `wanted`, or the only one, with its index.
pub(super) fn choose(columns: Vec<Named>, wanted: Option<&str>) -> Result<(usize, Named), Unreadable> {
    let Some(name) = wanted else {
        return match <[Named; 1]>::try_from(columns) {
            Ok([column]) => Ok((0, column)),
            Err(columns) if columns.is_empty() => Err(Unreadable::NoColumns { why: "the file names none" }),
            Err(columns) => Err(Unreadable::SeveralColumns { columns }),
        };
    };
    let named = || columns.iter().enumerate().filter(|(_, column)| column.name == name);
    match (named().next(), named().count()) {
        (Some((index, column)), 1) => Ok((index, column.clone())),
        (None, _) => Err(Unreadable::NoSuchColumn { name: name.into(), columns }),
        (_, count) => Err(Unreadable::SameName { name: name.into(), count }),
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
