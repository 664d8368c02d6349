//! A file that is read in portions, by several threads, and whether it stays as it was.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::failure::Failure;

/// A file's length, and when it last changed. A file that is written meanwhile gets another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    /// The number of the file in its file system, which a file that takes another's name does not share.
    number: Option<u64>,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let number = Some(std::os::unix::fs::MetadataExt::ino(metadata));
        #[cfg(not(unix))]
        let number = None;
        Self { len: metadata.len(), modified: metadata.modified().ok(), number }
    }

    /// That of the file which has this path.
    pub(crate) fn at(path: &Path) -> Result<Self, Failure> {
        let metadata = path.metadata().map_err(|cause| Failure::Open { path: path.into(), cause })?;
        Ok(Self::of(&metadata))
    }

    /// An error if the file that has this path has another.
    pub(crate) fn check(&self, path: &Path) -> Result<(), Failure> {
        let now = path.metadata().map(|metadata| Self::of(&metadata));
        if now.is_ok_and(|now| now == *self) { Ok(()) } else { Err(Failure::Changed { path: path.into() }) }
    }
}

/// An open file.
pub(crate) struct Opened {
    file: File,
    path: PathBuf,
    stamp: Stamp,
}

impl Opened {
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let failed = |cause| Failure::Open { path: path.into(), cause };
        let file = File::open(path).map_err(failed)?;
        let stamp = Stamp::of(&file.metadata().map_err(failed)?);
        Ok(Self { file, path: path.into(), stamp })
    }

    /// Its length when it was opened.
    pub(crate) fn len(&self) -> u64 {
        self.stamp.len
    }

    /// Fills `bytes` from byte `at` on. That there are fewer is an error: the file has changed.
    pub(crate) fn read(&self, bytes: &mut [u8], at: u64) -> Result<(), Failure> {
        read_at(&self.file, bytes, at).map_err(|cause| match cause.kind() {
            ErrorKind::UnexpectedEof => Failure::Changed { path: self.path.clone() },
            _ => Failure::Open { path: self.path.clone(), cause },
        })
    }

    /// An error if the file was written since it was opened.
    pub(crate) fn unchanged(&self) -> Result<(), Failure> {
        let now = self.file.metadata().map(|metadata| Stamp::of(&metadata));
        if now.is_ok_and(|now| now == self.stamp) {
            Ok(())
        } else {
            Err(Failure::Changed { path: self.path.clone() })
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                bytes = &mut bytes[read..];
                at += read as u64;
            }
            Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
    }
    Ok(())
}
