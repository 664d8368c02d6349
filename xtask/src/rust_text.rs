//! Rust source with its comments and literals blanked, for gates that look for words in code.

/// `source` with every comment, string and character replaced by spaces; lines stay where they are.
pub(crate) fn code_only(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    let mut after_word = false;
    while let Some(first) = rest.chars().next() {
        let length = blank_length(rest, after_word);
        let (piece, tail) = rest.split_at(length.unwrap_or(first.len_utf8()));
        match length {
            Some(_) => code.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' })),
            None => code.push_str(piece),
        }
        after_word = length.is_none() && (first.is_alphanumeric() || first == '_');
        rest = tail;
    }
    code
}

/// How many bytes of comment or literal `rest` starts with.
fn blank_length(rest: &str, after_word: bool) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return Some(block_comment(rest));
    }
    if rest.starts_with('"') {
        return Some(quoted(rest, '"'));
    }
    // `'a'` and `'\n'` are characters, `'a` is a lifetime.
    if let Some(character) = rest.strip_prefix('\'') {
        let mut characters = character.chars();
        let is_literal = characters.next() == Some('\\') || characters.next() == Some('\'');
        return is_literal.then(|| quoted(rest, '\''));
    }
    // `r"..."` and `br#"..."#`; an `r` within a word starts nothing.
    let raw = ["r", "br", "cr"].iter().find_map(|prefix| rest.strip_prefix(prefix));
    if !after_word && let Some(raw) = raw {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let inside = rest.len() - raw.len() + hashes + 1;
            return Some(rest[inside..].find(&end).map_or(rest.len(), |at| inside + at + end.len()));
        }
    }
    None
}

/// The length of a block comment; they nest.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The length of a literal between `mark`s, where a backslash protects what follows.
fn quoted(rest: &str, mark: char) -> usize {
    let mut protected = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if protected => protected = false,
            '\\' => protected = true,
            c if c == mark => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blank_and_lines_stay() {
        let source = "a // unsafe\nb /* unsafe /* unsafe */ \n unsafe */ c \"unsafe \\\" unsafe\" d r#\"unsafe \" \"# e\n\
            'x' '\\'' 'u: &'static str = br#\"unsafe \" \"#; for\"unsafe\" f";
        let code = code_only(source);
        assert!(!code.contains("unsafe"), "{code}");
        assert_eq!(code.lines().count(), source.lines().count());
        let words: Vec<&str> = code.split_whitespace().collect();
        assert_eq!(words, ["a", "b", "c", "d", "e", "'u:", "&'static", "str", "=", ";", "for", "f"]);
    }
}
