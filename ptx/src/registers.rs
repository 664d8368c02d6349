//! Register numbers as ranks, so that equal code has equal text whatever its registers are called.
//!
//! A compiler numbers registers and labels over a whole function, so one more instruction at its beginning renames all
//! that follow. A rank says instead how recently a register was last named: `r0` is the last one of its kind, `r1` the
//! one before it. A register that has not been named yet is written as its distance from the newest one: `r+1`. Lines
//! that begin with a point or a comment stay unchanged.

use crate::Damaged;

/// The letters before a number: registers by kind, as cuda_builder names them, and labels.
const KINDS: &[u8; 8] = b"phrdqfg$";

/// For each byte its index in `KINDS`, or their count if it is not in `KINDS`. A table, because a search takes most of
/// the time.
const KIND_OF: [u8; 256] = {
    let (mut kind_of, mut kind) = ([KINDS.len() as u8; 256], 0);
    while kind < KINDS.len() {
        kind_of[KINDS[kind] as usize] = kind as u8;
        kind += 1;
    }
    kind_of
};

/// Most digits of a number that are read.
const DIGITS: usize = 9;

/// The numbers named so far, of one kind.
#[derive(Default)]
struct Named {
    /// In the order in which they were last named.
    numbers: Vec<u32>,
    /// The number that was last named for the first time.
    newest: u32,
}

impl Named {
    /// Moves the number at an index to the end.
    fn name_again(&mut self, at: usize) -> u32 {
        let behind = &mut self.numbers[at..];
        behind.rotate_left(1);
        behind[behind.len() - 1]
    }
}

/// Converts numbers in `text` to ranks. Not every text can be restored: try [`to_numbers`].
#[cfg(feature = "write")]
pub(crate) fn to_ranks(text: &str) -> String {
    use std::io::Write as _;

    let to_rank = |named: &mut Named, rest: &[u8], ranked: &mut Vec<u8>| {
        let (number, length) = number(rest);
        // Writing to a `Vec` does not fail.
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
        length
    };
    // Only digits and signs change, so it is UTF-8 like the text.
    String::from_utf8(convert(text, to_rank)).unwrap_or_default()
}

/// Restores the text from its `ranked` form.
pub(crate) fn to_numbers(ranked: &str) -> Result<String, Damaged> {
    let mut is_damaged = false;
    let to_number = |named: &mut Named, rest: &[u8], text: &mut Vec<u8>| {
        let sign = rest.first().copied().filter(|sign| matches!(sign, b'+' | b'-'));
        let signs = usize::from(sign.is_some());
        let (read, length) = number(&rest[signs..]);
        let number = if let Some(sign) = sign {
            let newest = named.newest;
            let number = if sign == b'+' { newest.checked_add(read) } else { newest.checked_sub(read) };
            named.numbers.extend(number);
            named.newest = number.unwrap_or_default();
            number
        } else {
            let at = named.numbers.len().checked_sub(1).and_then(|last| last.checked_sub(read as usize));
            at.map(|at| named.name_again(at))
        };
        is_damaged |= number.is_none() || length == 0;
        push_number(text, number.unwrap_or_default());
        signs + length
    };
    let text = convert(ranked, to_number);
    if is_damaged {
        return Err(Damaged("a register's rank"));
    }
    String::from_utf8(text).map_err(|_| Damaged("a text"))
}

/// Replaces each number after a register's kind by what `step` writes. `step` returns how many bytes of the rest it has
/// read.
///
/// Works on bytes, not characters, because finding character boundaries would take as long as everything else.
fn convert(text: &str, mut step: impl FnMut(&mut Named, &[u8], &mut Vec<u8>) -> usize) -> Vec<u8> {
    let mut named: [Named; KINDS.len()] = Default::default();
    let mut converted = Vec::with_capacity(text.len() + text.len() / 4);
    for line in text.as_bytes().split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(b".") || line.starts_with(b"//") {
            converted.extend_from_slice(line);
            continue;
        }
        let (mut done, mut at) = (0, 0);
        while let Some(&byte) = line.get(at) {
            at += 1;
            let Some(named) = named.get_mut(usize::from(KIND_OF[usize::from(byte)])) else { continue };
            // Most letters are in words, and the byte after a letter usually tells so sooner than the byte before.
            if line.get(at).is_some_and(|next| matches!(next, b'0'..=b'9' | b'+' | b'-'))
                && !(at > 1 && is_in_word(line[at - 2]))
            {
                converted.extend_from_slice(&line[done..at]);
                done = at + step(named, &line[at..], &mut converted);
                at = done;
            }
        }
        converted.extend_from_slice(&line[done..]);
    }
    converted
}

/// Returns whether a letter after this byte is inside a word.
fn is_in_word(before: u8) -> bool {
    before.is_ascii_alphanumeric() || matches!(before, b'_' | b'%' | b'.' | b'$')
}

/// Reads the number at the start of a text, of at most `DIGITS` digits, and returns it with its length.
fn number(text: &[u8]) -> (u32, usize) {
    let digits = text.iter().take(DIGITS).take_while(|byte| byte.is_ascii_digit());
    digits.fold((0, 0), |(number, length), digit| (10 * number + u32::from(digit - b'0'), length + 1))
}

/// Appends a number's digits, because `write!` would take half of the time.
fn push_number(text: &mut Vec<u8>, mut number: u32) {
    let (mut digits, mut first) = ([0; 10], 10);
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 || first == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[first..]);
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
