//! What is tested is in the folders beside this one.
