//! `cargo xtask assemble`: assembles the shipped PTX for each GPU generation, without a GPU, and looks at
//! what became of it: registers, spills, and products fused with sums.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::{ptxas_report, sass, workspace};

/// The generation that the texts are for as they are.
const LOWEST: u32 = 75;

/// The generation that has what they mark.
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
    /// Generations to assemble those modules for in which nothing can be fused; as --arch unless given
    #[arg(long, value_delimiter = ',')]
    plain_arch: Option<Vec<u32>>,
}

/// One text for one generation.
struct Job {
    module: PathBuf,
    entry: String,
    /// The lowest generation that the text is for.
    lowest: u32,
    arch: u32,
    /// Whether it is the library's own. What the tests' operators use is shown, but they may use what they like.
    is_shipped: bool,
    /// Whether the module multiplies floats and adds floats, so that there is something to fuse, and does not divide.
    may_fuse: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let beside = arguments.ptxas.with_file_name("nvdisasm");
    let nvdisasm = arguments.nvdisasm.as_ref().unwrap_or(&beside);
    let cubins = workspace::target().join("cubin");
    fs::create_dir_all(&cubins)?;

    let mut modules = Vec::new();
    for kernels in &workspace::KERNELS {
        let found = workspace::modules_in(&workspace::root().join(kernels.ptx))?;
        modules.extend(found.into_iter().map(|module| (kernels, module)));
    }
    let mut jobs = Vec::new();
    for (kernels, module) in &modules {
        let text = fs::read_to_string(module)?;
        let has = |operations: &[&str]| operations.iter().any(|operation| text.contains(operation));
        // A division is made of fused operations, which cannot be told from others.
        let may_fuse =
            has(&["mul.rn."]) && has(&["add.rn.", "sub.rn."]) && !has(&["div.rn.", "rcp.rn.", "sqrt.rn."]);
        let is_shipped = kernels.most_bytes.is_some();
        let entry = module.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // As the host does: a GPU that knows what the text marks gets it so, and others as it is.
        let newer = match cuda_std::ptx::for_sm_90(&text) {
            Some(newer) => {
                let file = cubins.join(format!("{entry}.sm_{OVERLAPPING}.ptx"));
                fs::write(&file, newer)?;
                Some(file)
            }
            None => None,
        };
        let plain = arguments.plain_arch.as_ref().filter(|_| !may_fuse);
        jobs.extend(plain.unwrap_or(&arguments.arch).iter().map(|&arch| {
            let newer = newer.as_ref().filter(|_| arch >= OVERLAPPING);
            let lowest = if newer.is_some() { OVERLAPPING } else { LOWEST };
            let module = newer.unwrap_or(module).clone();
            Job { module, entry: entry.clone(), lowest, arch, is_shipped, may_fuse }
        }));
    }
    let used = on_all_cores(&jobs, |job| {
        let cubin = cubins.join(format!("{}.sm_{}.sm_{}.cubin", job.entry, job.lowest, job.arch));
        let used = assemble(&arguments.ptxas, job, &cubin)?;
        if job.may_fuse {
            look_for_fusion(nvdisasm, job, &cubin)?;
        }
        Ok::<_, String>(used)
    });

    let mut findings = Vec::new();
    let mut table: BTreeMap<String, BTreeMap<u32, ptxas_report::Used>> = BTreeMap::new();
    for (job, used) in jobs.iter().zip(used) {
        match used {
            Ok(used) => {
                // A block that folds a row keeps its spans' totals by a number, which registers have none of: on the stack. An
                // exact sum is rounded once, from the words at which its first bits are found. What is loaded one by one, or
                // by two vectors, the compiler may move by way of a few words of the stack, differently by generation.
                let moves_by_stack = job.entry.ends_with("_segments") || job.entry.ends_with("_unaligned");
                let is_by_number = job.entry.ends_with("_rows_by_block")
                    || job.entry == "reduce_exact_sum_f32_finish"
                    || (moves_by_stack && used.stack <= 64);
                let stack = if is_by_number { 0 } else { used.stack };
                if job.is_shipped && used.spill_stores + used.spill_loads + stack > 0 {
                    findings.push(format!("{} for sm_{}: {used}", job.entry, job.arch));
                }
                let cell = table
                    .entry(format!("{} sm_{}", family(&job.entry), job.lowest))
                    .or_default()
                    .entry(job.arch)
                    .or_default();
                *cell = cell.max(used);
            }
            Err(why) => findings.push(format!("{} for sm_{}: {why}", job.entry, job.arch)),
        }
    }
    print_table(&table, &arguments.arch);
    let checked = jobs.iter().filter(|job| job.may_fuse).count();
    println!(
        "assembled {} modules, {} times in all; read the machine code of {checked}",
        modules.len(),
        jobs.len()
    );
    if findings.is_empty() {
        return Ok(());
    }
    Err(format!("the assembled kernels are not as they must be:\n  {}", findings.join("\n  ")).into())
}

/// Assembles one module and gives what ptxas says it uses.
fn assemble(ptxas: &Path, job: &Job, cubin: &Path) -> Result<ptxas_report::Used, String> {
    let mut command = Command::new(ptxas);
    command.args(["-v", "-arch", &format!("sm_{}", job.arch), "-o"]).arg(cubin).arg(&job.module);
    let (_, report) = finish(&mut command)?;
    ptxas_report::read(&report, &job.entry)
}

/// Fails if a product was fused with a sum.
fn look_for_fusion(nvdisasm: &Path, job: &Job, cubin: &Path) -> Result<(), String> {
    let (code, _) = finish(Command::new(nvdisasm).args(["-c", "-ndf"]).arg(cubin))?;
    if !code.contains(&format!(".text.{}", job.entry)) {
        return Err("nvdisasm printed no code".to_owned());
    }
    match sass::fused(&code)[..] {
        [] => Ok(()),
        ref fused => Err(format!("fused multiply-add: {}", fused.join("; "))),
    }
}

/// Runs a program to its end and gives what it printed to stdout and stderr.
fn finish(command: &mut Command) -> Result<(String, String), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot run {program}: {error}"))?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(format!("{program} failed: {}", stderr.trim()));
    }
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), stderr))
}

/// Does all `jobs`, as many at a time as there are cores; outcomes in the order of the jobs.
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

/// The entries that share a row of the table: one operator and kind of kernel, over all element types.
fn family(entry: &str) -> String {
    let is_type = |part: &&str| {
        !matches!(
            *part,
            "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "f16" | "bf16" | "f32" | "f64"
        )
    };
    entry.split('_').filter(is_type).collect::<Vec<_>>().join("_")
}

/// Prints registers for each family and generation, the most any of its modules uses.
fn print_table(table: &BTreeMap<String, BTreeMap<u32, ptxas_report::Used>>, archs: &[u32]) {
    let width = table.keys().map(String::len).max().unwrap_or_default();
    print!("{:width$}  registers (most of any element type)\n{:width$}", "", "");
    archs.iter().for_each(|arch| print!("{:>8}", format!("sm_{arch}")));
    println!("  shared B  spill B  stack B");
    for (family, cells) in table {
        print!("{family:width$}");
        archs.iter().for_each(|arch| {
            print!("{:>8}", cells.get(arch).map_or("-".to_owned(), |used| used.registers.to_string()))
        });
        let most = cells.values().fold(ptxas_report::Used::default(), |most, used| most.max(*used));
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
    fn a_family_is_an_entry_without_its_type() {
        assert_eq!(family("reduce_sum_f32_grid"), "reduce_sum_grid");
        assert_eq!(family("reduce_argmin_u64_partials"), "reduce_argmin_partials");
    }
}
