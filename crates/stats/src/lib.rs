//! Mathematics without games: matrices, distributions, intervals, tests, Elo.
