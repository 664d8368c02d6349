//! Rust source without what compilers skip: for checks that search for words in code, and for the hash of kernels.

use proc_macro2::{Delimiter, Group, LexError, TokenStream, TokenTree};

/// Returns the tokens of `source` as proc_macro2 prints them, without comments and documentation.
///
/// # Errors
/// [`LexError`] if `source` is not Rust.
pub(crate) fn tokens(source: &str) -> Result<String, LexError> {
    Ok(without_docs(source.parse()?).to_string())
}

/// Drops `#[doc ..]` and `#![doc ..]`; documentation comments are such attributes here.
fn without_docs(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if is_doc(&group) && follows_hash(&mut kept) => {}
            TokenTree::Group(group) => {
                kept.push(Group::new(group.delimiter(), without_docs(group.stream())).into())
            }
            other => kept.push(other),
        }
    }
    kept.into_iter().collect()
}

fn is_doc(group: &Group) -> bool {
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket && matches!(first, Some(TokenTree::Ident(name)) if name == "doc")
}

/// Removes the `#` or `#!` at the end, if there is one.
fn follows_hash(tokens: &mut Vec<TokenTree>) -> bool {
    let is = |token: Option<&TokenTree>, mark| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
    let hash = tokens.len().saturating_sub(if is(tokens.last(), '!') { 2 } else { 1 });
    let follows = is(tokens.get(hash), '#');
    if follows {
        tokens.truncate(hash);
    }
    follows
}

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
    fn tokens_are_without_comments_and_documentation() {
        let source = "#![doc = include_str!(\"a.md\")]\n//! b\n/// c\n#[inline] // d\nfn f() { /* e */ x[doc] + \"//g\" }";
        let bare = "#[inline]\nfn f() {\n\n x[doc] +  \"//g\" }";
        assert_eq!(tokens(source).unwrap(), tokens(bare).unwrap());
        assert_ne!(tokens(bare).unwrap(), tokens(&bare.replace("//g", "//h")).unwrap());
        assert_ne!(tokens(bare).unwrap(), tokens(&bare.replace("[doc]", "")).unwrap());
    }

    #[test]
    fn what_is_no_rust_is_refused() {
        assert!(code_only("fn f() { \"").is_err());
    }
}
