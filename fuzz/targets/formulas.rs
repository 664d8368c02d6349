//! Formulas of a grammar, and operators that combine by one, by any bytes: their recorded steps and their texts against the formulas
//! themselves, and the lint.
#![no_main]

#[allow(dead_code, reason = "the tests use more of it")]
#[path = "../../tests/src/formulas/mod.rs"]
mod formulas;

use arbitrary::Arbitrary;
use bytemuck::cast;
use formulas::{Dice, Grammar, RandomOperation, RandomOperator, random, text, with_dice};
use libfuzzer_sys::fuzz_target;
use warpfold::formula::{Combining, Kind, Program, Written, objection};

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

/// A kernel with a place for a formula that combines.
const COMBINING: &str =
    ".entry k(\n.param .b8 numbers[64]\n)\n{\n//@formula\nmov.b32 to,left;\nmov.b32 to,right;\n//end\n}\n";

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
        let place = &in_place_of(&formula.program(), KERNEL);
        for x in input.elements.map(T::from_word) {
            let expected = bits(formula.of(x));
            assert_eq!(bits(formula.interpret(x)), expected, "{:?}", formula.program());
            let found = text::run(place, &[("from", x.to_word())], &captured.map(T::to_word))["to"];
            assert_eq!(bits(T::from_word(found)), expected, "{place}");
        }
        let program = RandomOperator::<T, 0>::new().program();
        let (place, identity) = (&in_place_of(&program, COMBINING), T::SOME[1].to_word());
        for two in input.elements.windows(2) {
            let carried = [two[0], two[1]].map(|word| T::from_word(word).to_word() ^ identity);
            let [left, right] = carried.map(|word| cast::<T, T::Bits>(T::from_word(word)));
            let number = |word: u64| bits(T::from_word(word ^ identity));
            let expected =
                number(cast::<_, T>(Written::<RandomOperation<T, 0>>::combine(left, right)).to_word());
            assert_eq!(number(program.run(carried, &[0; _]).0), expected, "{program:?}");
            let found = text::run(place, &[("left", carried[0]), ("right", carried[1])], &[])["to"];
            assert_eq!(number(found), expected, "{place}");
        }
    });
}

/// Returns what a program puts into the place in a kernel's text, to which the lint has no objection.
fn in_place_of(program: &Program, kernel: &str) -> String {
    let (kernel, _) = program.put_into(kernel, "k");
    let (_, place) = kernel.split_once(")\n{\n").expect("a kernel");
    let (place, _) = place.split_once("//end").expect("an end");
    assert_eq!(objection(place), None, "{place}");
    place.to_owned()
}

fuzz_target!(|input: Input| match input.kind % 6 {
    0 => agree::<f32>(input),
    1 => agree::<f64>(input),
    2 => agree::<i32>(input),
    3 => agree::<i64>(input),
    4 => agree::<u32>(input),
    _ => agree::<u64>(input),
});
