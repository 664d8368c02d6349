//! Input that cannot be read as it is, or not more than once: standard input, and compressed files. A copy of it is, in a temporary
//! file, which is removed at the end.

mod decoder;

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write, stdin};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, process};

use self::decoder::Decoder;
use crate::cli::{Cli, Input};
use crate::failure::Failure;

/// The name of standard input.
const STDIN: &str = "-";

/// Bytes that are copied at a time.
const BLOCK: usize = 1 << 16;

/// The most bytes that compressed input may become, unless it is a thousandth of them or `--expand` is given.
const MOST: u64 = 4 << 30;

/// The most bytes that one byte of longer compressed input may become.
const MOST_TIMES: u64 = 1000;

/// The copy of an input.
pub(crate) struct Spool {
    path: PathBuf,
    /// The input's own name.
    name: String,
}

impl Spool {
    /// Copies the input, unless it is a file that can be read as it is.
    pub(crate) fn of(cli: &Cli) -> Result<Option<Self>, Failure> {
        let Input::File(path) = cli.input()? else { return Ok(None) };
        let failed = |cause| Failure::Open { path: path.into(), cause };
        let is_stdin = path == Path::new(STDIN);
        if is_stdin && cli.mpi {
            return Err(Failure::Usage("--mpi: each process reads its part of a file: name one".into()));
        }
        // The reader of files says what is wrong with others, before a pipe is opened, which would wait for its writer.
        if !is_stdin && !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Ok(None);
        }
        let input: Box<dyn Read> =
            if is_stdin { Box::new(stdin().lock()) } else { Box::new(File::open(path).map_err(failed)?) };
        let mut decoder = Decoder::of(input).map_err(failed)?;
        if !is_stdin && !decoder.is_compressed() {
            return Ok(None);
        }
        // The name of a compressed file says what is in it, as x.csv.gz does.
        let within = if decoder.is_compressed() { path.file_stem().map(Path::new) } else { Some(path) };
        let extension = within.and_then(Path::extension).and_then(|extension| extension.to_str());
        let (path_of_copy, mut copy) = temporary(extension.unwrap_or_default()).map_err(not_copied)?;
        let spool = Self { path: path_of_copy, name: path.to_string_lossy().into_owned() };
        let (mut block, mut len) = (vec![0; BLOCK], 0_u64);
        loop {
            let read = match decoder.read(&mut block) {
                Ok(0) => return Ok(Some(spool)),
                Ok(read) => read,
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
                Err(cause) if decoder.is_compressed() => {
                    let damaged = format!("its compressed data is damaged or cut off: {cause}");
                    return Err(Failure::content(path, io::Error::new(cause.kind(), damaged)));
                }
                Err(cause) => return Err(failed(cause)),
            };
            len += read as u64;
            if decoder.is_compressed() && !cli.expand && len > MOST && len / MOST_TIMES > decoder.taken() {
                return Err(Failure::Usage(format!(
                    "{}: it becomes more than 4 GiB, and 1000 times its size: with --expand it is read all the same",
                    crate::terminal::line(&spool.name)
                )));
            }
            copy.write_all(&block[..read]).map_err(not_copied)?;
        }
    }

    /// The copy.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What is said of the copy, said of the input.
    pub(crate) fn named(&self, said: Result<String, Failure>) -> Result<String, Failure> {
        let copy = self.path.to_string_lossy();
        // In JSON it may be written with escapes.
        let escaped = copy.replace('\\', "\\\\");
        let named = |text: String| text.replace(&*escaped, &self.name).replace(&*copy, &self.name);
        said.map(named).map_err(|failure| Failure::OfCopy {
            message: named(failure.message()),
            is_of_input: failure.is_of_input(),
        })
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        // If it is gone or stays, nobody can be told.
        let _ = fs::remove_file(&self.path);
    }
}

fn not_copied(cause: io::Error) -> Failure {
    Failure::Copy { folder: env::temp_dir(), cause }
}

/// Makes a file that only this user reads.
fn temporary(extension: &str) -> io::Result<(PathBuf, File)> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let path = env::temp_dir().join(format!("stats-{}-{now}.{extension}", process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path)?;
    Ok((path, file))
}
