//! The example's binary with the emulated driver, and its output.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The output of a run.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A folder with a cache folder, removed at the end.
pub(crate) struct Machine {
    folder: PathBuf,
}

impl Machine {
    pub(crate) fn new(name: &str) -> Self {
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tune-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Self { folder }
    }

    /// The text of the saved file; `None` if there is none.
    pub(crate) fn kept(&self) -> Option<String> {
        let mut files = fs::read_dir(self.folder.join("cache")).ok()?;
        let file = files.next()?.expect("a file");
        assert!(files.next().is_none(), "one file");
        Some(fs::read_to_string(file.path()).expect("a text"))
    }

    /// Runs with sums of i32 and `args`, on an emulated device with as many multiprocessors as an H100.
    pub(crate) fn run(&self, args: &[&str], variables: &[(&str, &str)]) -> Ran {
        const EMULATED: [(&str, &str); 3] = [
            ("WARPFOLD_DEVICE", "emulated"),
            ("WARPFOLD_EMULATED_MULTIPROCESSORS", "132"),
            ("WARPFOLD_EMULATED_REPORT", "1"),
        ];
        self.start(args, &[&EMULATED, variables].concat())
    }

    /// Like [`run`](Self::run), without the driver.
    pub(crate) fn run_without_driver(&self, args: &[&str]) -> Ran {
        self.start(args, &[])
    }

    fn start(&self, args: &[&str], variables: &[(&str, &str)]) -> Ran {
        let output = Command::new(binary())
            .args(["--types", "i32", "--ops", "sum"])
            .args(args)
            .env("WARPFOLD_CACHE", self.folder.join("cache"))
            .env_remove("WARPFOLD_TUNING")
            .envs(variables.iter().copied())
            .output()
            .expect("the program starts");
        Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
            err: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The folder of examples: beside the folder of this test's binary.
fn binary() -> PathBuf {
    let test = env::current_exe().expect("the path of this test");
    let profile = test.ancestors().nth(2).expect("a test lies in target/PROFILE/deps");
    let binary = profile.join("examples").join("tune");
    let hint = "`cargo test -p warpfold-examples --features emulator` builds it";
    assert!(binary.exists(), "{} is not built: {hint}", binary.display());
    binary
}
