//! Rust source with comments and literals blanked, for checks that search for words in code.

use proc_macro2::{LexError, TokenStream, TokenTree};

/// Returns `source` with spaces for every comment, string and character. Line numbers do not change.
///
/// # Errors
/// [`LexError`] if `source` is not Rust.
pub(crate) fn code_only(source: &str) -> Result<String, LexError> {
    let mut code: Vec<u8> = source.bytes().map(|byte| if byte == b'\n' { byte } else { b' ' }).collect();
    keep(source.parse()?, source, &mut code);
    Ok(String::from_utf8_lossy(&code).into_owned())
}

/// Copies tokens except literals to their positions.
fn keep(tokens: TokenStream, source: &str, code: &mut [u8]) {
    for token in tokens {
        match &token {
            TokenTree::Ident(_) | TokenTree::Punct(_) => {
                let (place, text) = (token.span().byte_range(), token.to_string());
                // The tokens of a documentation comment have its position, but are not the text there.
                if source.get(place.clone()) == Some(&text) {
                    code[place].copy_from_slice(text.as_bytes());
                }
            }
            TokenTree::Literal(_) => {}
            // The callers search for words, so brackets may be dropped.
            TokenTree::Group(group) => keep(group.stream(), source, code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blank_and_lines_stay() {
        let source = "/// unsafe\na // unsafe\nb /* unsafe /* unsafe */ \n unsafe */ c \"unsafe \\\" unsafe\" d r#\"unsafe \" \"# e\n\
            'x' '\\'' 'u: &'static str = br#\"unsafe \" \"#; for \"unsafe\" (f)";
        let code = code_only(source).unwrap();
        assert!(!code.contains("unsafe"), "{code}");
        assert_eq!(code.lines().count(), source.lines().count());
        let words: Vec<&str> = code.split_whitespace().collect();
        assert_eq!(words, ["a", "b", "c", "d", "e", "'u:", "&'static", "str", "=", ";", "for", "f"]);
    }

    #[test]
    fn what_is_no_rust_is_refused() {
        assert!(code_only("fn f() { \"").is_err());
    }
}
