//! Text from files and names of files, as a terminal may show it.

/// Whether a terminal could obey the character or show the rest of the line in another order: a control character, a directional
/// mark, or a separator of lines.
pub(crate) fn is_unprintable(c: char) -> bool {
    // ESC and its kin; the Arabic letter mark; the marks left-to-right and right-to-left; separators of lines and paragraphs,
    // embeddings and overrides; isolates (Unicode Standard Annex 9, 2).
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A text of one line. What is [unprintable](is_unprintable), line feeds too, becomes `?`.
pub(crate) fn line(text: &str) -> String {
    text.replace(is_unprintable, "?")
}

/// A text of several lines, which [`line()`] has cleaned of others' line feeds.
pub(crate) fn lines(text: &str) -> String {
    text.replace(|c| c != '\n' && is_unprintable(c), "?")
}

/// JSON, in whose strings the same characters are escaped. Outside strings JSON has none but line feeds.
pub(crate) fn escaped(json: String) -> String {
    let is_escaped = |c: char| c != '\n' && is_unprintable(c);
    if !json.contains(is_escaped) {
        return json;
    }
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // All of them are below U+10000, one unit of UTF-16.
            c if is_escaped(c) => text += &format!("\\u{:04x}", u32::from(c)),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_replaced() {
        let hostile = "a\u{1b}]0;X\u{7}b\u{9b}31m\u{7f}\u{202e}cba\u{2066}\u{200f}\u{61c}\u{2028}\nend";
        assert_eq!(line(hostile), "a?]0;X?b?31m??cba?????end");
        assert_eq!(lines(hostile), "a?]0;X?b?31m??cba????\nend");
        // Letters of any script, and the joiners that some of them need, stay.
        for text in ["grün", "مرحبا", "नमस्ते", "👩\u{200d}🔬", "\u{feff}a"] {
            assert_eq!(line(text), text);
        }
    }

    #[test]
    fn escaped_json_reads_back() {
        let text = "a\u{9b}31m\u{7f}\u{202e}\n\u{1b}";
        let json = escaped(serde_json::json!({ "x": text }).to_string());
        assert!(!json.contains(is_unprintable), "{json:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&json).expect("JSON")["x"], text);
    }
}
