//! The increasing function between a sum of weights and a label.

use serde::{Deserialize, Serialize};

/// `g` in `e = g(sum of weights)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// The sum itself: labels are margins.
    #[default]
    Identity,
    /// `1 / (1 + e^-x)`: labels are probabilities.
    Logistic,
    /// `2 C / (1 + e^-x) - C`: labels are margins from `-C` to `C`.
    Range(f32),
}

impl Link {
    /// The value and the slope at a sum.
    #[inline]
    pub fn at(self, sum: f32) -> (f32, f32) {
        let logistic = |x: f32| 1.0 / (1.0 + (-x).exp());
        match self {
            Self::Identity => (sum, 1.0),
            Self::Logistic => {
                let p = logistic(sum);
                (p, p * (1.0 - p))
            }
            Self::Range(most) => {
                let p = logistic(sum);
                (2.0 * most * p - most, 2.0 * most * p * (1.0 - p))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_values() {
        for link in [Link::Identity, Link::Logistic, Link::Range(64.0)] {
            for x in [-3.0_f32, -0.5, 0.0, 0.7, 2.0] {
                let h = 1e-2;
                let slope = (link.at(x + h).0 - link.at(x - h).0) / (2.0 * h);
                assert!((slope - link.at(x).1).abs() < 1e-3 * slope.abs().max(1.0), "{link:?} {x}");
            }
        }
    }
}
