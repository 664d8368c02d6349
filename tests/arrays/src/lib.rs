//! Tests only: warpfold on the arrays of ndarray and Arrow.
