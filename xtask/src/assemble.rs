//! `cargo xtask assemble`: assembles the packs' PTX for each GPU generation, without a GPU, and checks the result:
//! registers, spills, and fused products and sums. Results that the [manifests](crate::manifest) already have are not
//! computed again, except for a sample, and are held to the same limits.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::contraction::Assembler;
use crate::manifest::{self, Kernel, Manifest};
use crate::ptxas_report::{self, Used};
use crate::workspace::KERNELS;
use crate::{digest, sass, workspace};

/// The generation of the texts as stored.
const LOWEST: u32 = 75;

/// The generation of the texts with their marked instructions.
const OVERLAPPING: u32 = 90;

/// Arguments of the command.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// NVIDIA's assembler (PyPI: nvidia-cuda-nvcc)
    #[arg(long, default_value = "ptxas")]
    ptxas: PathBuf,
    /// NVIDIA's disassembler (PyPI: nvidia-cuda-nvdisasm); the one beside ptxas unless given
    #[arg(long)]
    nvdisasm: Option<PathBuf>,
    /// Generations to assemble for
    #[arg(long, value_delimiter = ',', default_values_t = [75, 80, 90, 100, 120])]
    arch: Vec<u32>,
    /// Generations for modules in which nothing can be fused; as --arch unless given
    #[arg(long, value_delimiter = ',')]
    plain_arch: Option<Vec<u32>>,
    /// Any text: it selects the one module in 16 that is assembled even if the manifests have its results
    #[arg(long, default_value = "")]
    turn: String,
    /// Assemble all modules, including those whose results the manifests have
    #[arg(long)]
    all: bool,
    /// Assemble at this level of optimisation, 0 to 3, instead of ptxas's default, and look for fusion alone: the manifests
    /// have no registers of other levels. Takes the modules in which something can be fused: all without --turn. --all takes
    /// the others too
    #[arg(long, value_parser = clap::value_parser!(u8).range(..=3), conflicts_with = "record")]
    level: Option<u8>,
    /// Write the results to the manifests, and the registers to the packs, to be committed
    #[arg(long)]
    record: bool,
}

/// A module and its files.
struct Module {
    /// The index of its pack.
    pack: usize,
    entry: String,
    /// The stored text, and the text for newer generations if that differs.
    kept: PathBuf,
    newer: Option<PathBuf>,
    /// A hash of both.
    hash: String,
    /// Whether it is part of the library. Kernels of the tests are listed, but their resources are not limited.
    is_shipped: bool,
    /// Whether the module multiplies and adds floats, so that they could be fused, and does not divide.
    may_fuse: bool,
    /// Whether it does all of these, takes roots, or has fused operations of exact products.
    divides: bool,
}

/// A module and a generation.
struct Job<'a> {
    module: &'a Module,
    arch: u32,
    /// The resources in the manifest.
    known: Option<Used>,
    /// Whether it is skipped because the result is known.
    is_passed_over: bool,
}

impl Module {
    /// Writes the texts of a kernel to `folder`, for ptxas.
    fn write(pack: usize, entry: String, text: &str, folder: &Path) -> Result<Self, Box<dyn Error>> {
        let has = |operations: &[&str]| operations.iter().any(|operation| text.contains(operation));
        // A division consists of fused operations, which cannot be distinguished from others. Nor can those of exact products.
        let is_sum_of_products = has(&["mul.rn."]) && has(&["add.rn.", "sub.rn."]);
        let divides = has(&["div.rn.", "rcp.rn.", "sqrt.rn.", "fma.rn."]);
        let (may_fuse, divides) = (is_sum_of_products && !divides, is_sum_of_products && divides);
        let kept = folder.join(format!("{entry}.ptx"));
        fs::write(&kept, text)?;
        // As on the host: a GPU that supports the marked instructions gets the text with them, others the stored text.
        let newer = match cuda_std::ptx::for_sm_90(text) {
            Some(newer) => {
                let file = folder.join(format!("{entry}.sm_{OVERLAPPING}.ptx"));
                fs::write(&file, newer)?;
                Some(file)
            }
            None => None,
        };
        let hash = Kernel::of(text).texts;
        Ok(Self { pack, entry, kept, newer, hash, is_shipped: KERNELS[pack].is_shipped, may_fuse, divides })
    }

    /// Returns the text for a generation, and the lowest generation of that text.
    fn text(&self, arch: u32) -> (&Path, u32) {
        match self.newer.as_ref().filter(|_| arch >= OVERLAPPING) {
            Some(newer) => (newer, OVERLAPPING),
            None => (&self.kept, LOWEST),
        }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let beside = arguments.ptxas.with_file_name("nvdisasm");
    let nvdisasm = arguments.nvdisasm.as_ref().unwrap_or(&beside);
    let reader = manifest::reader(&version(nvdisasm)?);
    let ptxas = version(&arguments.ptxas)?;
    let cubins = workspace::target().join("cubin");
    fs::create_dir_all(&cubins)?;

    let (mut modules, mut manifests) = (Vec::new(), Vec::new());
    for (pack, kernels) in KERNELS.iter().enumerate() {
        for (entry, text) in kernels.texts()? {
            modules.push(Module::write(pack, entry, &text, &cubins)?);
        }
        manifests.push(kernels.manifest()?.unwrap_or_default());
    }
    let is_other = |module: &&Module| {
        manifests[module.pack].kernel(&module.entry).is_none_or(|known| known.texts != module.hash)
    };
    if let Some(Module { pack, entry, .. }) = modules.iter().find(is_other) {
        return Err(format!(
            "{entry} in {0}.pack is not what {0}.csv says: `cargo xtask ptx` writes both",
            KERNELS[*pack].pack
        )
        .into());
    }

    let mut jobs = Vec::new();
    for module in &modules {
        let plain = arguments.plain_arch.as_ref().filter(|_| !module.may_fuse);
        let is_again = arguments.all || digest::has_turn(&module.hash, &arguments.turn);
        let is_looked_at = (module.may_fuse || module.divides) && (is_again || arguments.turn.is_empty());
        if arguments.level.is_some() && !is_looked_at && !arguments.all {
            continue;
        }
        jobs.extend(plain.unwrap_or(&arguments.arch).iter().map(|&arch| {
            let reader = module.may_fuse.then_some(&*reader);
            let manifest = arguments.level.is_none().then_some(&manifests[module.pack]);
            let known = manifest.and_then(|manifest| manifest.used(&module.entry, &ptxas, arch, reader));
            Job { module, arch, known, is_passed_over: known.is_some() && !is_again }
        }));
    }
    for &arch in &arguments.arch {
        assembler(arguments, nvdisasm, arch).finds_what_is_planted(&cubins)?;
    }
    let used = on_all_cores(&jobs, |job| match job.known {
        Some(known) if job.is_passed_over => Ok(known),
        known => {
            let found = assemble_and_read(arguments, nvdisasm, job, &cubins)?;
            match known.filter(|known| *known != found) {
                Some(known) => Err(format!("{found}, and the manifest says {known}")),
                None => Ok(found),
            }
        }
    });

    let (mut findings, mut noted) = (Vec::new(), Vec::new());
    let mut table: BTreeMap<String, BTreeMap<u32, Used>> = BTreeMap::new();
    for (job, used) in jobs.iter().zip(used) {
        let entry = &job.module.entry;
        match used {
            Ok(used) => {
                if job.module.is_shipped
                    && arguments.level.is_none()
                    && used.spill_stores + used.spill_loads + unforeseen_stack(entry, used) > 0
                {
                    findings.push(format!("{entry} for sm_{}: {used}", job.arch));
                }
                let row = format!("{} sm_{}", family(entry), job.module.text(job.arch).1);
                let cell = table.entry(row).or_default().entry(job.arch).or_default();
                *cell = cell.max(used);
                noted.push((job.module, job.arch, used));
            }
            Err(why) => findings.push(format!("{entry} for sm_{}: {why}", job.arch)),
        }
    }
    print_table(&table, &arguments.arch);
    let passed_over = jobs.iter().filter(|job| job.is_passed_over).count();
    let read = jobs.iter().filter(|job| job.module.may_fuse && !job.is_passed_over).count();
    let twice = jobs.iter().filter(|job| job.module.divides && !job.is_passed_over).count();
    println!(
        "assembled {} modules, {} times in all; read the machine code of {read}; compared that of {twice}, which divide or have \
         fused operations, with what cannot be fused; {passed_over} times more the manifests knew",
        modules.len(),
        jobs.len() - passed_over
    );
    if !findings.is_empty() {
        return Err(
            format!("the assembled kernels are not as they must be:\n  {}", findings.join("\n  ")).into()
        );
    }
    if arguments.record {
        record(&mut manifests, &ptxas, &reader, &noted)?;
    }
    Ok(())
}

/// Writes the results to the manifests, and the registers to the packs.
fn record(
    manifests: &mut [Manifest],
    ptxas: &str,
    reader: &str,
    noted: &[(&Module, u32, Used)],
) -> Result<(), Box<dyn Error>> {
    // Results for other generations that another reader has checked are no longer valid.
    for (module, ..) in noted.iter().filter(|(module, ..)| module.may_fuse) {
        let manifest = &mut manifests[module.pack];
        if manifest.readers.get(ptxas).is_some_and(|known| known != reader) {
            manifest.forget(&module.entry, ptxas);
        }
    }
    for &(module, arch, used) in noted {
        manifests[module.pack].note(&module.entry, ptxas, arch, used);
    }
    for (kernels, manifest) in KERNELS.iter().zip(manifests) {
        manifest.readers.insert(ptxas.to_owned(), reader.to_owned());
        kernels.note(manifest, fs::read(kernels.pack_file())?)?;
        println!("wrote {0}.csv, and its registers to {0}.pack", kernels.pack);
    }
    Ok(())
}

/// Returns the bytes of stack that a kernel has no reason to use.
fn unforeseen_stack(entry: &str, used: Used) -> u32 {
    // A block that folds a row stores its spans' totals on the stack, because registers cannot be indexed. An exact sum
    // is rounded once, from words at a computed index. Values that are loaded one by one, or by two vectors, the
    // compiler may move through a few words of the stack, differently per generation.
    let moves_by_stack = entry.ends_with("_segments") || entry.ends_with("_unaligned");
    let is_by_number = entry.ends_with("_rows_by_block")
        || entry == "reduce_exact_sum_f32_finish"
        || (moves_by_stack && used.stack <= 64);
    if is_by_number { 0 } else { used.stack }
}

/// Assembles one module, fails if a product was fused with a sum, and returns the resources that ptxas reports.
fn assemble_and_read(
    arguments: &Arguments,
    nvdisasm: &Path,
    job: &Job<'_>,
    cubins: &Path,
) -> Result<Used, String> {
    let (text, lowest) = job.module.text(job.arch);
    let cubin = cubins.join(format!("{}.sm_{lowest}.sm_{}.cubin", job.module.entry, job.arch));
    let mut command = Command::new(&arguments.ptxas);
    command.args(["-v", "-arch", &format!("sm_{}", job.arch), "-o"]).arg(&cubin).arg(text);
    if let Some(level) = arguments.level {
        command.arg(format!("-O{level}"));
    }
    let (_, report) = finish(&mut command)?;
    let used = ptxas_report::read(&report, &job.module.entry)?;
    if job.module.may_fuse {
        look_for_fusion(nvdisasm, &job.module.entry, &cubin)?;
    }
    if job.module.divides {
        assembler(arguments, nvdisasm, job.arch).check(&job.module.entry, text, &cubin)?;
    }
    Ok(used)
}

/// Returns what modules that divide are assembled by.
fn assembler<'a>(arguments: &'a Arguments, nvdisasm: &'a Path, arch: u32) -> Assembler<'a> {
    Assembler { ptxas: &arguments.ptxas, nvdisasm, arch, level: arguments.level }
}

/// Returns the version of one of NVIDIA's tools, such as 13.0.88.
fn version(program: &Path) -> Result<String, String> {
    let (words, _) = finish(Command::new(program).arg("--version"))?;
    version_in(&words)
        .ok_or_else(|| format!("{} does not tell its version: {}", program.display(), words.trim()))
}

/// Finds the version in the tool's output.
fn version_in(words: &str) -> Option<String> {
    let is_version = |word: &&str| !word.is_empty() && word.chars().all(|c| c == '.' || c.is_ascii_digit());
    words.split_whitespace().filter_map(|word| word.strip_prefix('V')).find(is_version).map(str::to_owned)
}

/// Fails if a product was fused with a sum.
fn look_for_fusion(nvdisasm: &Path, entry: &str, cubin: &Path) -> Result<(), String> {
    let (code, _) = finish(Command::new(nvdisasm).args(["-c", "-ndf"]).arg(cubin))?;
    if !code.contains(&format!(".text.{entry}")) {
        return Err("nvdisasm printed no code".to_owned());
    }
    match sass::fused(&code)[..] {
        [] => Ok(()),
        ref fused => Err(format!("fused multiply-add: {}", fused.join("; "))),
    }
}

/// Runs a program to its end and returns its stdout and stderr.
pub(crate) fn finish(command: &mut Command) -> Result<(String, String), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot run {program}: {error}"))?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(format!("{program} failed: {}", stderr.trim()));
    }
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), stderr))
}

/// Runs all `jobs`, as many at a time as there are cores. Returns the results in the order of the jobs.
fn on_all_cores<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(Vec::new());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(index) else { break };
                    let outcome = work(job);
                    outcomes.lock().unwrap_or_else(PoisonError::into_inner).push((index, outcome));
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.sort_by_key(|&(index, _)| index);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Returns the name of a row of the table: an operator and kind of kernel, for all element types.
fn family(entry: &str) -> String {
    let is_type = |part: &&str| {
        !matches!(
            *part,
            "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "f16" | "bf16" | "f32" | "f64"
        )
    };
    entry.split('_').filter(is_type).collect::<Vec<_>>().join("_")
}

/// Prints registers for each family and generation: the maximum over its modules.
fn print_table(table: &BTreeMap<String, BTreeMap<u32, Used>>, archs: &[u32]) {
    let width = table.keys().map(String::len).max().unwrap_or_default();
    print!("{:width$}  registers (most of any element type)\n{:width$}", "", "");
    archs.iter().for_each(|arch| print!("{:>8}", format!("sm_{arch}")));
    println!("  shared B  spill B  stack B");
    for (family, cells) in table {
        print!("{family:width$}");
        archs.iter().for_each(|arch| {
            print!("{:>8}", cells.get(arch).map_or("-".to_owned(), |used| used.registers.to_string()))
        });
        let most = cells.values().fold(Used::default(), |most, used| most.max(*used));
        println!("{:>10}{:>9}{:>9}", most.shared, most.spill_stores + most.spill_loads, most.stack);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_in_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..1000).collect();
        assert_eq!(
            on_all_cores(&jobs, |job| job * job),
            jobs.iter().map(|job| job * job).collect::<Vec<_>>()
        );
    }

    #[test]
    fn versions_are_found() {
        let words = "ptxas: NVIDIA (R) Ptx optimizing assembler\nBuilt on Mon\n\
            Cuda compilation tools, release 13.5, V13.5.37\nBuild cuda_13.5.r13.5/compiler.39125733_0\n";
        assert_eq!(version_in(words).as_deref(), Some("13.5.37"));
        assert_eq!(version_in("Version V, Very new"), None);
    }

    #[test]
    fn stack_is_foreseen_where_places_are_numbers() {
        let used = |stack| Used { stack, ..Used::default() };
        assert_eq!(unforeseen_stack("reduce_sum_f32_grid", used(8)), 8);
        assert_eq!(unforeseen_stack("reduce_sum_f32_rows_by_block", used(104)), 0);
        assert_eq!(unforeseen_stack("reduce_sum_i8_segments", used(64)), 0);
        assert_eq!(unforeseen_stack("reduce_sum_i8_segments", used(72)), 72);
    }

    #[test]
    fn a_family_is_an_entry_without_its_type() {
        assert_eq!(family("reduce_sum_f32_grid"), "reduce_sum_grid");
        assert_eq!(family("reduce_argmin_u64_partials"), "reduce_argmin_partials");
    }
}
