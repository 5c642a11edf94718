//! Go 9x9: rules, notation, features.
