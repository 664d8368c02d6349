//! `cargo xtask ptx`: compiles the kernels crates to the packs in the repository, or checks that the packs are up to
//! date.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::iter::repeat_n;
use std::path::{Path, PathBuf};

use cuda_builder::{CudaBuilder, PtxOutput};

use crate::manifest::{Kernel, Line, Manifest};
use crate::workspace::{self, KERNELS, Kernels};
use crate::{lint, sources};

/// Advice if a pack does not match its sources.
const ADVICE: &str = "run `cargo xtask ptx` and commit what it writes";

/// Most bytes of the shipped packs together: a registry takes ten million, and users download the packs.
const MOST_BYTES: u64 = 7_500_000;

/// Arguments of the command.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail if a pack differs from its manifest or from its sources. Packs of unchanged sources and
    /// compiler are not compiled, except for one
    #[arg(long)]
    check: bool,
    /// With --check: selects that one pack. Turns that follow each other take all packs in 16
    #[arg(long, default_value_t)]
    turn: u64,
    /// With --check: compile all packs
    #[arg(long)]
    all: bool,
    /// Write the texts of the packs to this folder, and do nothing else
    #[arg(long)]
    dump: Option<PathBuf>,
    /// Packs, such as ptx/scan; all of them unless given
    packs: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let known: Vec<&str> = KERNELS.iter().map(|kernels| kernels.pack).collect();
    if let Some(unknown) = arguments.packs.iter().find(|pack| !known.contains(&pack.as_str())) {
        return Err(format!("there is no pack {unknown}; those that are: {}", known.join(", ")).into());
    }
    let is_wanted = |kernels: &&Kernels| {
        arguments.packs.is_empty() || arguments.packs.iter().any(|pack| pack == kernels.pack)
    };
    let wanted: Vec<&Kernels> = KERNELS.iter().filter(is_wanted).collect();
    if let Some(folder) = &arguments.dump {
        return wanted.into_iter().try_for_each(|kernels| dump(kernels, folder));
    }
    if arguments.check {
        return check(&wanted, arguments);
    }
    wanted.into_iter().try_for_each(write)?;
    limit()
}

fn builder(kernels: &Kernels) -> CudaBuilder {
    CudaBuilder::new(workspace::root().join(kernels.folder)).build_args(kernels.arguments)
}

/// Compiles a kernels crate and lints the result.
fn build(kernels: &Kernels) -> Result<PtxOutput, Box<dyn Error>> {
    let output = builder(kernels).build()?;
    if output.messages().contains("warning") {
        eprint!("{}", output.messages());
    }
    let name = |kernel: &str| format!("{}/{kernel}", kernels.pack);
    let findings: Vec<String> =
        output.modules().flat_map(|(kernel, text)| lint::lint(&name(kernel), text)).collect();
    lint::report(&findings)?;
    Ok(output)
}

/// Compiles a pack and writes it and its manifest.
fn write(kernels: &Kernels) -> Result<(), Box<dyn Error>> {
    let sources = sources::hash(kernels)?;
    let output = build(kernels)?;
    let own = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
    let texts: BTreeMap<String, String> = output.modules().map(own).collect();
    let entries = output.entries().map(|entry| own((entry, output.kernel(entry).unwrap_or_default())));
    let pack = warpfold_ptx::write(&texts, &entries.collect())?;
    let manifest = Manifest::of(&output, sources, kernels.manifest()?.as_ref());
    if let Some(folder) = kernels.pack_file().parent() {
        fs::create_dir_all(folder)?;
    }
    println!(
        "{}: packed {} kernels for {} entries, {} KiB of text, to {} KiB; {}",
        kernels.pack,
        texts.len(),
        output.entries().len(),
        texts.values().map(String::len).sum::<usize>() / 1024,
        pack.len() / 1024,
        output.compiler()
    );
    Ok(kernels.note(&manifest, pack)?)
}

/// Fails if the shipped packs are too large.
fn limit() -> Result<(), Box<dyn Error>> {
    let shipped = KERNELS.iter().filter(|kernels| kernels.is_shipped);
    let bytes =
        shipped.map(|kernels| Ok(fs::metadata(kernels.pack_file())?.len())).sum::<std::io::Result<u64>>()?;
    if bytes > MOST_BYTES {
        return Err(format!("the packs come to {bytes} bytes, and {MOST_BYTES} are the most").into());
    }
    Ok(())
}

/// Writes the texts of a pack.
fn dump(kernels: &Kernels, folder: &Path) -> Result<(), Box<dyn Error>> {
    let folder = folder.join(kernels.pack);
    fs::create_dir_all(&folder)?;
    let texts = kernels.texts()?;
    println!("{}: {} texts", folder.display(), texts.len());
    texts.into_iter().try_for_each(|(name, text)| Ok(fs::write(folder.join(format!("{name}.ptx")), text)?))
}

/// Returns the pack that a turn compiles.
fn of_turn(turn: u64) -> &'static Kernels {
    let turns = KERNELS.iter().flat_map(|kernels| repeat_n(kernels, kernels.turns as usize));
    let all: Vec<&Kernels> = turns.collect();
    all[turn as usize % all.len()]
}

/// Compares packs with their manifests and, where due, with a fresh compilation.
fn check(wanted: &[&Kernels], arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    limit()?;
    let due = of_turn(arguments.turn);
    for kernels in wanted {
        let manifest =
            kernels.manifest()?.ok_or_else(|| format!("{} has no manifest; {ADVICE}", kernels.pack))?;
        refuse(kernels, &differences_of_pack(kernels, &manifest)?)?;
        let is_same_source = manifest.sources == sources::hash(kernels)?;
        let compiler = builder(kernels).compiler()?;
        let why = match () {
            () if compiler != manifest.compiler => "another compiler",
            () if !is_same_source => "other sources",
            () if arguments.all => "all are",
            () if kernels.pack == due.pack => "its turn",
            () => {
                println!("{}: same sources and compiler; {} entries", kernels.pack, manifest.entries.len());
                continue;
            }
        };
        let fresh = Manifest::of(&build(kernels)?, String::new(), None);
        refuse(kernels, &differences(&manifest, &fresh, is_same_source))?;
        let entries = manifest.entries.len();
        println!("{}: {entries} entries are as {compiler} makes them ({why})", kernels.pack);
        if !is_same_source {
            println!("  until its manifest has the sources' new hash, it is compiled each time: {ADVICE}");
        }
    }
    Ok(())
}

/// Returns an error with the first few differences, if there are any.
fn refuse(kernels: &Kernels, differences: &[String]) -> Result<(), String> {
    const SHOWN: usize = 12;
    if differences.is_empty() {
        return Ok(());
    }
    let rest = differences.len().saturating_sub(SHOWN);
    let more = (rest > 0).then(|| format!("and {rest} more"));
    let lines: Vec<String> = differences.iter().take(SHOWN).cloned().chain(more).collect();
    Err(format!("{} does not match:\n  {}\n{ADVICE}", kernels.pack, lines.join("\n  ")))
}

/// Lists differences between a pack's texts and its manifest. The pack's bytes may differ.
fn differences_of_pack(kernels: &Kernels, manifest: &Manifest) -> Result<Vec<String>, Box<dyn Error>> {
    let bytes = fs::read(kernels.pack_file())?;
    let pack = warpfold_ptx::Pack::new(&bytes);
    let mut packed = Manifest {
        sources: manifest.sources.clone(),
        compiler: manifest.compiler.clone(),
        ..Manifest::default()
    };
    for (entry, place) in pack.entries() {
        let line = match place.kernel() {
            kernel if kernel != entry => Line::Alias(kernel.to_owned()),
            _ => Line::Kernel(Kernel::of(&place.text().map_err(|error| format!("{entry}: {error}"))?)),
        };
        packed.entries.insert(entry.to_owned(), line);
    }
    let mut found = differences(manifest, &packed, true);
    let own = pack.entries().filter(|(entry, place)| *entry == place.kernel());
    found.extend(own.filter_map(|(entry, place)| {
        let (noted, recorded) = (place.registers().unwrap_or_default(), u32::from(manifest.registers(entry)));
        (noted != recorded)
            .then(|| format!("{entry} has {noted} registers, and the manifest says {recorded}"))
    }));
    Ok(found)
}

/// Lists differences between a manifest and what was found. The same compiler must give the same text. Another compiler
/// need not, but can still compare the sources and compile them to the same entries.
fn differences(recorded: &Manifest, found: &Manifest, is_same_source: bool) -> Vec<String> {
    let mut differences = Vec::new();
    let only_in = |a: &Manifest, b: &Manifest| -> Vec<String> {
        a.entries.keys().filter(|entry| !b.entries.contains_key(*entry)).cloned().collect()
    };
    differences.extend(only_in(recorded, found).iter().map(|entry| format!("there is no entry {entry} now")));
    differences.extend(only_in(found, recorded).iter().map(|entry| format!("the entry {entry} is new")));
    if recorded.compiler != found.compiler {
        let words = format!("the sources have changed, and only {} could tell what of it", recorded.compiler);
        differences.extend((!is_same_source).then_some(words));
        return differences;
    }
    for (entry, was) in &recorded.entries {
        differences.extend(match (was, found.entries.get(entry)) {
            (Line::Kernel(was), Some(Line::Kernel(is))) => {
                (was.texts != is.texts || was.bytes != is.bytes).then(|| format!("{entry} has another text"))
            }
            (Line::Alias(was), Some(Line::Alias(is))) => {
                (was != is).then(|| format!("{entry} has the code of {is}, not of {was}"))
            }
            (Line::Alias(was), Some(Line::Kernel(_))) => {
                Some(format!("{entry} has code of its own, not that of {was}"))
            }
            (Line::Kernel(_), Some(Line::Alias(is))) => {
                Some(format!("{entry} has the code of {is}, not its own"))
            }
            (_, None) => None,
        });
    }
    differences
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn manifest(compiler: &str, entries: &[(&str, &str)]) -> Manifest {
        let line = |text: &str| match text.strip_prefix("as ") {
            Some(kernel) => Line::Alias(kernel.to_owned()),
            None => Line::Kernel(Kernel::of(text)),
        };
        Manifest {
            compiler: compiler.to_owned(),
            entries: entries.iter().map(|&(entry, text)| (entry.to_owned(), line(text))).collect(),
            ..Manifest::default()
        }
    }

    #[test]
    fn sixteen_turns_take_every_pack() {
        let taken: BTreeSet<&str> = (100..116).map(|turn| of_turn(turn).pack).collect();
        assert_eq!(taken.len(), KERNELS.len());
        assert_eq!(KERNELS.iter().map(|kernels| kernels.turns).sum::<u64>(), 16);
    }

    #[test]
    fn the_same_compiler_must_give_the_same_text() {
        let recorded = manifest("rustc 1", &[("a", "text"), ("b", "text")]);
        assert_eq!(differences(&recorded, &recorded, true), [""; 0]);
        assert_eq!(differences(&recorded, &recorded, false), [""; 0], "a comment has changed");
        let found = manifest("rustc 1", &[("a", "text"), ("b", "other")]);
        assert_eq!(differences(&recorded, &found, true), ["b has another text"]);
    }

    #[test]
    fn the_same_compiler_must_share_the_same_kernels() {
        let apart = manifest("rustc 1", &[("a", "text"), ("b", "text")]);
        let alias = manifest("rustc 1", &[("a", "text"), ("b", "as a")]);
        assert_eq!(differences(&alias, &alias, true), [""; 0]);
        assert_eq!(differences(&apart, &alias, true), ["b has the code of a, not its own"]);
        assert_eq!(differences(&alias, &apart, true), ["b has code of its own, not that of a"]);
        let other = manifest("rustc 1", &[("a", "text"), ("b", "as c")]);
        assert_eq!(differences(&alias, &other, true), ["b has the code of c, not of a"]);
        assert_eq!(differences(&alias, &manifest("rustc 2", &[("a", "text"), ("b", "text")]), true), [""; 0]);
    }

    #[test]
    fn another_compiler_compares_sources_and_entries() {
        let recorded = manifest("rustc 1", &[("a", "text"), ("b", "text")]);
        assert_eq!(differences(&recorded, &manifest("rustc 2", &[("a", "x"), ("b", "y")]), true), [""; 0]);
        assert_eq!(
            differences(&recorded, &manifest("rustc 2", &[("a", "x"), ("c", "y")]), false),
            [
                "there is no entry b now",
                "the entry c is new",
                "the sources have changed, and only rustc 1 could tell what of it"
            ]
        );
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let lines: Vec<String> = (0..14).map(|i| i.to_string()).collect();
        assert!(refuse(&KERNELS[0], &lines).unwrap_err().contains("11\n  and 2 more\n"));
        assert_eq!(refuse(&KERNELS[0], &[]), Ok(()));
    }
}
