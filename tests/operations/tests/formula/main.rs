//! Formulas on the CPU: against closures, the interpreter of the recorded steps, and operators over mapped elements.
#![allow(missing_docs)]

mod absent;
mod inputs;
mod results;
mod short;
mod steps;
mod texts;

use warpfold::formula::{Kind, Numeric, Program};
use warpfold_tests::formulas::text;

/// Bits, but one for every NaN.
fn bits<T: Numeric>(x: T) -> u64 {
    let float = match T::KIND {
        Kind::F32 => f64::from(f32::from_bits(x.to_word() as u32)),
        Kind::F64 => f64::from_bits(x.to_word()),
        _ => 0.0,
    };
    if float.is_nan() { u64::MAX } else { x.to_word() }
}

/// A kernel with a place for a formula.
const KERNEL: &str = ".version 6.3\n.target sm_75\n.visible .entry k(\n.param .u64 $arg0,\n.param .align 8 .b8 $arg1[64]\n)\n{\n\
    //@formula\nmov.b32 r2,r1;\nadd.rn.f32 r3,r2,r2;\nret;\n}\n";

/// A kernel with a place for a formula of two elements that may have no result.
const KERNEL_OF_PAIRS: &str = ".entry k(\n.param .b8 $arg1[64]\n)\n{\n\
    //@formula\nmov.b32 r3,r1;\nmov.b32 r3,r2;\nmov.b32 r4, 1;\n//end\n}\n";

/// Returns a formula's part of a kernel's text, which computes `r2` of `r1`.
fn text_of(program: &Program) -> String {
    let (text, _) = program.put_into(KERNEL, "k");
    let (_, rest) = text.split_once(")\n{\n").unwrap();
    rest.split_once("add.rn.f32 r3,r2,r2").unwrap().0.to_owned()
}

/// Returns what a text computes of an element.
fn run<T: Numeric>(text: &str, x: T, captured: [T; 3]) -> T {
    T::from_word(text::run(text, &[("r1", x.to_word())], &captured.map(T::to_word))["r2"])
}

/// Returns a formula's part of a kernel's text, which computes `r3` of `r1` and `r2`, and in `r4` whether there is a result.
fn text_of_pairs(program: &Program) -> String {
    let (text, _) = program.put_into(KERNEL_OF_PAIRS, "k");
    let (_, rest) = text.split_once(")\n{\n").unwrap();
    rest.split_once("//end").unwrap().0.to_owned()
}
