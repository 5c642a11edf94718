//! Every game by name.
