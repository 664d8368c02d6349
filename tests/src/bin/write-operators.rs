//! Prints docs/operators.md.

fn main() {
    print!("{}", warpfold_tests::operators::page());
}
