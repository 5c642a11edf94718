//! Othello: rules on two bitboards, notation, symmetry, features.
