//! Formulas of a grammar, by any bytes: their recorded steps and their texts against the formulas themselves, and the lint.
#![no_main]

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../tests/src/formulas/mod.rs"]
mod formulas;

use arbitrary::Arbitrary;
use formulas::{Dice, Grammar, random, text, with_dice};
use libfuzzer_sys::fuzz_target;
use warpfold::formula::{Kind, objection};

#[derive(Arbitrary, Debug)]
struct Input {
    kind: u8,
    /// Three captured numbers, and elements.
    words: [u64; 3],
    elements: [u64; 4],
    dice: Vec<u8>,
}

/// A kernel with a place for a formula, of which only this place counts.
const KERNEL: &str = ".entry k(\n.param .b8 numbers[64]\n)\n{\n//@formula\nmov.b32 to,from;\n//end\n}\n";

/// Bits, but one for every NaN.
fn bits<T: Grammar>(x: T) -> u64 {
    let is_nan = match T::KIND {
        Kind::F32 => f32::from_bits(x.to_word() as u32).is_nan(),
        Kind::F64 => f64::from_bits(x.to_word()).is_nan(),
        _ => false,
    };
    if is_nan { u64::MAX } else { x.to_word() }
}

fn agree<T: Grammar>(input: Input) {
    let captured = input.words.map(T::from_word);
    with_dice(Dice::of_bytes(input.dice), || {
        let formula = random::<T, 0>(captured);
        let (kernel, _) = formula.program().put_into(KERNEL, "k");
        let (_, place) = kernel.split_once(")\n{\n").expect("a kernel");
        let (place, _) = place.split_once("//end").expect("an end");
        assert_eq!(objection(place), None, "{place}");
        for x in input.elements.map(T::from_word) {
            let expected = bits(formula.of(x));
            assert_eq!(bits(formula.interpret(x)), expected, "{:?}", formula.program());
            let found = text::run(place, &[("from", x.to_word())], &captured.map(T::to_word))["to"];
            assert_eq!(bits(T::from_word(found)), expected, "{place}");
        }
    });
}

fuzz_target!(|input: Input| match input.kind % 6 {
    0 => agree::<f32>(input),
    1 => agree::<f64>(input),
    2 => agree::<i32>(input),
    3 => agree::<i64>(input),
    4 => agree::<u32>(input),
    _ => agree::<u64>(input),
});
