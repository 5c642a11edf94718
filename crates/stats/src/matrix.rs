//! Small symmetric matrices: accumulation, Cholesky factors, solving, inverses.
