//! Numbers and indices in JSON.

use serde::Serialize;

use crate::numbers::value::{Exactly, Value};

/// A number that JSON can represent: JSON has neither infinities nor NaN.
#[derive(Serialize)]
pub(super) struct Number {
    pub(super) r#type: &'static str,
    pub(super) value: Written,
    pub(super) bits: String,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Written {
    Integer(i128),
    Float(f64),
    Word(&'static str),
}

#[derive(Serialize)]
pub(super) struct Located {
    pub(super) index: u64,
    pub(super) order: char,
    pub(super) coordinates: Vec<u64>,
    pub(super) value: Number,
}

pub(super) fn number(value: Value) -> Number {
    let text = match value.exactly() {
        Exactly::Integer(integer) => Written::Integer(integer),
        Exactly::Float(float) => written(float),
    };
    Number { r#type: value.type_name(), value: text, bits: value.bits() }
}

pub(super) fn written(float: f64) -> Written {
    match float {
        f64::INFINITY => Written::Word("inf"),
        f64::NEG_INFINITY => Written::Word("-inf"),
        nan if nan.is_nan() => Written::Word("NaN"),
        number => Written::Float(number),
    }
}
