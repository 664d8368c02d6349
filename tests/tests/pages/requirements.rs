//! The table of docs/requirements.md has all of them, and the tests that it names exist.

use std::fs;
use std::path::{Path, PathBuf};

/// How many there are.
const COUNT: usize = 48;

#[test]
fn tests_of_requirements_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").to_path_buf();
    let page = fs::read_to_string(root.join("docs/requirements.md")).expect("the page");
    let rows = rows(&page);
    assert!(rows.iter().map(|row| row.0).eq(1..=COUNT), "numbers: {rows:?}");
    let mut tests = 0;
    for (number, row) in rows {
        let mut last = None;
        for quoted in row.split('`').skip(1).step_by(2) {
            let (file, test) = quoted.rsplit_once("::").unwrap_or((quoted, ""));
            if file.ends_with(".rs") {
                let found = file_of(&root, file);
                last = Some(found.unwrap_or_else(|| panic!("requirement {number}: there is no {file}")));
            } else if !file.is_empty() {
                continue;
            }
            if test.is_empty() {
                continue;
            }
            let file =
                last.as_ref().unwrap_or_else(|| panic!("requirement {number}: {quoted} is in no file"));
            let text = fs::read_to_string(file).expect("the file");
            let is_there =
                [format!("fn {test}("), format!("fn {test}<"), format!("{test}: "), format!("({test}")]
                    .iter()
                    .any(|form| text.contains(form));
            assert!(is_there, "requirement {number}: {} has no {test}", file.display());
            tests += 1;
        }
    }
    assert!(tests > 100, "{tests} tests were found: the table is read wrongly");
}

/// The numbers of the requirements and their rows.
fn rows(page: &str) -> Vec<(usize, &str)> {
    page.lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .filter_map(|(number, row)| Some((number.parse().ok()?, row)))
        .collect()
}

/// The path of a file as the table has it.
fn file_of(root: &Path, file: &str) -> Option<PathBuf> {
    let file = file.replacen("reduce/", "tests/device/reduce/", usize::from(file.starts_with("reduce/")));
    ["", "tests/compile_fail/programs"]
        .iter()
        .map(|folder| root.join(folder).join(&file))
        .find(|path| path.is_file())
}
