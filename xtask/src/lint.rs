//! `cargo xtask lint`: checks the PTX in the packs for instructions whose results depend on the GPU, by the lint of `cuda_std`, and
//! their headers.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use cuda_std::lint::{May, objection_to, statements};

use crate::workspace::KERNELS;

/// Prefixes of entry points that may use `fma`: for exact products, and for quotients that are rounded as a division rounds them. Elsewhere
/// every sum of products rounds twice.
const MAY_FUSE: [&str; 1] = ["forward_"];

/// Entry points that may add floats by atomics: the ladder's rungs (gpu-kernels/src/ladder) that show what it costs.
/// They are given by full name, and none is shipped with the library. Other rules apply to them, too.
const MAY_ADD_ATOMICALLY: [&str; 3] =
    ["ladder_01_atomic_f32", "ladder_12_atomic_per_thread_f32", "ladder_12_atomic_per_block_f32"];

/// The target of a module: the architecture, and the newest PTX version that all its drivers support.
struct Baseline {
    target: &'static str,
    newest_version: (u32, u32),
}

/// Every supported driver and GPU.
const EVERYWHERE: Baseline = Baseline { target: "sm_75", newest_version: (7, 0) };

/// Drivers and GPUs that can overlap launches.
const OVERLAPPING: Baseline = Baseline { target: "sm_90", newest_version: (8, 3) };

/// Arguments of the command.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// PTX files; the texts in the packs unless given
    files: Vec<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let mut texts = Vec::new();
    for file in &arguments.files {
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        texts.push((file.display().to_string(), text));
    }
    for kernels in KERNELS.iter().filter(|_| arguments.files.is_empty()) {
        let named = |(name, text): (String, String)| (format!("{}/{name}", kernels.pack), text);
        texts.extend(kernels.texts()?.into_iter().map(named));
    }
    let findings: Vec<String> = texts.iter().flat_map(|(name, text)| lint(name, text)).collect();
    report(&findings)?;
    println!("linted {} modules", texts.len());
    Ok(())
}

/// Returns an error with all findings, if there are any.
pub(crate) fn report(findings: &[String]) -> Result<(), Box<dyn Error>> {
    if findings.is_empty() {
        return Ok(());
    }
    Err(format!("PTX that does not give the same bits everywhere:\n  {}", findings.join("\n  ")).into())
}

/// Returns the findings in one module, as `file:line: what: why`: in its text, and in its text for newer GPUs.
pub(crate) fn lint(file: &str, text: &str) -> Vec<String> {
    let mut findings = lint_for(&EVERYWHERE, file, text);
    if let Some(newer) = cuda_std::ptx::for_sm_90(text) {
        let file = format!("{file} for {}", OVERLAPPING.target);
        findings.extend(lint_for(&OVERLAPPING, &file, &newer));
    }
    findings
}

/// Returns the findings in a text for one baseline.
fn lint_for(baseline: &Baseline, file: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut entry = "";
    for (index, statement) in statements(text) {
        if let Some((_, name)) = statement.split_once(".entry ") {
            entry =
                name.trim_start().split(|c: char| c == '(' || c.is_whitespace()).next().unwrap_or_default();
        }
        let may = May {
            fuse: MAY_FUSE.iter().any(|start| entry.starts_with(start)),
            add_atomically: MAY_ADD_ATOMICALLY.contains(&entry),
        };
        let why = objection_to(statement, may).or_else(|| header_objection(statement, baseline));
        if let Some(why) = why {
            findings.push(format!("{file}:{}: `{statement}`: {why}", index + 1));
        }
    }
    findings
}

/// Returns what is wrong with a directive, if anything: the baseline is part of what the library promises.
fn header_objection(statement: &str, baseline: &Baseline) -> Option<String> {
    let mut words = statement.split_whitespace();
    match (words.next()?, words.next()) {
        (".version", Some(version)) => {
            let (major, minor) = version.split_once('.')?;
            let version = (major.parse().ok()?, minor.parse().ok()?);
            let (major, minor) = baseline.newest_version;
            (version > baseline.newest_version)
                .then(|| format!("newer than the oldest supported driver takes (PTX {major}.{minor})"))
        }
        (".target", target) if target != Some(baseline.target) => {
            Some(format!("the baseline is {}", baseline.target))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_planted_kind_is_found() {
        for (line, why) in [
            ("\tadd.f32 %f1, %f2, %f3;", "without .rn"),
            ("\tsub.f64 %fd1, %fd2, %fd3;", "without .rn"),
            ("\tmul.f16 %h1, %h2, %h3;", "without .rn"),
            ("\tadd.f16x2 %r1, %r2, %r3;", "without .rn"),
            ("\tmul.bf16 %h1, %h2, %h3;", "without .rn"),
            ("\tsub.bf16x2 %r1, %r2, %r3;", "without .rn"),
            ("\tadd.f32x2 %rd1, %rd2, %rd3;", "without .rn"),
            ("\tadd.rz.f32 %f1, %f2, %f3;", "without .rn"),
            ("\tdiv.rm.f64 %fd1, %fd2, %fd3;", "without .rn"),
            ("\tsqrt.rp.f32 %f1, %f2;", "without .rn"),
            ("\t@!%p3 add.f32 %f1, %f2, %f3;", "without .rn"),
            ("$L__BB_3: @%p1 add.f32 %f1, %f2, %f3;", "without .rn"),
            ("\tbar.sync 0; mul.f32 %f1, %f2, %f3; bar.sync 0;", "without .rn"),
            ("{ .reg .f32 %t; mul.f32 %t, %f2, %f3; }", "without .rn"),
            ("\tfma.rn.f32 %f1, %f2, %f3, %f4;", "fuses"),
            ("\tfma.rn.bf16x2 %r1, %r2, %r3, %r4;", "fuses"),
            ("\tmad.rn.f64 %fd1, %fd2, %fd3, %fd4;", "fuses"),
            ("\tadd.rn.ftz.f32 %f1, %f2, %f3;", ".ftz is not"),
            ("\tsetp.lt.ftz.f32 %p1, %f2, %f3;", ".ftz is not"),
            ("\tdiv.approx.f32 %f1, %f2, %f3;", ".approx is not"),
            ("\tdiv.full.f32 %f1, %f2, %f3;", ".full is not"),
            ("\trcp.rz.f32 %f1, %f2;", "not the same on the CPU"),
            ("\trsqrt.approx.f32 %f1, %f2;", ".approx"),
            ("\tex2.approx.f32 %f1, %f2;", ".approx"),
            ("\tlg2.f16 %h1, %h2;", "not the same on the CPU"),
            ("\tsin.f32 %f1, %f2;", "not the same on the CPU"),
            ("\tcos.f32 %f1, %f2;", "not the same on the CPU"),
            ("\ttanh.f32 %f1, %f2;", "not the same on the CPU"),
            ("\tatom.global.add.f32 %f1, [%rd1], %f2;", "atomics"),
            ("\tatom.add.noftz.f16 %h1, [%rd1], %h2;", "atomics"),
            ("\tred.relaxed.gpu.global.add.f64 [%rd1], %fd2;", "atomics"),
            ("\tred.global.add.noftz.bf16x2 [%rd1], %r2;", "atomics"),
            ("\tadd.rn.sat.f32 %f1, %f2, %f3;", "clamps"),
            ("\tcvt.sat.f32.f32 %f1, %f2;", "clamps"),
            (".version 7.1", "newer"),
            (".version 8.0", "newer"),
            (".target sm_90", "baseline"),
        ] {
            let findings = lint("x.ptx", &format!("// first line\n{line}\n"));
            assert_eq!(findings.len(), 1, "{line}: {findings:?}");
            assert!(
                findings[0].starts_with("x.ptx:2: `") && findings[0].contains(why),
                "{line}: {findings:?}"
            );
        }
    }

    #[test]
    fn what_is_made_for_newer_gpus_is_linted_too() {
        let module = |line: &str| format!(".version 6.3\n.target sm_75\n\t//@sm_90 {line}\n");
        assert_eq!(lint("x.ptx", &module("griddepcontrol.wait;")), [""; 0]);
        let findings = lint("x.ptx", &module("add.f32 %f1, %f2, %f3;"));
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].starts_with("x.ptx for sm_90:3: `add.f32"), "{findings:?}");
        for (line, findings) in
            [(".target sm_90", 0), (".version 7.8", 0), (".target sm_75", 1), (".version 8.4", 1)]
        {
            assert_eq!(lint_for(&OVERLAPPING, "x.ptx", line).len(), findings, "{line}");
        }
    }

    #[test]
    fn the_ladders_atomics_pass_and_nothing_else_of_it() {
        let module = |entry: &str, line: &str| {
            lint("x.ptx", &format!(".visible .entry {entry}(\n)\n{{\n\t{line}\n}}\n"))
        };
        for entry in MAY_ADD_ATOMICALLY {
            assert_eq!(module(entry, "red.relaxed.gpu.global.add.f32 [%rd1], %r1;"), [""; 0]);
            for line in [
                "add.f32 %f1, %f2, %f3;",
                "fma.rn.f32 %f1, %f2, %f3, %f4;",
                "red.global.max.f32 [%rd1], %f1;",
            ] {
                assert_eq!(module(entry, line).len(), 1, "{entry}: {line}");
            }
        }
        for entry in ["ladder_13_ticket_f32", "ladder_01_atomic_f32_more", "reduce_sum_f32_grid"] {
            assert_eq!(module(entry, "red.relaxed.gpu.global.add.f32 [%rd1], %r1;").len(), 1, "{entry}");
        }
    }

    #[test]
    fn clean_lines_pass() {
        for line in [
            ".version 6.3",
            ".version 7.0",
            ".target sm_75",
            ".visible .entry reduce_sum_f32_grid(",
            "\t.param .f32 add.f32",
            "\tadd.rn.f32 %f1, %f2, %f3;",
            "\tmul.rn.f64 %fd1, %fd2, %fd3;",
            "\tdiv.rn.f32 %f1, %f2, %f3;",
            "\tsqrt.rn.f64 %fd1, %fd2;",
            "\t// add.f32 in a comment",
            "\tadd.s64 %rd1, %rd2, %rd3;",
            "\tmul.wide.u32 %rd1, %r1, 4;",
            "\tmad.lo.s32 %r1, %r2, %r3, %r4;",
            "\tmin.f32 %f1, %f2, %f3;",
            "\tneg.f32 %f1, %f2;",
            "\tsetp.lt.f32 %p1, %f2, %f3;",
            "\tcvt.rn.f32.f64 %f1, %fd1;",
            "\tcvt.sat.u8.u32 %rs1, %r1;",
            "\tatom.relaxed.gpu.global.inc.u32 %r1, [%rd1], %r2;",
            "\tred.global.add.u32 [%rd1], %r2;",
            "\tmov.b32 %r1, 0f80000000;",
            "\tld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];",
            "fence.acq_rel.gpu;",
        ] {
            assert_eq!(lint("x.ptx", line), [""; 0], "{line}");
        }
    }
}
