//! The manifest beside a pack: a line for each entry, for reviewers and for CI, which compares the pack with it.
//!
//! A kernel's line has a hash of its text (and of its text for newer generations), its bytes, and the resources that
//! each ptxas reports for each generation. An entry with the code of another has only that kernel's name.

use std::collections::{BTreeMap, BTreeSet};

use cuda_builder::PtxOutput;

use crate::digest;
use crate::ptxas_report::Used;

/// The first line.
const TITLE: &str = "# Made by `cargo xtask ptx` and `cargo xtask assemble --record`. Under each ptxas and generation: registers/bytes \
    shared/of stack/of spill stores/of spill loads";

/// The generation whose registers packs note.
const NOTED: u32 = 90;

/// The columns before the columns of a ptxas and a generation.
const COLUMNS: &str = "entry,kernel,texts,bytes";

/// The sources and the contents of a pack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// The output of `rustc --version` of the compiler.
    pub(crate) compiler: String,
    /// [`crate::sources::hash`].
    pub(crate) sources: String,
    /// By ptxas version, the [`reader`] that searched the machine code for fused operations.
    pub(crate) readers: BTreeMap<String, String>,
    /// Lines by entry name.
    pub(crate) entries: BTreeMap<String, Line>,
}

/// The line of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// An entry with its own code.
    Kernel(Kernel),
    /// An entry with the code of this kernel.
    Alias(String),
}

/// The record of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kernel {
    /// [`digest::of_module`].
    pub(crate) texts: String,
    /// Bytes of the text.
    pub(crate) bytes: usize,
    /// The resources, by ptxas and generation.
    pub(crate) used: BTreeMap<(String, u32), Used>,
}

impl Kernel {
    /// Creates the record of a text, without resources.
    pub(crate) fn of(text: &str) -> Self {
        let texts = digest::of_module(text, cuda_std::ptx::for_sm_90(text).as_deref());
        Self { texts, bytes: text.len(), used: BTreeMap::new() }
    }
}

/// Returns the disassembler's version with a hash of the code that reads its output.
pub(crate) fn reader(nvdisasm: &str) -> String {
    format!("{nvdisasm}:{}", digest::short(include_str!("sass.rs")))
}

impl Manifest {
    /// Creates the manifest of a build. Kernels with unchanged text keep their recorded resources.
    pub(crate) fn of(output: &PtxOutput, sources: String, before: Option<&Self>) -> Self {
        let entry = |entry: &str| {
            let line = match (output.kernel(entry), output.module(entry)) {
                (Some(kernel), _) if kernel != entry => Line::Alias(kernel.to_owned()),
                (_, text) => {
                    let fresh = Kernel::of(text.unwrap_or_default());
                    let known = before.and_then(|before| before.kernel(entry));
                    Line::Kernel(known.filter(|known| known.texts == fresh.texts).cloned().unwrap_or(fresh))
                }
            };
            (entry.to_owned(), line)
        };
        Self {
            compiler: output.compiler().to_owned(),
            sources,
            readers: before.map(|before| before.readers.clone()).unwrap_or_default(),
            entries: output.entries().map(entry).collect(),
        }
    }

    /// Returns the record of a kernel.
    pub(crate) fn kernel(&self, name: &str) -> Option<&Kernel> {
        match self.entries.get(name)? {
            Line::Kernel(kernel) => Some(kernel),
            Line::Alias(_) => None,
        }
    }

    /// Returns the kernels, in order.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = (&String, &Kernel)> {
        self.entries.keys().filter_map(|name| Some((name, self.kernel(name)?)))
    }

    /// Returns the recorded resources of a kernel under a ptxas. If `reader` is given, they count only if it read the
    /// code.
    pub(crate) fn used(&self, kernel: &str, ptxas: &str, arch: u32, reader: Option<&str>) -> Option<Used> {
        let is_read =
            reader.is_none_or(|reader| self.readers.get(ptxas).is_some_and(|known| known == reader));
        self.kernel(kernel)?.used.get(&(ptxas.to_owned(), arch)).filter(|_| is_read).copied()
    }

    /// Returns the registers per thread that packs note of a kernel: for sm_90, by the newest ptxas that was recorded. 0 if
    /// there are none.
    pub(crate) fn registers(&self, kernel: &str) -> u16 {
        let used = self.kernel(kernel).into_iter().flat_map(|kernel| &kernel.used);
        let newest =
            used.filter(|((_, arch), _)| *arch == NOTED).max_by_key(|((ptxas, _), _)| version(ptxas));
        newest.map_or(0, |(_, used)| used.registers as u16)
    }

    /// Records the resources of a kernel.
    pub(crate) fn note(&mut self, kernel: &str, ptxas: &str, arch: u32, used: Used) {
        if let Some(Line::Kernel(kernel)) = self.entries.get_mut(kernel) {
            kernel.used.insert((ptxas.to_owned(), arch), used);
        }
    }

    /// Removes the recorded resources of a kernel under a ptxas.
    pub(crate) fn forget(&mut self, kernel: &str, ptxas: &str) {
        if let Some(Line::Kernel(kernel)) = self.entries.get_mut(kernel) {
            kernel.used.retain(|(known, _), _| known != ptxas);
        }
    }

    /// Returns the manifest as text.
    pub(crate) fn print(&self) -> String {
        let columns: BTreeSet<&(String, u32)> =
            self.kernels().flat_map(|(_, kernel)| kernel.used.keys()).collect();
        let mut lines = vec![TITLE.to_owned()];
        lines.push(format!("# compiler: {}", self.compiler));
        lines.push(format!("# sources: {}", self.sources));
        for (ptxas, reader) in &self.readers {
            lines.push(format!("# ptxas {ptxas}, machine code read by {reader}"));
        }
        let names = columns.iter().map(|(ptxas, arch)| format!(",{ptxas}:sm_{arch}"));
        lines.push(COLUMNS.to_owned() + &names.collect::<String>());
        for (entry, line) in &self.entries {
            lines.push(match line {
                Line::Alias(kernel) => format!("{entry},{kernel}"),
                Line::Kernel(Kernel { texts, bytes, used }) => {
                    let cells =
                        columns.iter().map(|column| used.get(column).map(print_used).unwrap_or_default());
                    let cells = cells.fold(String::new(), |cells, cell| cells + "," + &cell);
                    format!("{entry},{entry},{texts},{bytes}{cells}")
                }
            });
        }
        lines.join("\n") + "\n"
    }

    /// Parses a manifest.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut manifest = Self::default();
        let mut lines = text.lines();
        let columns = loop {
            let line = lines.next().ok_or("there are no columns")?;
            if let Some(compiler) = line.strip_prefix("# compiler: ") {
                manifest.compiler = compiler.to_owned();
            } else if let Some(sources) = line.strip_prefix("# sources: ") {
                manifest.sources = sources.to_owned();
            } else if let Some((ptxas, reader)) =
                line.strip_prefix("# ptxas ").and_then(|rest| rest.split_once(", machine code read by "))
            {
                manifest.readers.insert(ptxas.to_owned(), reader.to_owned());
            } else if let Some(columns) = line.strip_prefix(COLUMNS) {
                break columns;
            }
        };
        let column = |column: &str| {
            let (ptxas, arch) = column.split_once(":sm_")?;
            Some((ptxas.to_owned(), arch.parse().ok()?))
        };
        let columns: Option<Vec<(String, u32)>> = columns.split(',').skip(1).map(column).collect();
        let columns = columns.ok_or("a column is of no generation")?;
        for line in lines {
            let (entry, parsed) =
                parse_line(line, &columns).ok_or_else(|| format!("cannot read the line {line:?}"))?;
            if manifest.entries.insert(entry, parsed).is_some() {
                return Err(format!("there is another line before {line:?}"));
            }
        }
        Ok(manifest)
    }
}

/// Returns the numbers of a version.
fn version(text: &str) -> Vec<u32> {
    text.split('.').filter_map(|number| number.parse().ok()).collect()
}

fn parse_line(line: &str, columns: &[(String, u32)]) -> Option<(String, Line)> {
    let mut cells = line.split(',');
    let (entry, kernel) = (cells.next()?, cells.next()?);
    if entry != kernel {
        return cells.next().is_none().then(|| (entry.to_owned(), Line::Alias(kernel.to_owned())));
    }
    let (texts, bytes) = (cells.next()?.to_owned(), cells.next()?.parse().ok()?);
    let cells: Vec<&str> = cells.collect();
    if cells.len() != columns.len() {
        return None;
    }
    let known = columns.iter().zip(cells).filter(|(_, cell)| !cell.is_empty());
    let used: Option<_> = known.map(|(column, cell)| Some((column.clone(), parse_used(cell)?))).collect();
    Some((entry.to_owned(), Line::Kernel(Kernel { texts, bytes, used: used? })))
}

/// Formats registers and bytes of shared memory, stack, spill stores and spill loads, without trailing zeros.
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

    fn manifest() -> Manifest {
        let kernel =
            |texts: &str| Line::Kernel(Kernel { texts: texts.into(), bytes: 7, used: BTreeMap::new() });
        let mut manifest = Manifest {
            compiler: "rustc 1".into(),
            sources: "ffff".into(),
            readers: [("12.9".to_owned(), "13.5:cccc".to_owned())].into(),
            entries: [
                ("sum".to_owned(), kernel("aaaa")),
                ("dot".to_owned(), kernel("bbbb")),
                ("total".to_owned(), Line::Alias("sum".into())),
            ]
            .into(),
        };
        manifest.note("sum", "12.9", 75, PLAIN);
        manifest.note("sum", "13.0", 90, MUCH);
        manifest.note("dot", "12.9", 75, PLAIN);
        manifest
    }

    #[test]
    fn packs_note_the_newest_ptxas() {
        let mut manifest = manifest();
        assert_eq!(
            [manifest.registers("sum"), manifest.registers("dot"), manifest.registers("total")],
            [255, 0, 0]
        );
        manifest.note("sum", "9.2", 90, PLAIN);
        manifest.note("dot", "9.2", 90, PLAIN);
        assert_eq!([manifest.registers("sum"), manifest.registers("dot")], [255, 32]);
    }

    #[test]
    fn what_is_written_is_read() {
        let text = manifest().print();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "# compiler: rustc 1",
                "# sources: ffff",
                "# ptxas 12.9, machine code read by 13.5:cccc",
                "entry,kernel,texts,bytes,12.9:sm_75,13.0:sm_90",
                "dot,dot,bbbb,7,32,",
                "sum,sum,aaaa,7,32,255/2048/16/0/4",
                "total,sum",
            ]
        );
        assert_eq!(Manifest::parse(&text), Ok(manifest()));
    }

    #[test]
    fn a_line_that_cannot_be_read_is_an_error() {
        for (good, bad) in [
            (":sm_90", ":90"),
            ("7,32,\n", "7,32,1,1\n"),
            ("255/", "x/"),
            ("0/4", "0/4/5"),
            ("dot,dot", "sum,sum"),
            ("total,sum", "total,sum,cccc"),
            ("entry,kernel", "entry"),
        ] {
            let text = manifest().print();
            assert!(text.contains(good), "{good}");
            assert!(Manifest::parse(&text.replacen(good, bad, 1)).is_err(), "{bad}");
        }
    }

    #[test]
    fn other_tools_generations_and_readers_are_not_known() {
        let mut manifest = manifest();
        assert_eq!(manifest.used("sum", "13.0", 90, None), Some(MUCH));
        assert_eq!(manifest.used("sum", "13.1", 90, None), None);
        assert_eq!(manifest.used("sum", "13.0", 80, None), None);
        assert_eq!(manifest.used("sum", "13.0", 90, Some("13.5:cccc")), None);
        assert_eq!(manifest.used("total", "13.0", 90, None), None);
        assert_eq!(manifest.used("dot", "12.9", 75, Some("13.5:cccc")), Some(PLAIN));
        assert_eq!(manifest.used("dot", "12.9", 75, Some("13.6:cccc")), None);
        manifest.forget("sum", "13.0");
        assert_eq!(manifest.used("sum", "13.0", 90, None), None);
        assert_eq!(manifest.used("sum", "12.9", 75, None), Some(PLAIN));
    }
}
