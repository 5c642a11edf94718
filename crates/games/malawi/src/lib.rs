//! Malawi: rules, notation, features.
