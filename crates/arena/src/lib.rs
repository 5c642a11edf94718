//! Players, openings, clocks and matches.
