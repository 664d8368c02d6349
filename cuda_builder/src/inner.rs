//! The inner build, which runs cargo for the device.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sha2::{Digest as _, Sha256};

use crate::compiler::Compiler;
use crate::{Error, NvvmArch, flags, hex};

/// The settings of the inner build.
pub(crate) struct Inner<'a> {
    /// The crate's folder, absolute.
    pub(crate) folder: &'a Path,
    pub(crate) compiler: &'a Compiler,
    pub(crate) arch: NvvmArch,
    pub(crate) release: bool,
    /// Additional arguments for cargo, such as `--features`.
    pub(crate) arguments: &'a [String],
    /// Kept between builds, so that `core` is compiled once.
    pub(crate) target_dir: &'a Path,
}

/// The results of the inner build.
pub(crate) struct Built {
    /// The linked PTX, as LLVM printed it.
    pub(crate) ptx: String,
    /// Cargo's messages, one JSON value per line.
    pub(crate) messages: String,
    /// Warnings and progress, as text for people.
    pub(crate) stderr: String,
}

impl Inner<'_> {
    /// Returns the folder for cargo's device files.
    pub(crate) fn device_dir(&self) -> PathBuf {
        self.target_dir.join("nvptx64-nvidia-cuda")
    }

    /// Runs the inner build. `-Zbuild-std` and the device's intrinsics are unstable: RUSTC_BOOTSTRAP allows them for
    /// this one process and its children.
    pub(crate) fn run(&self) -> Result<Built, Error> {
        let assembly = self.assembly();
        let mut command = cargo(self.folder);
        command
            .args(["rustc", "--release", "--lib", "--crate-type", "cdylib"])
            .args(["--target", "nvptx64-nvidia-cuda", "-Zbuild-std=core"])
            .args(["--message-format", "json-render-diagnostics", "--target-dir"])
            .arg(self.target_dir);
        for setting in flags::profile(self.release) {
            command.args(["--config", &setting]);
        }
        let mut emit = OsString::from("--emit=asm=");
        emit.push(&assembly);
        // LLVM's text is already the linked module, so a linker has nothing to do.
        command.args(self.arguments).args(["--", "-Zno-link"]).arg(emit);
        command
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTC", &self.compiler.rustc)
            .env("CARGO_ENCODED_RUSTFLAGS", flags::device(self.arch).join("\x1f"));

        std::fs::create_dir_all(self.target_dir).map_err(Error::io(self.target_dir))?;
        let Output { status, stdout, stderr } = output(&mut command)?;
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        if !status.success() {
            return Err(Error::Compile { compiler: self.compiler.rustc.clone(), stderr });
        }
        if !assembly.is_file() {
            let what = format!("no PTX at {}", assembly.display());
            return Err(Error::Unexpected { what, target_dir: self.target_dir.to_owned() });
        }
        let ptx = std::fs::read_to_string(&assembly).map_err(Error::io(assembly))?;
        Ok(Built { ptx, messages: String::from_utf8_lossy(&stdout).into_owned(), stderr })
    }

    /// Returns the file for the PTX. Cargo does not compile an unchanged crate again, so two different builds in one
    /// target folder must not share the file.
    fn assembly(&self) -> PathBuf {
        let what = format!("{:?} {:?} {} {:?}", self.folder, self.arch, self.release, self.arguments);
        self.target_dir.join(format!("{}.s", &hex(&Sha256::digest(what))[..16]))
    }
}

/// Returns a cargo command in `folder`, as if run from a shell: the variables of an outer cargo are about another
/// build.
pub(crate) fn cargo(folder: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_about_the_outer_build) {
            command.env_remove(name);
        }
    }
    // Empty means none, even if a configuration file names one.
    command.env("RUSTC_WRAPPER", "").env("RUSTC_WORKSPACE_WRAPPER", "");
    command
}

/// Returns whether this environment variable comes from an outer cargo, or is a setting of the host's build.
fn is_about_the_outer_build(name: &str) -> bool {
    let where_cargo_finds_crates =
        ["CARGO_HOME", "CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTR", "CARGO_SOURCE_"];
    let starts_with_any = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    let exact =
        ["MAKEFLAGS", "MFLAGS", "OUT_DIR", "TARGET", "HOST", "PROFILE", "OPT_LEVEL", "DEBUG", "NUM_JOBS"];
    exact.contains(&name)
        || starts_with_any(&["RUSTC", "RUSTFLAGS", "RUSTDOC", "__CARGO", "DEP_"])
        || (name.starts_with("CARGO") && !starts_with_any(&where_cargo_finds_crates))
}

/// Runs `command` to its end.
pub(crate) fn output(command: &mut Command) -> Result<Output, Error> {
    command.output().map_err(|source| Error::Spawn { program: command.get_program().into(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_outer_cargo_says_is_told_from_what_the_user_says() {
        for name in [
            "CARGO",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET",
            "CARGO_MAKEFLAGS",
            "CARGO_PROFILE_RELEASE_LTO",
            "CARGO_CFG_TARGET_ARCH",
            "RUSTC",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTFLAGS",
            "OUT_DIR",
            "__CARGO_TEST",
        ] {
            assert!(is_about_the_outer_build(name), "{name}");
        }
        for name in
            ["CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_REGISTRIES_MINE_INDEX", "RUSTUP_TOOLCHAIN", "PATH"]
        {
            assert!(!is_about_the_outer_build(name), "{name}");
        }
    }
}
