//! The tables of docs/tuning are about the code as it is: constants and their values, functions and files. A comment that
//! names a page has a row there.

use std::fs;
use std::path::{Path, PathBuf};

use super::{files, root};

/// The constant or function, its file and its value in each row of a page.
fn rows(page: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    page.lines().filter_map(|line| {
        let [_, name, file, value, ..] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            return None;
        };
        let (file, _) = file.strip_prefix('[')?.split_once(']')?;
        Some((name.trim_matches('`'), file, value.trim_matches('`')))
    })
}

#[test]
fn rows_of_tuning_name_what_the_code_has() {
    let mut values = 0;
    for page in files(&root().join("docs/tuning")) {
        for (name, file, value) in rows(&fs::read_to_string(&page).expect("the page")) {
            let text = fs::read_to_string(root().join(file)).expect(file);
            let mut code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            values += usize::from(!value.is_empty());
            let is_there = file.ends_with(&format!("/{name}"))
                || code.any(|line| {
                    let ends = [format!("= {value};"), format!("{{ {value} }};")];
                    line.contains(name) && (value.is_empty() || ends.iter().any(|end| line.ends_with(end)))
                });
            assert!(is_there, "{}: {file} has no {name} of {value}", page.display());
        }
    }
    assert!(values > 50, "{values} values were found: the tables are read wrongly");
}

#[test]
fn comments_name_pages_of_tuning_that_have_their_file() {
    let mut seen = 0;
    for folder in ["bench/src", "gpu-kernels/src", "host/src", "stats/src"] {
        for path in sources(&root().join(folder)) {
            let text = fs::read_to_string(&path).expect("a source file");
            for (at, _) in text.match_indices("docs/tuning/") {
                let page = text[at..].split_inclusive(".md").next().expect("a page");
                let file = path.strip_prefix(root()).expect("a file of the repository").display().to_string();
                let rows = fs::read_to_string(root().join(page)).expect(page);
                assert!(rows.contains(&format!("[{file}]")), "{page} has no row of {file}");
                seen += 1;
            }
        }
    }
    assert!(seen > 80, "{seen} comments were found: they are read wrongly");
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let (folders, files): (Vec<_>, Vec<_>) = files(folder).into_iter().partition(|path| path.is_dir());
    let files = files.into_iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
    folders.iter().flat_map(|folder| sources(folder)).chain(files).collect()
}
