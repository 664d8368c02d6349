//! Exponentials, softmax and norms of rows: folds of a row, then a result, or one for each element.
//!
//! The folds go along the tree of the row's own length, so its results depend on no other row. Threads share rows as in
//! [`batch`](super::batch).

mod cross_entropy;
mod folds;
mod gradients;
mod inputs;
mod maps;
mod norms;
mod softmax;
mod sum_exp;
