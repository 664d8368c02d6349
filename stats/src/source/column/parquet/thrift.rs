//! Thrift's compact protocol, as far as the schema of a Parquet file needs it.
//! (<https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>)

/// The deepest nesting of what is skipped.
const DEEPEST: u32 = 64;

/// Why bytes are not what they should be.
pub(super) type Malformed = &'static str;

/// The type of a field or of a list's elements.
pub(super) mod kind {
    pub(in super::super) const TRUE: u8 = 1;
    pub(in super::super) const FALSE: u8 = 2;
    pub(in super::super) const BYTE: u8 = 3;
    pub(in super::super) const I16: u8 = 4;
    pub(in super::super) const I32: u8 = 5;
    pub(in super::super) const I64: u8 = 6;
    pub(in super::super) const DOUBLE: u8 = 7;
    pub(in super::super) const BINARY: u8 = 8;
    pub(in super::super) const LIST: u8 = 9;
    pub(in super::super) const SET: u8 = 10;
    pub(in super::super) const MAP: u8 = 11;
    pub(in super::super) const STRUCT: u8 = 12;
    pub(in super::super) const UUID: u8 = 13;
}

/// The rest of some bytes.
pub(super) struct Rest<'a>(pub(super) &'a [u8]);

impl Rest<'_> {
    fn byte(&mut self) -> Result<u8, Malformed> {
        let (&byte, rest) = self.0.split_first().ok_or("it is cut off")?;
        self.0 = rest;
        Ok(byte)
    }

    fn skip_bytes(&mut self, bytes: u64) -> Result<(), Malformed> {
        let rest = usize::try_from(bytes).ok().and_then(|bytes| self.0.get(bytes..));
        self.0 = rest.ok_or("it is cut off")?;
        Ok(())
    }

    /// An unsigned number in base 128.
    fn unsigned(&mut self) -> Result<u64, Malformed> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("a number has more than 64 bits")
    }

    /// A signed number, in zigzag form: every other code is a negative number.
    pub(super) fn signed(&mut self) -> Result<i64, Malformed> {
        let number = self.unsigned()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The next field of a struct: its number and its type; `None` at the struct's end.
    pub(super) fn field(&mut self, before: i16) -> Result<Option<(i16, u8)>, Malformed> {
        let head = self.byte()?;
        let (step, kind) = (head >> 4, head & 0x0f);
        if kind == 0 {
            return Ok(None);
        }
        let number = match step {
            0 => i16::try_from(self.signed()?).ok(),
            step => before.checked_add(i16::from(step)),
        };
        Ok(Some((number.ok_or("a field's number has more than 16 bits")?, kind)))
    }

    /// The number of a list's elements, and their type.
    pub(super) fn list(&mut self) -> Result<(u64, u8), Malformed> {
        let head = self.byte()?;
        let len = match head >> 4 {
            15 => self.unsigned()?,
            len => u64::from(len),
        };
        if len > self.0.len() as u64 {
            return Err("a list has more elements than bytes are left");
        }
        Ok((len, head & 0x0f))
    }

    /// Skips a field of a type.
    pub(super) fn skip(&mut self, kind: u8) -> Result<(), Malformed> {
        self.skip_within(kind, true, DEEPEST)
    }

    fn skip_within(&mut self, kind: u8, is_field: bool, depth: u32) -> Result<(), Malformed> {
        let depth = depth.checked_sub(1).ok_or("it is nested more than 64 deep")?;
        match kind {
            // A field's type is its value. In a list it would take a byte, which not every reader knows.
            kind::TRUE | kind::FALSE if is_field => Ok(()),
            kind::TRUE | kind::FALSE => Err("it has a list of Booleans"),
            kind::BYTE => self.skip_bytes(1),
            kind::I16 | kind::I32 | kind::I64 => self.unsigned().map(drop),
            kind::DOUBLE => self.skip_bytes(8),
            kind::UUID => self.skip_bytes(16),
            kind::BINARY => {
                let bytes = self.unsigned()?;
                self.skip_bytes(bytes)
            }
            kind::LIST | kind::SET => {
                let (len, kind) = self.list()?;
                (0..len).try_for_each(|_| self.skip_within(kind, false, depth))
            }
            kind::MAP => {
                let len = self.unsigned()?;
                let kinds = if len > 0 { self.byte()? } else { 0 };
                (0..len).try_for_each(|_| {
                    self.skip_within(kinds >> 4, false, depth)?;
                    self.skip_within(kinds & 0x0f, false, depth)
                })
            }
            kind::STRUCT => {
                while let Some((_, kind)) = self.field(0)? {
                    self.skip_within(kind, true, depth)?;
                }
                Ok(())
            }
            _ => Err("a type is none of Thrift's"),
        }
    }
}
