//! The catalogue: what kernels are shipped for. `matrix.txt` has the pairs of an operator and an element, and how to read them.

mod floats;
mod formulas;
mod pairs;
mod words;
