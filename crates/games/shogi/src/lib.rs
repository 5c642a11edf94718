//! Shogi: rules on haitaka, notation, features.
