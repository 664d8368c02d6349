//! Schemas of Parquet footers: the check accepts exactly those that are trees of at most 64 levels, and of any bytes what it accepts
//! is what the reader builds in little memory.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[path = "../../stats/src/source/column/parquet/schema.rs"]
mod schema;
#[path = "../../stats/src/source/column/parquet/thrift.rs"]
mod thrift;

#[derive(Arbitrary, Debug)]
enum Input {
    /// The numbers of children, of runs of elements.
    Tree(Vec<(Run, Children)>),
    Bytes(Vec<u8>),
}

/// How many elements are alike: some are about as many as there may be levels.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Run {
    One,
    Few(u8),
    Deep(u8),
}

impl Run {
    fn len(self) -> usize {
        match self {
            Self::One => 1,
            Self::Few(few) => usize::from(few),
            Self::Deep(more) => 60 + usize::from(more % 8),
        }
    }
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Children {
    None,
    One,
    Few(u8),
    Any(i32),
    /// The field is left out or has another number before it, as other writers may have it.
    Absent,
    AfterId(i16),
}

impl Children {
    fn count(self) -> i64 {
        match self {
            Self::None | Self::Absent => 0,
            Self::One => 1,
            Self::Few(few) => i64::from(few % 4),
            Self::Any(any) => i64::from(any),
            Self::AfterId(id) => i64::from(id % 3),
        }
    }

    /// An element: its name and its children, as Thrift's compact protocol writes them.
    fn write(self, bytes: &mut Vec<u8>) {
        // The physical type and the repetition; the name.
        bytes.extend([0x15, 0x02, 0x25, 0x02, 0x18, 1, b'x']);
        match self {
            Self::Absent => {}
            Self::AfterId(_) => {
                // Field 9 first, and field 5 by its full number.
                bytes.extend([0x55, 0x02, 0x05, 5 << 1]);
                signed(self.count(), bytes);
            }
            _ => {
                bytes.push(0x15);
                signed(self.count(), bytes);
            }
        }
        bytes.push(0);
    }
}

fn signed(number: i64, bytes: &mut Vec<u8>) {
    unsigned(((number << 1) ^ (number >> 63)) as u64, bytes);
}

fn unsigned(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// What a schema is, by recursion, as the reader builds it.
#[derive(PartialEq)]
enum Schema {
    /// A tree of at most 64 levels.
    Tree,
    /// Elements are missing at its end, or too many, which the reader finds out in little memory.
    Wrong,
    /// An element claims more children than there are elements after it, or is below the 64th level.
    Bottomless,
}

fn schema_of(counts: &[i64]) -> Schema {
    /// Reads the element on a level with all below it, and returns the elements after it.
    fn below<'a>(counts: &'a [i64], level: usize, is_cut_off: &mut bool) -> Option<&'a [i64]> {
        let Some((&count, mut rest)) = counts.split_first() else {
            *is_cut_off = true;
            return Some(counts);
        };
        if level > 64 || count < 0 || count > rest.len() as i64 {
            return None;
        }
        for _ in 0..count {
            rest = below(rest, level + 1, is_cut_off)?;
        }
        Some(rest)
    }
    let mut is_cut_off = false;
    match below(counts, 1, &mut is_cut_off) {
        None => Schema::Bottomless,
        Some([]) if !is_cut_off => Schema::Tree,
        Some(_) => Schema::Wrong,
    }
}

fuzz_target!(|input: Input| {
    match input {
        Input::Tree(runs) => {
            let elements = runs.iter().flat_map(|&(run, element)| std::iter::repeat_n(element, run.len()));
            let elements: Vec<Children> = elements.take(2000).collect();
            let mut footer = vec![0x15, 0x02, 0x19, 0xfc];
            unsigned(elements.len() as u64, &mut footer);
            elements.iter().for_each(|element| element.write(&mut footer));
            footer.push(0);
            let counts: Vec<i64> = elements.iter().map(|element| element.count()).collect();
            match (schema_of(&counts), schema::check(&footer)) {
                (Schema::Tree, Err(why)) => panic!("a tree is refused: {why}: {counts:?}"),
                (Schema::Bottomless, Ok(())) => {
                    panic!("the reader would take any memory or stack: {counts:?}")
                }
                (_, Ok(())) => is_built(&footer),
                (_, Err(_)) => {}
            }
        }
        Input::Bytes(footer) => {
            if schema::check(&footer).is_ok() {
                is_built(&footer);
            }
        }
    }
});

/// Has the reader build the schema. The fuzzer watches the stack and memory.
#[cfg(feature = "arrow")]
fn is_built(footer: &[u8]) {
    let _ = parquet::file::metadata::ParquetMetaDataReader::decode_schema(footer);
}

#[cfg(not(feature = "arrow"))]
fn is_built(_footer: &[u8]) {}
