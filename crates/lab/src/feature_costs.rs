//! What features cost to compute: told by a person, or measured.

use crate::LabError;
use evalsmith_core::{Features, Game};
use evalsmith_data::Dataset;
use evalsmith_rules::{DynGame, Pos};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Positions on which costs are measured, and how often; the quickest counts.
const POSITIONS: usize = 4096;
const TIMES: usize = 5;

/// The costs of features, of which a tree may prefer the cheap ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureCosts {
    /// All alike.
    #[default]
    Alike,
    /// Measured on the dataset's positions: the mean cost is 1.
    Measured,
    /// By name; those not named cost 1.
    Named(Vec<(String, f64)>),
}

impl FeatureCosts {
    pub(crate) fn are_alike(&self) -> bool {
        *self == Self::Alike
    }

    /// The costs of these features, in order; none where all are alike.
    pub(crate) fn of(&self, names: &[String]) -> Result<Vec<f64>, LabError> {
        let named = match self {
            Self::Alike => return Ok(Vec::new()),
            Self::Measured => {
                let message = "costs are measured on a dataset of a game; name them with --cost";
                return Err(LabError::Settings(message.into()));
            }
            Self::Named(named) => named,
        };
        if let Some((unknown, _)) = named.iter().find(|(name, _)| !names.contains(name)) {
            let message =
                format!("--cost names {unknown:?}; the features are {}", names.join(", "));
            return Err(LabError::Settings(message));
        }
        let cost = |name: &String| named.iter().find(|(n, _)| n == name).map_or(1.0, |(_, c)| *c);
        Ok(names.iter().map(cost).collect())
    }

    /// The same with measured costs named. Each feature is asked for alone, so that
    /// work which several share counts for each.
    pub(crate) fn measured(&self, game: &DynGame, dataset: &Dataset) -> Result<Self, LabError> {
        if *self != Self::Measured {
            return Ok(self.clone());
        }
        let mut positions: Vec<Pos> = Vec::new();
        'read: for batch in dataset.rows() {
            for row in batch?.rows() {
                positions.push(game.unpack(row.position)?.0);
                if positions.len() == POSITIONS {
                    break 'read;
                }
            }
        }
        let features = game.features();
        let least =
            |i| (0..TIMES).map(|_| features.seconds(i, &positions)).fold(f64::INFINITY, f64::min);
        let seconds: Vec<f64> = (0..features.count()).map(least).collect();
        let mean = seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
        let cost = |s: f64| if mean > 0.0 { (s / mean * 100.0).round() / 100.0 } else { 1.0 };
        Ok(Self::Named(features.names().into_iter().zip(seconds.into_iter().map(cost)).collect()))
    }
}

/// `measured`, or `mobility=3,edge=0.5`.
impl FromStr for FeatureCosts {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "measured" {
            return Ok(Self::Measured);
        }
        let one = |part: &str| {
            let cost = part.split_once('=').and_then(|(name, cost)| {
                let cost: f64 = cost.trim().parse().ok()?;
                (cost >= 0.0 && cost.is_finite()).then(|| (name.trim().to_owned(), cost))
            });
            cost.ok_or_else(|| {
                format!("{part:?} is no cost; write measured, or NAME=NUMBER, numbers of 0 or more")
            })
        };
        text.split(',').map(one).collect::<Result<_, _>>().map(Self::Named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_read_and_put_in_order() {
        let names = ["edge".to_owned(), "mobility".into(), "corner".into()];
        let costs: FeatureCosts = "mobility=3, corner=0.5".parse().expect("costs");
        assert_eq!(costs.of(&names).expect("known"), [1.0, 3.0, 0.5]);
        assert!(FeatureCosts::Alike.of(&names).expect("none").is_empty());
        let unknown: FeatureCosts = "moblity=3".parse().expect("well formed");
        assert!(unknown.of(&names).expect_err("misspelt").to_string().contains("moblity"));
        for wrong in ["mobility", "edge=-1", "edge=x", ""] {
            assert!(wrong.parse::<FeatureCosts>().is_err(), "{wrong}");
        }
        assert!(FeatureCosts::Measured.of(&names).is_err(), "a table has no positions");
    }
}
