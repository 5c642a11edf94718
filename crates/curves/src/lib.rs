//! Evaluation curves with their confidence bands.
