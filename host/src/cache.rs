//! Small texts about this machine, stored in the user's cache folder for later processes.
//!
//! The folder is `$WARPFOLD_CACHE`, else `$XDG_CACHE_HOME/warpfold`, else `~/.cache/warpfold`. If `WARPFOLD_CACHE` is
//! set and empty, nothing is stored. The texts only save time: one that is missing, damaged or of another version of
//! this library counts as absent, and a failed write is ignored.
//!
//! A text is written to a new file, which then replaces the old one, so a reader sees either the old or the new text.
//! There is no lock, so threads, processes and forked children need no coordination.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of the longest text that is stored.
const LONGEST: usize = 1 << 20;

/// Bytes of the longest first line of a file.
const HEAD: usize = 100;

/// Returns the folder of the texts, which may not exist yet.
pub(crate) fn folder() -> Option<PathBuf> {
    folder_of(|name| env::var_os(name), env::home_dir())
}

/// Returns the text stored as `name`, which has letters, digits, dots, hyphens and underscores.
pub(crate) fn read(name: &str) -> Option<String> {
    read_in(&folder()?, name).ok()
}

/// Stores `text` as `name`. Returns whether that succeeded.
pub(crate) fn write(name: &str, text: &str) -> bool {
    folder().is_some_and(|folder| write_in(&folder, name, text).is_ok())
}

fn folder_of(variable: impl Fn(&str) -> Option<OsString>, home: Option<PathBuf>) -> Option<PathBuf> {
    if let Some(folder) = variable("WARPFOLD_CACHE") {
        return Some(folder).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    }
    // The XDG Base Directory Specification ignores paths that are not absolute.
    let xdg = variable("XDG_CACHE_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let home = home.filter(|home| home.is_absolute()).map(|home| home.join(".cache"));
    xdg.or(home).map(|folder| folder.join("warpfold"))
}

/// Returns the first line of a file. Files of other versions and truncated files have another first line.
fn head(text: &str) -> String {
    format!("warpfold {} keeps {} bytes\n", env!("CARGO_PKG_VERSION"), text.len())
}

/// Returns the path of `name`, if that is a plain file name.
fn path_of(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(plain) {
        return Err(ErrorKind::InvalidInput.into());
    }
    Ok(folder.join(name))
}

fn read_in(folder: &Path, name: &str) -> io::Result<String> {
    let path = path_of(folder, name)?;
    // Opening a pipe would block.
    if !fs::metadata(&path)?.is_file() {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut whole = String::new();
    File::open(&path)?.take((LONGEST + HEAD) as u64).read_to_string(&mut whole)?;
    let text = whole.split_once('\n').map(|(_, text)| text).filter(|text| whole.starts_with(&head(text)));
    text.map(str::to_owned).ok_or(ErrorKind::InvalidData.into())
}

fn write_in(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let path = path_of(folder, name)?;
    if text.len() > LONGEST {
        return Err(ErrorKind::InvalidInput.into());
    }
    fs::create_dir_all(folder)?;
    let (mut file, new) = create(folder, name)?;
    let replaced = file
        .write_all(head(text).as_bytes())
        .and_then(|()| file.write_all(text.as_bytes()))
        .and_then(|()| fs::rename(&new, &path));
    if replaced.is_err() {
        // A failure here cannot be helped.
        let _ = fs::remove_file(&new);
    }
    replaced
}

/// Creates a file with a name that no other process uses. In containers that share a home folder, processes may have
/// equal numbers.
fn create(folder: &Path, name: &str) -> io::Result<(File, PathBuf)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    for _ in 0..100 {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let new = folder.join(format!(".{name}.{}.{number}", process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&new) {
            Err(taken) if taken.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (file, new)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder for one test, which is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = env::temp_dir().join(format!("warpfold-cache-{}-{name}", process::id()));
            let _ = fs::remove_dir_all(&folder);
            Self(folder)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_folder_is_the_first_that_is_named() {
        let home = || Some(PathBuf::from("/home/u"));
        let found = |own: Option<&str>, xdg: Option<&str>, home| {
            folder_of(
                |name| if name == "WARPFOLD_CACHE" { own.map(Into::into) } else { xdg.map(Into::into) },
                home,
            )
        };
        assert_eq!(found(Some("/a"), Some("/b"), home()), Some("/a".into()));
        assert_eq!(found(Some(""), Some("/b"), home()), None);
        assert_eq!(found(None, Some("/b"), home()), Some("/b/warpfold".into()));
        for ignored in [None, Some(""), Some("relative")] {
            assert_eq!(found(None, ignored, home()), Some("/home/u/.cache/warpfold".into()));
        }
        assert_eq!(found(None, None, None), None);
    }

    #[test]
    fn what_was_written_last_is_read() {
        let folder = Folder::new("last");
        assert!(read_in(&folder.0, "plan").is_err());
        for text in ["", "one", "two\nlines\n", "\u{e9}\n"] {
            write_in(&folder.0, "plan", text).expect("a folder that can be written");
            assert_eq!(read_in(&folder.0, "plan").expect("a text"), text);
        }
        assert_eq!(fs::read_dir(&folder.0).expect("a folder").count(), 1, "nothing else is left there");
        assert!(write_in(&folder.0, "plan", &"x".repeat(LONGEST + 1)).is_err());
        write_in(&folder.0, "plan", &"x".repeat(LONGEST)).expect("as long as may be");
        assert_eq!(read_in(&folder.0, "plan").expect("a text").len(), LONGEST);
    }

    #[test]
    fn what_is_damaged_or_of_another_version_is_not_there() {
        let folder = Folder::new("damaged");
        write_in(&folder.0, "plan", "some = text\n").expect("a folder that can be written");
        let path = folder.0.join("plan");
        let whole = fs::read_to_string(&path).expect("a file");
        for len in 0..whole.len() {
            fs::write(&path, &whole[..len]).expect("to cut it off");
            assert!(read_in(&folder.0, "plan").is_err(), "{len} of {} bytes", whole.len());
        }
        for damaged in [whole.replace(env!("CARGO_PKG_VERSION"), "9.9.9"), format!("{whole}more")] {
            fs::write(&path, damaged).expect("to write");
            assert!(read_in(&folder.0, "plan").is_err());
        }
        fs::write(&path, [0xff, b'\n']).expect("to write");
        assert!(read_in(&folder.0, "plan").is_err());
        fs::remove_file(&path).expect("to remove");
        fs::create_dir(&path).expect("a folder of its name");
        assert!(read_in(&folder.0, "plan").is_err());
        assert!(write_in(&folder.0, "plan", "text").is_err());
        assert_eq!(fs::read_dir(&folder.0).expect("a folder").count(), 1, "a failed write leaves nothing");
    }

    #[test]
    fn names_lead_nowhere_else() {
        let folder = Folder::new("names");
        for name in ["", ".", "..", "../up", "a/b", "/root", ".hidden", "nul\0", "a b"] {
            assert!(write_in(&folder.0, name, "text").is_err(), "{name:?}");
            assert!(read_in(&folder.0, name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn readers_see_whole_texts_while_others_write() {
        let folder = Folder::new("race");
        let texts = ["a".repeat(5000), "b".repeat(70_000)];
        write_in(&folder.0, "plan", &texts[0]).expect("a folder that can be written");
        std::thread::scope(|scope| {
            for text in &texts {
                let folder = &folder.0;
                scope.spawn(move || {
                    for _ in 0..100 {
                        write_in(folder, "plan", text).expect("to write");
                    }
                });
            }
            for _ in 0..200 {
                let found = read_in(&folder.0, "plan").expect("a text");
                assert!(texts.contains(&found));
            }
        });
    }
}
