//! Cutting a PTX module into its top-level declarations (PTX ISA, 4 and 5.1).

use crate::Error;

/// The kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `.version`, `.target` or `.address_size`, which every module has.
    Header,
    /// `.entry` with a body.
    Entry,
    /// `.func` with a body.
    Function,
    /// `.func` without a body: a function defined elsewhere or later.
    Prototype,
    /// A variable in `.global`, `.const` or `.shared` memory.
    Variable,
}

/// One top-level declaration.
#[derive(Clone, Debug)]
pub(crate) struct Item<'a> {
    pub(crate) kind: Kind,
    /// The declared name, or the directive of a header.
    pub(crate) name: &'a str,
    /// The text from the first word to the `;`, `}` or end of line.
    pub(crate) text: &'a str,
}

/// A piece of PTX text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A name (of a variable, function, parameter, register or label) or a directive such as `.entry`.
    Word(&'a str),
    /// Anything else except white space and most comments: a number, a string, or a punctuation mark; also a comment
    /// that begins with `//@`, which is for the program that loads the text.
    Other(&'a str),
}

impl<'a> Token<'a> {
    pub(crate) fn text(self) -> &'a str {
        match self {
            Self::Word(text) | Self::Other(text) => text,
        }
    }
}

/// The prefix of comments that are kept.
const MARK: &str = "//@";

/// Returns the tokens of `text` with their byte offsets. Comments without the mark are skipped.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = (usize, Token<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            let first = rest.chars().next()?;
            let line = || rest.find('\n').unwrap_or(rest.len());
            let comment = if rest.starts_with("//") && !rest.starts_with(MARK) {
                Some(line())
            } else if rest.starts_with("/*") {
                Some(rest.find("*/").map_or(rest.len(), |end| end + 2))
            } else {
                None
            };
            if let Some(length) = comment {
                at += length;
                continue;
            }
            if first.is_whitespace() {
                at += first.len_utf8();
                continue;
            }
            let in_word = |c: char| c.is_ascii_alphanumeric() || "_$.".contains(c);
            let run = |from: usize| rest[from..].find(|c| !in_word(c)).map_or(rest.len(), |end| from + end);
            let length = match first {
                '/' if rest.starts_with(MARK) => rest[..line()].trim_end().len(),
                '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
                '%' => run(1),
                c if in_word(c) => run(0),
                c => c.len_utf8(),
            };
            let start = at;
            at += length;
            let is_word = first.is_ascii_alphabetic() || "_$%.".contains(first);
            let piece = &text[start..at];
            return Some((start, if is_word { Token::Word(piece) } else { Token::Other(piece) }));
        }
    })
}

/// Returns the declarations of a module, in order.
pub(crate) fn items(text: &str) -> Result<Vec<Item<'_>>, Error> {
    let mut found = Vec::new();
    let mut tokens = tokens(text).peekable();
    while let Some(&(start, first)) = tokens.peek() {
        let wrong =
            |why: String| Error::Ptx { line: 1 + text[..start].bytes().filter(|&b| b == b'\n').count(), why };
        if [".version", ".target", ".address_size"].contains(&first.text()) {
            let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
            while tokens.next_if(|&(at, _)| at < end).is_some() {}
            let line = text[start..end].split("//").next().unwrap_or_default();
            found.push(Item { kind: Kind::Header, name: first.text(), text: line.trim_end() });
            continue;
        }
        let mut head = Vec::new();
        let (mut depth, mut initialised, mut body) = (0_usize, false, false);
        let end = loop {
            let Some((at, token)) = tokens.next() else {
                return Err(wrong("the declaration has no end".to_owned()));
            };
            let mark = token.text();
            match mark {
                "(" | "[" | "{" => {
                    body |= mark == "{" && depth == 0 && !initialised;
                    depth += 1;
                }
                ")" | "]" | "}" if depth == 0 => return Err(wrong(format!("`{mark}` closes nothing"))),
                ")" | "]" | "}" => depth -= 1,
                "=" => initialised = true,
                _ if depth == 0 && !initialised => head.push(token),
                _ => {}
            }
            if depth == 0 && (mark == ";" || (mark == "}" && body)) {
                break at + mark.len();
            }
        };
        let (kind, name) = declared(&head, body).map_err(wrong)?;
        found.push(Item { kind, name, text: &text[start..end] });
    }
    Ok(found)
}

/// Returns the kind and the name of a declaration, from the tokens before its body or value, without those in brackets.
fn declared<'a>(head: &[Token<'a>], body: bool) -> Result<(Kind, &'a str), String> {
    let has = |directive: &str| head.contains(&Token::Word(directive));
    let names: Vec<&str> = head
        .iter()
        .filter_map(|t| matches!(t, Token::Word(w) if !w.starts_with('.')).then_some(t.text()))
        .collect();
    let kind = match (has(".entry"), has(".func"), body) {
        (true, _, true) => Kind::Entry,
        (_, true, true) => Kind::Function,
        (_, true, false) => Kind::Prototype,
        _ if [".global", ".const", ".shared"].iter().any(|space| has(space)) => Kind::Variable,
        _ => {
            let text: Vec<&str> = head.iter().map(|token| token.text()).collect();
            return Err(format!("not a declaration this splitter knows: `{}`", text.join(" ")));
        }
    };
    match names[..] {
        [name] => Ok((kind, name)),
        [] => Err("a declaration without a name".to_owned()),
        _ => Err(format!("one declaration of several names: {}", names.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        items(text).unwrap().iter().map(|item| (item.kind, item.name)).collect()
    }

    #[test]
    fn every_kind_of_declaration_is_told_apart() {
        let text = "// a comment with .entry not_this(\n.version 7.0\n.target sm_75 // and one here\n.address_size 64\n\
            .shared .align 16 .b8 scratch[128];\n\
            .extern .shared .align 16 .b8 dynamic[];\n\
            .global .align 8 .u64 table[2] = {generic(other), 10};\n\
            .const .f32 pi = 0f40490FDB;\n\
            .func (.param .b32 func_retval0) deep(.param .b64 deep_param_0);\n\
            .func (.param .b32 func_retval0) deep(.param .b64 deep_param_0)\n{ { ret; } }\n\
            .visible .entry run(.param .u64 run_param_0)\n.maxntid 256, 1, 1\n{\n\tret; /* } */\n}\n";
        assert_eq!(
            kinds(text),
            [
                (Kind::Header, ".version"),
                (Kind::Header, ".target"),
                (Kind::Header, ".address_size"),
                (Kind::Variable, "scratch"),
                (Kind::Variable, "dynamic"),
                (Kind::Variable, "table"),
                (Kind::Variable, "pi"),
                (Kind::Prototype, "deep"),
                (Kind::Function, "deep"),
                (Kind::Entry, "run"),
            ]
        );
        assert_eq!(items(text).unwrap()[1].text, ".target sm_75");
    }

    #[test]
    fn broken_text_is_refused_with_its_line() {
        for (text, line, part) in [
            (".version 7.0\n.visible .entry run()\n{ ret;", 2, "no end"),
            (".version 7.0\n\n}", 3, "closes nothing"),
            ("what is this;", 1, "not a declaration"),
            (".global .u32 a, b;", 1, "several names"),
            (".global .u32;", 1, "without a name"),
        ] {
            match items(text) {
                Err(Error::Ptx { line: at, why }) => assert!(at == line && why.contains(part), "{at}: {why}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
