//! Proportions and their intervals, plain and clustered.
