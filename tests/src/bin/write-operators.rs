//! Writes the lists of pairs and the tables of operators from the catalogue's matrix.

fn main() -> std::io::Result<()> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    warpfold_tests::operators::files()
        .into_iter()
        .try_for_each(|(path, _, text)| std::fs::write(root.join(path), text))
}
