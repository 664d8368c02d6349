//! Checks the tree of a Parquet file's schema before the reader builds it. The reader allocates for as many children as an element
//! claims, and calls itself for each level.
//!
//! The tree is a list of elements in depth-first order, each with its number of children
//! (<https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>). The reader takes a field for what its
//! number says, whatever type the file gives it, so a field of another type is an error here: both must see the same elements.

use super::thrift::{Malformed, Rest, kind};

/// The most levels: tables of nested lists and structs have about ten.
const DEEPEST: usize = 64;

/// The place of the schema in the footer, and of the number of children in an element.
const SCHEMA: i16 = 2;
const CHILDREN: i16 = 5;

/// A field of a struct, by number: the type that it must have.
type Known = (i16, Kind);

/// The type of a field.
#[derive(Clone, Copy)]
enum Kind {
    Bool,
    Is(u8),
    /// A struct, or a union, with these fields.
    Struct(&'static [Known]),
}

const ELEMENT: &[Known] = &[
    (1, Kind::Is(kind::I32)),    // the physical type
    (2, Kind::Is(kind::I32)),    // the length of the type
    (3, Kind::Is(kind::I32)),    // optional or repeated
    (4, Kind::Is(kind::BINARY)), // the name
    (CHILDREN, Kind::Is(kind::I32)),
    (6, Kind::Is(kind::I32)), // the converted type
    (7, Kind::Is(kind::I32)), // scale and precision of decimals
    (8, Kind::Is(kind::I32)),
    (9, Kind::Is(kind::I32)), // the field's id
    (10, Kind::Struct(LOGICAL)),
];

/// The union of logical types.
const LOGICAL: &[Known] = &[
    (1, Kind::Struct(&[])),                                                       // string
    (2, Kind::Struct(&[])),                                                       // map
    (3, Kind::Struct(&[])),                                                       // list
    (4, Kind::Struct(&[])),                                                       // enum
    (5, Kind::Struct(&[(1, Kind::Is(kind::I32)), (2, Kind::Is(kind::I32))])),     // decimal
    (6, Kind::Struct(&[])),                                                       // date
    (7, Kind::Struct(TIME)),                                                      // time
    (8, Kind::Struct(TIME)),                                                      // timestamp
    (10, Kind::Struct(&[(1, Kind::Is(kind::BYTE)), (2, Kind::Bool)])),            // integer
    (11, Kind::Struct(&[])),                                                      // unknown
    (12, Kind::Struct(&[])),                                                      // JSON
    (13, Kind::Struct(&[])),                                                      // BSON
    (14, Kind::Struct(&[])),                                                      // UUID
    (15, Kind::Struct(&[])),                                                      // float16
    (16, Kind::Struct(&[(1, Kind::Is(kind::BYTE))])),                             // variant
    (17, Kind::Struct(&[(1, Kind::Is(kind::BINARY))])),                           // geometry
    (18, Kind::Struct(&[(1, Kind::Is(kind::BINARY)), (2, Kind::Is(kind::I32))])), // geography
    (19, Kind::Struct(&[])),                                                      // file
];

const TIME: &[Known] = &[(1, Kind::Bool), (2, Kind::Struct(UNIT))];
const UNIT: &[Known] = &[(1, Kind::Struct(&[])), (2, Kind::Struct(&[])), (3, Kind::Struct(&[]))];

/// Refuses the footer of a file if its schema has children that are not there, or more than 64 levels. A footer without a schema is
/// left to the reader.
pub(super) fn check(footer: &[u8]) -> Result<(), Malformed> {
    let mut rest = Rest(footer);
    let mut before = 0;
    while let Some((number, kind)) = rest.field(before)? {
        if number == SCHEMA {
            return elements(&mut rest, kind);
        }
        rest.skip(kind)?;
        before = number;
    }
    Ok(())
}

/// Reads the list of elements.
fn elements(rest: &mut Rest<'_>, kind: u8) -> Result<(), Malformed> {
    if kind != kind::LIST {
        return Err("the schema is no list");
    }
    let (len, of) = rest.list()?;
    if len > 0 && of != kind::STRUCT {
        return Err("the schema is no list of elements");
    }
    // The children to come, of each level that has any. The root is the only child of the first level.
    let mut levels = [0_u64; DEEPEST];
    levels[0] = 1;
    let mut depth = 0;
    for element in 0..len {
        let children = u64::try_from(fields(rest, ELEMENT)?.unwrap_or(0));
        let children = children.map_err(|_| "an element of the schema has a negative number of children")?;
        if children >= len - element {
            return Err("an element of the schema has more children than there are elements");
        }
        // Elements after the tree are the reader's to refuse.
        levels[depth] = levels[depth].saturating_sub(1);
        if children > 0 {
            depth += 1;
            *levels.get_mut(depth).ok_or("the schema is nested more than 64 deep")? = children;
        }
        while depth > 0 && levels[depth] == 0 {
            depth -= 1;
        }
    }
    Ok(())
}

/// Reads the fields of a struct. Each field must have the type that `known` gives it. Returns the number of children.
fn fields(rest: &mut Rest<'_>, known: &[Known]) -> Result<Option<i64>, Malformed> {
    let mut children = None;
    let mut before = 0;
    while let Some((number, kind)) = rest.field(before)? {
        let should = known.iter().find(|&&(known, _)| known == number).map(|&(_, kind)| kind);
        match (should, kind) {
            (None, kind) => rest.skip(kind)?,
            (Some(Kind::Bool), kind::TRUE | kind::FALSE) => {}
            (Some(Kind::Is(kind::I32)), kind::I32) if number == CHILDREN => {
                children = Some(i64::from(rest.signed()? as i32));
            }
            (Some(Kind::Is(should)), kind) if should == kind => rest.skip(kind)?,
            (Some(Kind::Struct(known)), kind::STRUCT) => {
                fields(rest, known)?;
            }
            _ => return Err("a field of the schema has another type than it should"),
        }
        before = number;
    }
    Ok(children)
}
