//! `cargo xtask ptx`: compiles the kernels crates to the PTX kept in the repository, or checks that it is what
//! would be compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

use cuda_builder::{CudaBuilder, PtxOutput};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::assembled;
use crate::lint;
use crate::workspace::{self, Kernels};

/// The record beside the modules.
const MANIFEST: &str = "MANIFEST.json";

/// The file that says which module holds which entry point.
const INDEX: &str = "entries.rs";

/// What to do when the shipped PTX is not what its sources give.
const ADVICE: &str = "run `cargo xtask ptx` and commit what it writes";

/// Arguments of the command.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail if the PTX kept does not match its sources
    #[arg(long)]
    check: bool,
    /// Folders of PTX, such as host/ptx/scan; all of them unless given
    folders: Vec<String>,
}

/// What the shipped modules were made from.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    /// `rustc --version` of the compiler.
    compiler: String,
    /// SHA-256 over the sources; the same for every compiler.
    sources: String,
    /// SHA-256 of each module, by its kernel's name.
    modules: BTreeMap<String, String>,
    /// Entry points whose code is that of another kernel, which is kept for both.
    aliases: BTreeMap<String, String>,
    /// SHA-256 of the file that says which module holds which entry point.
    index: String,
}

impl Manifest {
    fn of(output: &PtxOutput) -> Self {
        Self {
            compiler: output.compiler().to_owned(),
            sources: output.source_hash().to_owned(),
            modules: output.modules().map(|(kernel, text)| (kernel.to_owned(), sha256(text))).collect(),
            aliases: output
                .entries()
                .filter_map(|entry| Some((entry.to_owned(), output.kernel(entry)?.to_owned())))
                .filter(|(entry, kernel)| entry != kernel)
                .collect(),
            index: sha256(&output.index()),
        }
    }

    /// All entry points.
    fn entries(&self) -> BTreeSet<&String> {
        self.modules.keys().chain(self.aliases.keys()).collect()
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let known = |folder: &&String| workspace::KERNELS.iter().any(|kernels| kernels.ptx == **folder);
    if let Some(unknown) = arguments.folders.iter().find(|folder| !known(folder)) {
        let known: Vec<&str> = workspace::KERNELS.iter().map(|kernels| kernels.ptx).collect();
        return Err(format!("{unknown} has no PTX; those that have: {}", known.join(", ")).into());
    }
    let is_wanted = |folder: &str| {
        arguments.folders.is_empty() || arguments.folders.iter().any(|wanted| wanted == folder)
    };
    let mut wanted = workspace::KERNELS.iter().filter(|kernels| is_wanted(kernels.ptx));
    wanted.try_for_each(|kernels| run_one(kernels, arguments.check))?;
    if arguments.check { Ok(()) } else { assembled::forget_gone() }
}

/// Builds one kernels crate, and writes or checks its modules.
fn run_one(kernels: &Kernels, is_check: bool) -> Result<(), Box<dyn Error>> {
    let folder = workspace::root().join(kernels.folder);
    let output = CudaBuilder::new(folder).build_args(kernels.arguments).build()?;
    if output.messages().contains("warning") {
        eprint!("{}", output.messages());
    }
    let name = |kernel: &str| format!("{}/{kernel}.ptx", kernels.ptx);
    let findings: Vec<String> =
        output.modules().flat_map(|(kernel, text)| lint::lint(&name(kernel), text)).collect();
    lint::report(&findings)?;
    let bytes: usize = output.modules().map(|(_, text)| text.len()).sum();
    if let Some(most) = kernels.most_bytes.filter(|&most| bytes > most) {
        return Err(format!("{}: {bytes} bytes of PTX, and {most} are the most", kernels.ptx).into());
    }

    let shipped = workspace::root().join(kernels.ptx);
    if is_check {
        let differences = check(&shipped, &output)?;
        if !differences.is_empty() {
            return Err(format!(
                "{} does not match its sources:\n  {}\n{ADVICE}",
                kernels.ptx,
                list(&differences)
            )
            .into());
        }
    } else {
        write(&shipped, &output)?;
    }
    let done = if is_check { "checked" } else { "wrote" };
    println!(
        "{}: {done} {} modules for {} entries, {} KiB, by {}",
        kernels.ptx,
        output.modules().len(),
        output.entries().len(),
        bytes / 1024,
        output.compiler()
    );
    Ok(())
}

/// The first few of many lines.
fn list(lines: &[String]) -> String {
    const SHOWN: usize = 12;
    let rest = lines.len().saturating_sub(SHOWN);
    let shown = lines.iter().take(SHOWN).cloned();
    let more = (rest > 0).then(|| format!("and {rest} more"));
    shown.chain(more).collect::<Vec<_>>().join("\n  ")
}

/// Writes the modules, the index and the record, and removes modules that are gone.
fn write(shipped: &Path, output: &PtxOutput) -> Result<(), Box<dyn Error>> {
    output.write_to(shipped)?;
    for kernel in kernels_in(shipped)? {
        if output.kernel(&kernel) != Some(&kernel) {
            fs::remove_file(shipped.join(format!("{kernel}.ptx")))?;
        }
    }
    let mut text = serde_json::to_string_pretty(&Manifest::of(output))?;
    text.push('\n');
    fs::write(shipped.join(MANIFEST), text)?;
    Ok(())
}

/// The differences, in words. The same compiler must give the same text; another one need not, but it sees whether the
/// sources changed and can compile them to the same set of entry points.
fn check(shipped: &Path, output: &PtxOutput) -> Result<Vec<String>, Box<dyn Error>> {
    let file = shipped.join(MANIFEST);
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}; {ADVICE}", file.display()))?;
    let recorded: Manifest =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}; {ADVICE}", file.display()))?;
    let mut differences = compare(&recorded, &Manifest::of(output));
    for kernel in kernels_in(shipped)? {
        let found = sha256(&fs::read_to_string(shipped.join(format!("{kernel}.ptx")))?);
        if recorded.modules.get(&kernel) != Some(&found) {
            differences.push(format!("{kernel}.ptx is not the file that {MANIFEST} records"));
        }
    }
    for kernel in recorded.modules.keys().filter(|kernel| !shipped.join(format!("{kernel}.ptx")).is_file()) {
        differences.push(format!("{kernel}.ptx is missing"));
    }
    if sha256(&fs::read_to_string(shipped.join(INDEX)).unwrap_or_default()) != recorded.index {
        differences.push(format!("{INDEX} is not the file that {MANIFEST} records"));
    }
    Ok(differences)
}

/// How a fresh build differs from the record, in words.
fn compare(recorded: &Manifest, fresh: &Manifest) -> Vec<String> {
    let mut differences = Vec::new();
    if recorded.sources != fresh.sources {
        differences.push("the sources have changed (recorded hash)".to_owned());
    }
    let (old, new) = (recorded.entries(), fresh.entries());
    differences.extend(old.difference(&new).map(|entry| format!("the sources have no entry {entry}")));
    differences.extend(new.difference(&old).map(|entry| format!("the entry {entry} is new")));
    if recorded.compiler != fresh.compiler {
        return differences;
    }
    for entry in old.intersection(&new) {
        let kernel = |manifest: &Manifest| manifest.aliases.get(*entry).unwrap_or(entry).clone();
        let (was, is) = (kernel(recorded), kernel(fresh));
        if was != is {
            differences
                .push(format!("{} makes {entry} of the kernel {is} now, not of {was}", fresh.compiler));
        } else if recorded.modules.get(*entry) != fresh.modules.get(*entry) {
            differences.push(format!("{entry}.ptx differs from what {} makes now", fresh.compiler));
        }
    }
    if differences.is_empty() && recorded.index != fresh.index {
        differences.push(format!("{INDEX} differs from what is made now"));
    }
    differences
}

/// The kernels that have a file in `folder`.
fn kernels_in(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    Ok(workspace::modules_in(folder)?.iter().map(|file| workspace::entry(file)).collect())
}

/// The digest, as digits.
pub(crate) fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(compiler: &str, sources: &str, modules: &[(&str, &str)]) -> Manifest {
        Manifest {
            compiler: compiler.to_owned(),
            sources: sources.to_owned(),
            modules: modules.iter().map(|&(kernel, text)| (kernel.to_owned(), sha256(text))).collect(),
            aliases: BTreeMap::new(),
            index: sha256("index"),
        }
    }

    /// The same, with another name for a kernel.
    fn with_alias(mut manifest: Manifest, entry: &str, kernel: &str) -> Manifest {
        manifest.aliases.insert(entry.to_owned(), kernel.to_owned());
        manifest
    }

    #[test]
    fn the_same_compiler_must_give_the_same_text() {
        let recorded = manifest("rustc 1", "s", &[("a", "text"), ("b", "text")]);
        assert_eq!(compare(&recorded, &manifest("rustc 1", "s", &[("a", "text"), ("b", "text")])), [""; 0]);
        let found = compare(&recorded, &manifest("rustc 1", "s", &[("a", "text"), ("b", "other")]));
        assert_eq!(found, ["b.ptx differs from what rustc 1 makes now"]);
    }

    #[test]
    fn the_same_compiler_must_share_the_same_modules() {
        let apart = || manifest("rustc 1", "s", &[("a", "text"), ("b", "text")]);
        let alias = || with_alias(manifest("rustc 1", "s", &[("a", "text")]), "b", "a");
        assert_eq!(compare(&alias(), &alias()), [""; 0]);
        assert_eq!(compare(&apart(), &alias()), ["rustc 1 makes b of the kernel a now, not of b"]);
        assert_eq!(compare(&alias(), &apart()), ["rustc 1 makes b of the kernel b now, not of a"]);
        let other = Manifest { compiler: "rustc 2".to_owned(), ..apart() };
        assert_eq!(compare(&alias(), &other), [""; 0]);
        let none = manifest("rustc 2", "s", &[("a", "text")]);
        assert_eq!(compare(&alias(), &none), ["the sources have no entry b"]);
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let lines: Vec<String> = (0..14).map(|i| i.to_string()).collect();
        assert!(list(&lines).ends_with("11\n  and 2 more"), "{}", list(&lines));
        assert_eq!(list(&lines[..2]), "0\n  1");
    }

    #[test]
    fn another_compiler_compares_sources_and_entries() {
        let recorded = manifest("rustc 1", "s", &[("a", "text"), ("b", "text")]);
        assert_eq!(compare(&recorded, &manifest("rustc 2", "s", &[("a", "other"), ("b", "other")])), [""; 0]);
        let found = compare(&recorded, &manifest("rustc 2", "t", &[("a", "other"), ("c", "other")]));
        assert_eq!(
            found,
            ["the sources have changed (recorded hash)", "the sources have no entry b", "the entry c is new"]
        );
    }
}
