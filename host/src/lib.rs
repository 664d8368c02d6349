//! warpfold.
