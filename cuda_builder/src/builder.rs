//! The builder: settings, and the order of the steps.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::inner::{self, Inner};
use crate::{Error, NvvmArch, PtxOutput, compiler, flags, ptx, sources};

/// Builds a kernels crate. Names follow Rust-CUDA's builder.
///
/// There is no setting for contraction, flushing to zero or approximate division: kernels built here give the same bits
/// as their source on the host.
#[derive(Clone, Debug)]
pub struct CudaBuilder {
    path: PathBuf,
    arch: NvvmArch,
    release: bool,
    copy_to: Option<PathBuf>,
    rustc: Option<PathBuf>,
    target_dir: Option<PathBuf>,
    build_args: Vec<String>,
}

impl CudaBuilder {
    /// Creates a builder for the crate in the folder `path`. A relative path starts from the current folder. In a
    /// `build.rs` this is the folder of its package.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            arch: NvvmArch::default(),
            release: true,
            copy_to: None,
            rustc: None,
            target_dir: None,
            build_args: Vec::new(),
        }
    }

    /// Sets the lowest GPU generation to run on; [`NvvmArch::Compute75`] by default.
    #[must_use]
    pub fn arch(mut self, arch: NvvmArch) -> Self {
        self.arch = arch;
        self
    }

    /// Sets whether to optimise; true by default. Without optimisation, debug assertions and overflow checks are on,
    /// and trap.
    #[must_use]
    pub fn release(mut self, release: bool) -> Self {
        self.release = release;
        self
    }

    /// Sets where to write the PTX; see [`PtxOutput::write_to`].
    #[must_use]
    pub fn copy_to(mut self, path: impl Into<PathBuf>) -> Self {
        self.copy_to = Some(path.into());
        self
    }

    /// Sets the compiler. By default it is the one that `WARPFOLD_RUSTC` names, or else the first that can build PTX of
    /// the active toolchain and `/usr/bin/rustc`.
    #[must_use]
    pub fn rustc(mut self, rustc: impl Into<PathBuf>) -> Self {
        self.rustc = Some(rustc.into());
        self
    }

    /// Sets the target folder of the device build. The default is under `OUT_DIR` in a `build.rs`, and otherwise
    /// `cuda-builder` in the target folder of the crate's workspace. Keep the folder between builds: the first build
    /// compiles `core`.
    #[must_use]
    pub fn target_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.target_dir = Some(path.into());
        self
    }

    /// Adds arguments for the inner cargo, such as `["--features", "wide"]`.
    #[must_use]
    pub fn build_args(mut self, arguments: &[impl AsRef<str>]) -> Self {
        self.build_args.extend(arguments.iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Does the whole work of a `build.rs`: writes the PTX to `OUT_DIR`, and reports failures as cargo errors. A crate
    /// may contain its own kernels and build itself (`"."`): in the device build, which runs the same script, this does
    /// nothing.
    pub fn build_script(self) {
        if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "nvptx64") {
            return;
        }
        let Some(out_dir) = std::env::var_os("OUT_DIR") else {
            println!("cargo::error=there is no OUT_DIR: CudaBuilder::build_script is for build.rs");
            return;
        };
        if let Err(error) = self.copy_to(out_dir).build() {
            println!("cargo::error={}", error.to_string().replace('\n', "\ncargo::error="));
        }
    }

    /// Returns what `rustc --version` prints for the compiler that [`build`](Self::build) would use.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] if no compiler can build PTX.
    pub fn compiler(&self) -> Result<String, Error> {
        Ok(self.find_compiler(&self.path)?.version)
    }

    fn find_compiler(&self, folder: &Path) -> Result<compiler::Compiler, Error> {
        let named = self.rustc.clone().or_else(compiler::named_by_user);
        compiler::find(named, folder, self.arch.target_cpu())
    }

    /// Compiles the crate. In a `build.rs` this also prints the `cargo::rerun-if-changed` lines of its sources.
    ///
    /// # Errors
    /// [`Error::NoCrate`], [`Error::ForbiddenFlag`] and [`Error::NoCompiler`] before anything is run;
    /// [`Error::Compile`] with the compiler's own output; [`Error::NoEntries`] for a crate without kernels. The
    /// messages say what to do.
    pub fn build(self) -> Result<PtxOutput, Error> {
        let script = BuildScript::running();
        if script.is_some() {
            for variable in flags::PLACES.into_iter().chain([compiler::VARIABLE]) {
                println!("cargo::rerun-if-env-changed={variable}");
            }
        }
        let folder = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        if !folder.join("Cargo.toml").is_file() {
            return Err(Error::NoCrate { path: self.path });
        }
        flags::check(|name| std::env::var(name).ok())?;
        let compiler = self.find_compiler(&folder)?;
        let target_dir = match (self.target_dir, &script) {
            (Some(path), _) => std::path::absolute(&path).map_err(Error::io(path))?,
            (None, Some(BuildScript { out_dir })) => out_dir.join("cuda-builder"),
            (None, None) => workspace_target(&folder)?.join("cuda-builder"),
        };
        let inner = Inner {
            folder: &folder,
            compiler: &compiler,
            arch: self.arch,
            release: self.release,
            arguments: &self.build_args,
            target_dir: &target_dir,
        };
        let started = SystemTime::now();
        let mut built = inner.run()?;
        let mut sources = sources::read(&inner, &built.messages)?;
        // A file was saved meanwhile, so the hash may be of a text that the compiler has not seen.
        if sources.changed_since(started) {
            built = inner.run()?;
            sources = sources::read(&inner, &built.messages)?;
        }
        if script.is_some() {
            println!("cargo::rerun-if-changed={}", folder.join("Cargo.toml").display());
            for file in &sources.files {
                println!("cargo::rerun-if-changed={}", file.display());
            }
        }
        let output = PtxOutput {
            library: sources.library,
            modules: ptx::share(ptx::split(&built.ptx)?),
            whole: built.ptx,
            compiler: compiler.version,
            source_hash: sources.hash,
            sources: sources.files,
            messages: built.stderr,
        };
        if let Some(path) = self.copy_to {
            output.write_to(path)?;
        }
        Ok(output)
    }
}

/// The build script that this process runs, with its folder.
struct BuildScript {
    out_dir: PathBuf,
}

impl BuildScript {
    /// Returns `None` outside build scripts. Cargo also sets OUT_DIR for tests, but HOST for build scripts only.
    fn running() -> Option<Self> {
        std::env::var_os("HOST")?;
        Some(Self { out_dir: std::env::var_os("OUT_DIR")?.into() })
    }
}

/// Returns the target folder of the workspace of the crate in `folder`.
fn workspace_target(folder: &Path) -> Result<PathBuf, Error> {
    if let Some(target) = std::env::var_os("CARGO_TARGET_DIR") {
        return std::path::absolute(&target).map_err(Error::io(target));
    }
    let mut locate = inner::cargo(folder);
    let answer = inner::output(locate.args(["locate-project", "--workspace", "--message-format", "plain"]))?;
    let manifest = PathBuf::from(String::from_utf8_lossy(&answer.stdout).trim());
    Ok(manifest.parent().filter(|_| answer.status.success()).unwrap_or(folder).join("target"))
}
