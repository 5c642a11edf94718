//! Positions with labels in Parquet, and the self-play that makes them.
