//! Chess: rules on cozy-chess, notation, features.
