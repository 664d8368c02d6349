//! The dict in the header of a .npy file: a Python literal with three keys.
//!
//! NumPy writes it with `repr` and reads it with `ast.literal_eval` (`numpy.lib.format`). A general parser of
//! Python literals would take most of this program's compile time; the header of an array of numbers has only
//! strings, whole numbers, booleans and brackets.

use super::Malformed;

/// The contents of a header.
pub(super) struct Header {
    /// The element type as written in Python: a quoted string, or the list of fields of a structured type.
    pub(super) descr: String,
    /// The text of the string, if it is one.
    pub(super) simple: Option<String>,
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<u64>,
}

/// A literal.
enum Literal {
    Text(String),
    Bool(bool),
    /// A whole number, as written.
    Integer(String),
    Tuple(Vec<Literal>),
    /// A list; its contents are not needed.
    List,
    /// Other Python literals: a float, `None`.
    Other,
}

impl Header {
    /// Reads the text of a header, in which brackets are not nested deeply.
    pub(super) fn read(text: &[u8]) -> Result<Self, Malformed> {
        let text = String::from_utf8_lossy(text);
        let damaged = |what: String| Malformed::Header(format!("{what}, in the header {text}"));
        let [descr, fortran_order, shape] = Rest { text: &text }.dict().map_err(damaged)?;
        let missing = |key: &str| damaged(format!("there is no '{key}'"));
        let (descr, kind) = descr.ok_or_else(|| missing("descr"))?;
        let simple = match kind {
            Literal::Text(text) => Some(text),
            Literal::List => None,
            _ => return Err(damaged(format!("'descr' is {descr}, which names no type"))),
        };
        let fortran_order = match fortran_order.ok_or_else(|| missing("fortran_order"))? {
            (_, Literal::Bool(is)) => is,
            (text, _) => return Err(damaged(format!("'fortran_order' is {text}, neither True nor False"))),
        };
        let (tuple, shape) = shape.ok_or_else(|| missing("shape"))?;
        let Literal::Tuple(lengths) = shape else {
            return Err(damaged(format!("'shape' is {tuple}, which is no tuple")));
        };
        let length = |length: Literal| match length {
            Literal::Integer(digits) => digits.parse().map_err(|_| match digits.starts_with('-') {
                true => format!("a length of 'shape' is negative: {digits}"),
                false => format!("a length of 'shape' is beyond 2^64: {digits}"),
            }),
            _ => Err(format!("'shape' is {tuple}, whose lengths are not all integers")),
        };
        let shape = lengths.into_iter().map(length).collect::<Result<_, _>>().map_err(damaged)?;
        Ok(Self { descr, simple, fortran_order, shape })
    }
}

/// The remaining text.
struct Rest<'a> {
    text: &'a str,
}

/// A literal with its text.
type Read = (String, Literal);

impl Rest<'_> {
    /// The values of `descr`, `fortran_order` and `shape`.
    fn dict(&mut self) -> Result<[Option<Read>; 3], String> {
        let mut found = [const { None }; 3];
        self.expect('{')?;
        while !self.is_next('}') {
            let Literal::Text(key) = self.literal()? else { return Err("a key is no string".into()) };
            let known = ["descr", "fortran_order", "shape"].iter().position(|&known| known == key);
            let place = known.ok_or_else(|| format!("no key is called '{key}'"))?;
            self.expect(':')?;
            let before = self.text.trim_start();
            let literal = self.literal()?;
            found[place] = Some((before[..before.len() - self.text.len()].into(), literal));
            if !self.is_next(',') {
                self.expect('}')?;
                break;
            }
        }
        match self.text.trim_matches(['\0', ' ', '\t', '\r', '\n']) {
            "" => Ok(found),
            more => Err(format!("something follows the dict: {}", more.chars().take(20).collect::<String>())),
        }
    }

    fn literal(&mut self) -> Result<Literal, String> {
        self.text = self.text.trim_start();
        // Python 2 marked its strings of Unicode.
        if let Some(text @ ('\'' | '"')) =
            self.text.strip_prefix(['u', 'U']).and_then(|rest| rest.chars().next())
        {
            self.text = &self.text[1..];
            return self.string(text);
        }
        match self.text.chars().next() {
            Some(quote @ ('\'' | '"')) => self.string(quote),
            Some('(') => match self.sequence(')')? {
                // One element in parentheses is not a tuple.
                (mut one, false) if one.len() == 1 => Ok(one.remove(0)),
                (elements, _) => Ok(Literal::Tuple(elements)),
            },
            Some('[') => self.sequence(']').map(|_| Literal::List),
            _ => self.word(),
        }
    }

    /// Reads a string, in which a backslash escapes the next character.
    fn string(&mut self, quote: char) -> Result<Literal, String> {
        let mut escaped = false;
        for (at, c) in self.text.char_indices().skip(1) {
            if c == quote && !escaped {
                let text = self.text[1..at].into();
                self.text = &self.text[at + 1..];
                return Ok(Literal::Text(text));
            }
            escaped = c == '\\' && !escaped;
        }
        Err("it ends within a string".into())
    }

    /// Reads the items in brackets, and whether a comma follows the last.
    fn sequence(&mut self, end: char) -> Result<(Vec<Literal>, bool), String> {
        self.text = &self.text[1..];
        let mut elements = Vec::new();
        while !self.is_next(end) {
            elements.push(self.literal()?);
            if !self.is_next(',') {
                return self.expect(end).map(|()| (elements, false));
            }
        }
        Ok((elements, true))
    }

    /// Reads a number or a name.
    fn word(&mut self) -> Result<Literal, String> {
        let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '+' | '-'));
        let (word, rest) = self.text.split_at(self.text.find(ends).unwrap_or(self.text.len()));
        self.text = rest;
        // Python 2 wrote `3L`.
        let number = word.strip_suffix('L').unwrap_or(word);
        let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
        Ok(match word {
            "" => {
                return Err(match rest.chars().next() {
                    Some(c) => format!("`{c}` stands where a value should"),
                    None => "it ends within the dict".into(),
                });
            }
            "True" => Literal::Bool(true),
            "False" => Literal::Bool(false),
            _ if !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                Literal::Integer(number.into())
            }
            _ => Literal::Other,
        })
    }

    /// Skips a character if it is next, apart from blanks.
    fn is_next(&mut self, c: char) -> bool {
        let Some(rest) = self.text.trim_start().strip_prefix(c) else { return false };
        self.text = rest;
        true
    }

    fn expect(&mut self, c: char) -> Result<(), String> {
        if self.is_next(c) { Ok(()) } else { Err(format!("there is no `{c}` where one should be")) }
    }
}
