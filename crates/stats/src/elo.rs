//! Match results as ratings: points, Elo, likelihood of superiority, with paired games as the unit.
