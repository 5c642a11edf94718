//! The logistic function and its information.

/// `1 / (1 + e^-x)`.
pub(crate) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Natural log-odds for each point of Elo.
pub(crate) const PER_ELO: f64 = std::f64::consts::LN_10 / 400.0;
