//! What a ptxas made of the modules, kept in the repository: what has not changed since need not be assembled again.
//!
//! There is one file per version of ptxas, `xtask/assembled/<version>.csv`, with a line for each module. A module is known by
//! its texts: a line says nothing of another module of the same name.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::ptx::sha256;
use crate::ptxas_report::Used;
use crate::workspace;

/// Digits of a hash that are kept.
const DIGITS: usize = 16;

/// One in so many known modules is assembled all the same.
const SAMPLE: u64 = 16;

/// What stands before the generation in the name of a column.
const COLUMN: &str = "sm_";

/// What is known of the modules' machine code.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    modules: BTreeMap<String, Known>,
}

/// What is known of one module.
#[derive(Debug, Default, PartialEq, Eq)]
struct Known {
    /// [`hash`] of its texts.
    hash: String,
    /// The [reader] that looked through its machine code for all these generations; empty if nothing needed to.
    reader: String,
    /// What it uses, by generation.
    used: BTreeMap<u32, Used>,
}

/// A hash of the texts that a module is assembled from: the one that is kept, and what it is made to for newer generations.
pub(crate) fn hash(kept: &str, newer: Option<&str>) -> String {
    short(&[kept, newer.unwrap_or_default()].join("\0"))
}

/// The disassembler's version and a hash of how its output is read.
pub(crate) fn reader(nvdisasm: &str) -> String {
    format!("{nvdisasm}:{}", short(include_str!("sass.rs")))
}

/// Whether a module that is known has its turn to be assembled all the same. `turn` is any text; over many of them, every
/// module has it one time in 16.
pub(crate) fn has_turn(hash: &str, turn: &str) -> bool {
    let digits = short(&[turn, hash].join("\0"));
    u64::from_str_radix(&digits, 16).is_ok_and(|number| number.is_multiple_of(SAMPLE))
}

fn short(text: &str) -> String {
    sha256(text).chars().take(DIGITS).collect()
}

/// The file of the record for a version of ptxas.
pub(crate) fn file(ptxas: &str) -> PathBuf {
    folder().join(format!("{ptxas}.csv"))
}

fn folder() -> PathBuf {
    workspace::root().join("xtask/assembled")
}

/// Takes the modules that are no more out of the records of all versions.
pub(crate) fn forget_gone() -> Result<(), Box<dyn Error>> {
    let Ok(files) = fs::read_dir(folder()) else { return Ok(()) };
    let mut modules = BTreeMap::new();
    for file in workspace::ptx_files()? {
        let (entry, text) = (workspace::entry(&file), fs::read_to_string(&file)?);
        modules.insert(entry, hash(&text, cuda_std::ptx::for_sm_90(&text).as_deref()));
    }
    for file in files {
        let file = file?.path();
        let mut record = Record::read(&file)?;
        if !record.gone(&modules).is_empty() {
            record.forget_gone(&modules);
            record.write(&file)?;
        }
    }
    Ok(())
}

impl Record {
    /// What a file says; nothing if there is none.
    pub(crate) fn read(file: &Path) -> Result<Self, Box<dyn Error>> {
        if !file.is_file() {
            return Ok(Self::default());
        }
        Self::parse(&fs::read_to_string(file)?).map_err(|why| format!("{}: {why}", file.display()).into())
    }

    /// Writes the file.
    pub(crate) fn write(&self, file: &Path) -> Result<(), Box<dyn Error>> {
        fs::create_dir_all(folder())?;
        Ok(fs::write(file, self.print())?)
    }

    /// What a module uses on one generation, if that is known: by `reader`, if its machine code has to be read.
    pub(crate) fn used(&self, entry: &str, hash: &str, arch: u32, reader: Option<&str>) -> Option<Used> {
        let known = self.modules.get(entry).filter(|known| known.hash == hash)?;
        if reader.is_some_and(|reader| reader != known.reader) {
            return None;
        }
        known.used.get(&arch).copied()
    }

    /// Notes what a module uses. What was known of other texts, or by another reader, is forgotten.
    pub(crate) fn note(&mut self, entry: &str, hash: &str, arch: u32, reader: Option<&str>, used: Used) {
        let known = self.modules.entry(entry.to_owned()).or_default();
        let reader = reader.unwrap_or_default();
        if known.hash != hash || known.reader != reader {
            *known = Known { hash: hash.to_owned(), reader: reader.to_owned(), used: BTreeMap::new() };
        }
        known.used.insert(arch, used);
    }

    /// The modules in it that are not among these, which are [hashes](hash) by entry.
    pub(crate) fn gone(&self, modules: &BTreeMap<String, String>) -> Vec<&str> {
        let is_gone = |(entry, known): &(&String, &Known)| modules.get(*entry) != Some(&known.hash);
        self.modules.iter().filter(is_gone).map(|(entry, _)| entry.as_str()).collect()
    }

    /// Takes those out.
    pub(crate) fn forget_gone(&mut self, modules: &BTreeMap<String, String>) {
        self.modules.retain(|entry, known| modules.get(entry) == Some(&known.hash));
    }

    /// Its text: a line for each module in the order of their names, a column for each generation.
    fn print(&self) -> String {
        let mut archs: Vec<u32> =
            self.modules.values().flat_map(|known| known.used.keys().copied()).collect();
        archs.sort_unstable();
        archs.dedup();
        let mut lines = vec![
            "module,texts,machine code read by".to_owned()
                + &archs.iter().map(|arch| format!(",{COLUMN}{arch}")).collect::<String>(),
        ];
        for (entry, Known { hash, reader, used }) in &self.modules {
            let cells = archs.iter().map(|arch| used.get(arch).map(print_used).unwrap_or_default());
            lines.push(
                [entry.clone(), hash.clone(), reader.clone()]
                    .into_iter()
                    .chain(cells)
                    .collect::<Vec<_>>()
                    .join(","),
            );
        }
        lines.join("\n") + "\n"
    }

    /// What its text says.
    fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let archs = lines.next().unwrap_or_default().split(',').skip(3).map(|column| {
            let arch = column.strip_prefix(COLUMN).and_then(|arch| arch.parse().ok());
            arch.ok_or_else(|| format!("the column {column:?} is of no generation"))
        });
        let archs: Vec<u32> = archs.collect::<Result<_, _>>()?;
        let mut modules = BTreeMap::new();
        for line in lines {
            let wrong = || format!("cannot read the line {line:?}");
            let mut cells = line.split(',');
            let mut next = || cells.next().map(str::to_owned).ok_or_else(wrong);
            let (entry, hash, reader) = (next()?, next()?, next()?);
            let cells: Vec<&str> = cells.collect();
            if cells.len() != archs.len() {
                return Err(wrong());
            }
            let mut used = BTreeMap::new();
            for (arch, cell) in archs.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
                used.insert(*arch, parse_used(cell).ok_or_else(wrong)?);
            }
            if modules.insert(entry, Known { hash, reader, used }).is_some() {
                return Err(format!("there is another line before {line:?}"));
            }
        }
        Ok(Self { modules })
    }
}

/// Registers, bytes shared, of stack, of spill stores and loads, without the zeros at the end.
fn print_used(used: &Used) -> String {
    let numbers = [used.registers, used.shared, used.stack, used.spill_stores, used.spill_loads];
    let printed = numbers.iter().rposition(|&number| number > 0).map_or(1, |last| last + 1);
    numbers[..printed].iter().map(u32::to_string).collect::<Vec<_>>().join("/")
}

fn parse_used(cell: &str) -> Option<Used> {
    let numbers: Vec<u32> = cell.split('/').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let number = |at: usize| numbers.get(at).copied().unwrap_or(0);
    let [registers, shared, stack, spill_stores, spill_loads] = [0, 1, 2, 3, 4].map(number);
    (numbers.len() <= 5).then_some(Used { registers, shared, stack, spill_stores, spill_loads })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Used = Used { registers: 32, shared: 0, stack: 0, spill_stores: 0, spill_loads: 0 };
    const MUCH: Used = Used { registers: 255, shared: 2048, stack: 16, spill_stores: 0, spill_loads: 4 };

    fn record() -> Record {
        let mut record = Record::default();
        record.note("sum", "aaaa", 75, None, PLAIN);
        record.note("sum", "aaaa", 90, None, MUCH);
        record.note("dot", "bbbb", 120, Some("13.5:cccc"), PLAIN);
        record
    }

    #[test]
    fn what_is_written_is_read() {
        let text = record().print();
        assert_eq!(
            text,
            "module,texts,machine code read by,sm_75,sm_90,sm_120\n\
             dot,bbbb,13.5:cccc,,,32\n\
             sum,aaaa,,32,255/2048/16/0/4,\n"
        );
        assert_eq!(Record::parse(&text), Ok(record()));
    }

    #[test]
    fn a_line_that_cannot_be_read_is_an_error() {
        for (good, bad) in
            [("sm_90", "90"), (",32\n", ",32,1\n"), ("255/", "x/"), ("/4", "/4/5"), ("dot,", "sum,")]
        {
            let text = record().print();
            assert!(text.contains(good), "{good}");
            assert!(Record::parse(&text.replacen(good, bad, 1)).is_err(), "{bad}");
        }
    }

    #[test]
    fn other_texts_generations_and_readers_are_not_known() {
        let record = record();
        assert_eq!(record.used("sum", "aaaa", 90, None), Some(MUCH));
        assert_eq!(record.used("sum", "bbbb", 90, None), None);
        assert_eq!(record.used("sum", "aaaa", 80, None), None);
        assert_eq!(record.used("sum", "aaaa", 90, Some("13.5:cccc")), None);
        assert_eq!(record.used("max", "aaaa", 90, None), None);
        assert_eq!(record.used("dot", "bbbb", 120, Some("13.5:cccc")), Some(PLAIN));
        assert_eq!(record.used("dot", "bbbb", 120, Some("13.6:cccc")), None);
    }

    #[test]
    fn what_was_known_of_other_texts_is_forgotten() {
        let mut record = record();
        record.note("sum", "cccc", 75, None, MUCH);
        assert_eq!(record.used("sum", "cccc", 75, None), Some(MUCH));
        assert_eq!(record.used("sum", "aaaa", 90, None), None);
        assert_eq!(record.used("sum", "cccc", 90, None), None);
    }

    #[test]
    fn modules_that_are_gone_are_told_and_new_ones_are_not() {
        let modules = |list: &[(&str, &str)]| -> BTreeMap<String, String> {
            list.iter().map(|&(entry, hash)| (entry.to_owned(), hash.to_owned())).collect()
        };
        let mut record = record();
        assert_eq!(record.gone(&modules(&[("sum", "aaaa"), ("dot", "bbbb"), ("max", "dddd")])), [""; 0]);
        let now = modules(&[("sum", "eeee"), ("dot", "bbbb")]);
        assert_eq!(record.gone(&now), ["sum"]);
        record.forget_gone(&now);
        assert_eq!(record.gone(&now), [""; 0]);
        assert_eq!(record.used("dot", "bbbb", 120, None), Some(PLAIN));
    }

    #[test]
    fn either_text_changes_the_hash() {
        assert_eq!(hash("a", Some("b")), hash("a", Some("b")));
        for other in [hash("a", None), hash("b", Some("b")), hash("a", Some("c"))] {
            assert_ne!(other, hash("a", Some("b")));
        }
        assert_eq!(hash("a", None).len(), DIGITS);
    }

    #[test]
    fn one_in_16_has_its_turn_and_every_one_in_time() {
        let hashes: Vec<String> = (0..1600).map(|i| hash(&i.to_string(), None)).collect();
        let turns = |turn: &str| hashes.iter().filter(|hash| has_turn(hash, turn)).count();
        assert!((60..=140).contains(&turns("a")), "{}", turns("a"));
        assert!(hashes.iter().all(|hash| (0..400).any(|turn| has_turn(hash, &turn.to_string()))));
    }
}
