//! Register numbers as ranks: how the same code looks the same, whatever its registers are called.
//!
//! A compiler counts registers and labels up over a whole function, so one instruction more at its beginning renames all
//! that follow. A rank says instead how long ago a register was last named: `r0` is the one named last of its kind, `r1` the
//! one before it. A register that has not been named yet is told by how far it is from the one that was new last: `r+1`.
//! Lines that begin with a point or a comment stay as they are.

use crate::Damaged;

/// What stands before a number: registers by their kind as cuda_builder names them, and labels.
const KINDS: &[u8; 8] = b"phrdqfg$";

/// The place of a byte among the kinds, or their number: looking it up takes most of the time otherwise.
const KIND_OF: [usize; 256] = {
    let (mut kind_of, mut kind) = ([KINDS.len(); 256], 0);
    while kind < KINDS.len() {
        kind_of[KINDS[kind] as usize] = kind;
        kind += 1;
    }
    kind_of
};

/// Digits of the largest number that is read.
const DIGITS: usize = 9;

/// What has been named so far, of one kind.
#[derive(Default)]
struct Named {
    /// The last one at the end.
    numbers: Vec<u32>,
    /// The one that was new last.
    newest: u32,
}

impl Named {
    /// Moves the number at a place to the end.
    fn name_again(&mut self, at: usize) -> u32 {
        let number = self.numbers.remove(at);
        self.numbers.push(number);
        number
    }
}

/// `text` with ranks. Not every text can be had back: [`to_numbers`] shows.
#[cfg(feature = "write")]
pub(crate) fn to_ranks(text: &str) -> String {
    use std::fmt::Write as _;

    let to_rank = |named: &mut Named, rest: &str, ranked: &mut String| {
        let length = digits(rest);
        let number: u32 = rest[..length].parse().ok()?;
        // Writing to a String does not fail.
        match named.numbers.iter().rev().position(|&known| known == number) {
            Some(rank) => {
                let at = named.numbers.len() - 1 - rank;
                named.name_again(at);
                _ = write!(ranked, "{rank}");
            }
            None => {
                _ = write!(ranked, "{:+}", i64::from(number) - i64::from(named.newest));
                named.numbers.push(number);
                named.newest = number;
            }
        }
        Some(length)
    };
    convert(text, to_rank)
}

/// The text that was `ranked`.
pub(crate) fn to_numbers(ranked: &str) -> Result<String, Damaged> {
    let mut is_damaged = false;
    let to_number = |named: &mut Named, rest: &str, text: &mut String| {
        let signs = usize::from(rest.starts_with(['+', '-']));
        let length = signs + digits(&rest[signs..]);
        let read: i64 = rest[..length].parse().ok()?;
        let number = if signs == 0 {
            let at = named.numbers.len().checked_sub(1 + usize::try_from(read).ok()?);
            at.map(|at| named.name_again(at))
        } else {
            let number = u32::try_from(i64::from(named.newest) + read).ok();
            named.numbers.extend(number);
            named.newest = number.unwrap_or_default();
            number
        };
        is_damaged |= number.is_none();
        push_number(text, number.unwrap_or_default());
        Some(length)
    };
    let text = convert(ranked, to_number);
    if is_damaged { Err(Damaged("a register's rank")) } else { Ok(text) }
}

/// `text` with what stands behind a register's kind as `step` writes it, which tells how much of the rest it has read.
fn convert(text: &str, mut step: impl FnMut(&mut Named, &str, &mut String) -> Option<usize>) -> String {
    let mut named: [Named; KINDS.len()] = Default::default();
    let mut converted = String::with_capacity(text.len() + text.len() / 4);
    for line in text.split_inclusive('\n') {
        if line.starts_with('.') || line.starts_with("//") {
            converted.push_str(line);
            continue;
        }
        let bytes = line.as_bytes();
        let (mut done, mut at) = (0, 0);
        let mut before = b' ';
        while at < bytes.len() {
            let byte = bytes[at];
            at += 1;
            let kind = KIND_OF[usize::from(byte)];
            if kind < KINDS.len()
                && !is_in_word(before)
                && bytes.get(at).is_some_and(|next| matches!(next, b'0'..=b'9' | b'+' | b'-'))
            {
                converted.push_str(&line[done..at]);
                done = at + step(&mut named[kind], &line[at..], &mut converted).unwrap_or_default();
                at = done;
            }
            before = bytes[at - 1];
        }
        converted.push_str(&line[done..]);
    }
    converted
}

/// Whether a letter behind this byte is within a word.
fn is_in_word(before: u8) -> bool {
    before.is_ascii_alphanumeric() || matches!(before, b'_' | b'%' | b'.' | b'$')
}

/// How many digits a text begins with.
fn digits(text: &str) -> usize {
    text.bytes().take(DIGITS).take_while(u8::is_ascii_digit).count()
}

/// Writes a number's digits: `write!` would be half of the time.
fn push_number(text: &mut String, number: u32) {
    let mut place = 1;
    while number / place >= 10 {
        place *= 10;
    }
    while place > 0 {
        text.push(char::from(b'0' + (number / place % 10) as u8));
        place /= 10;
    }
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;

    const TEXT: &str =
        ".reg .b32 r<9>;\nadd.s32 r7,r3,r3;\n@p1 bra $2;\n$2:\nadd.s32 r8,r7,r3;\nmov.b32 r1,%r1;\n";

    #[test]
    fn a_register_is_told_by_when_it_was_named_last() {
        let ranked = to_ranks(TEXT);
        assert_eq!(
            ranked,
            ".reg .b32 r<9>;\nadd.s32 r+7,r-4,r0;\n@p+1 bra $+2;\n$0:\nadd.s32 r+5,r2,r2;\nmov.b32 r-7,%r1;\n"
        );
        assert_eq!(to_numbers(&ranked).as_deref(), Ok(TEXT));
    }

    #[test]
    fn renamed_code_differs_only_where_a_register_is_new() {
        let other = TEXT.replace("r7", "r6").replace("r8", "r7");
        let differing = |(a, b): &(&str, &str)| a != b;
        let (ranked, other) = (to_ranks(TEXT), to_ranks(&other));
        assert_eq!(ranked.lines().zip(other.lines()).filter(differing).count(), 3);
    }

    #[test]
    fn numbers_of_any_length_come_back() {
        for number in [0, 9, 10, 99, 100, 999_999_999] {
            let text = format!("mov r{number};\n");
            assert_eq!(to_numbers(&to_ranks(&text)), Ok(text));
        }
    }

    #[test]
    fn a_rank_that_nothing_has_is_damage() {
        assert_eq!(to_numbers("mov r3;\n"), Err(Damaged("a register's rank")));
        assert_eq!(to_numbers("mov r-1;\n"), Err(Damaged("a register's rank")));
    }
}
