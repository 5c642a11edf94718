//! The search for conditions under which the total curve splits: the first of the
//! two future works of takeuchi07.
//!
//! Every property is cut at up to 254 thresholds, every pair of properties at 7 by
//! 7, and the best pairs are joined by a third; properties of few whole values make
//! configurations, as in GLEM. A condition is tested on top of
//! the common curve (see `base`): a single one as it is, a joint one beyond what
//! its two parts do alone, so that a pair is found only if it is more than the sum
//! of its halves. Its gain is what a weight on it would add to the log-likelihood
//! (one Newton step), its z rests on scores summed by game. Conditions overlap and
//! share games, so that the false discovery rate is held by Benjamini and
//! Yekutieli's procedure (2001), valid under any dependence; joint conditions that
//! only a screening has seen count as tests all the same. Invariant: nothing
//! depends on the number of threads.

mod base;
mod configuration;
mod discovery;
mod pair;
mod rank;
mod single;
mod table;

pub use table::SearchTable;

use crate::expression::Comparison;
use crate::{CurveError, Expression};
use base::Base;
use evalsmith_stats::normal;
use rank::Ranked;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Joint conditions tested after the screening, and pairs that a third may join.
const PROMOTED: usize = 256;
const PARENTS: usize = 8;

/// How to search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchParams {
    /// Positions in which a condition must hold, and fail.
    pub min_count: u64,
    /// Games in which a condition must hold somewhere, and fail somewhere.
    pub min_games: u64,
    /// The share of false conditions among those reported, at most.
    pub false_discovery_rate: f64,
    /// Whether pairs are searched, and configurations of three.
    pub pairs: bool,
    /// The most relations `property = value` of the configurations that are tried;
    /// zero tries none.
    pub configurations: usize,
}

impl Default for SearchParams {
    fn default() -> Self {
        Self {
            min_count: 1000,
            min_games: 50,
            false_discovery_rate: 0.05,
            pairs: false,
            configurations: 0,
        }
    }
}

impl SearchParams {
    /// The default for a table of so many positions and games: of a small one, a tenth of
    /// the positions and a third of the games are enough.
    pub fn sized(positions: u64, games: u64) -> Self {
        let usual = Self::default();
        Self {
            min_count: (positions / 10).clamp(20, usual.min_count),
            min_games: (games / 3).clamp(10, usual.min_games),
            ..usual
        }
    }
}

/// A condition under which the curve splits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The condition, as it was tested.
    pub condition: Expression,
    /// The properties it is made of.
    pub properties: Vec<String>,
    /// What a weight on it adds to the log-likelihood, beyond its parts.
    pub gain: f64,
    /// Log-odds that the function misses where it holds, beyond its parts.
    pub log_odds: f64,
    /// The difference from no split in standard errors clustered by game.
    pub z: f64,
    /// The probability of so large a z without a split.
    pub p_value: f64,
    /// The smallest false discovery rate at which it is reported.
    pub q_value: f64,
    /// Positions in which it holds.
    pub positions: u64,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Searched {
    /// Positions searched.
    pub positions: u64,
    /// Games searched.
    pub games: u64,
    /// Conditions tested.
    pub tests: u64,
    /// Whether values separate wins from losses somewhere, so that the common curve
    /// was fitted with a ridge.
    pub separated: bool,
    /// The best condition of each property, pair and configuration that the false
    /// discovery rate admits, by gain.
    pub found: Vec<Found>,
}

/// How a condition compares a property's rank with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    Below,
    AtLeast,
    Equal,
}

impl By {
    const fn comparison(self) -> Comparison {
        match self {
            Self::Below => Comparison::Less,
            Self::AtLeast => Comparison::GreaterOrEqual,
            Self::Equal => Comparison::Equal,
        }
    }
}

/// A tested condition.
#[derive(Clone, Debug)]
struct Tested {
    /// Properties, ranks, and how they are compared; all must hold.
    parts: Vec<(usize, u8, By)>,
    gain: f64,
    log_odds: f64,
    z: f64,
    positions: u64,
}

impl Tested {
    fn p_value(&self) -> f64 {
        normal::two_sided(self.z)
    }
}

/// Searches.
///
/// # Errors
/// When there is nothing to search in, or the common curve cannot be fitted.
pub fn search(table: &SearchTable, params: &SearchParams) -> Result<Searched, CurveError> {
    if table.is_empty() {
        return Err(table.nothing());
    }
    let (points, games) = (table.points(), table.numbered_games());
    let base = Base::of(&table.counted_values(), points, games)?;
    let properties = (0..table.names().len()).into_par_iter();
    let ranked: Vec<Ranked> = properties.map(|j| Ranked::of(table.property(j))).collect();
    let singles: Vec<Vec<Tested>> = (0..ranked.len())
        .into_par_iter()
        .map(|j| single::scan(&base, &ranked[j], j, params))
        .collect();
    let mut tests = singles.iter().map(|tested| tested.len() as u64).sum();
    let mut tested: Vec<Tested> = singles.into_iter().flatten().collect();
    if params.pairs {
        let (screened, joint) = pair::search(&base, &ranked, params, PROMOTED, PARENTS);
        tests += screened;
        tested.extend(joint);
    }
    if params.configurations > 0 {
        let (screened, configured) = configuration::search(&base, &ranked, params, PROMOTED)?;
        tests += screened;
        tested.extend(configured);
    }
    let p_values: Vec<f64> = tested.iter().map(Tested::p_value).collect();
    let q_values = discovery::q_values(&p_values, tests);
    let mut kept: Vec<(Tested, f64)> = tested
        .into_iter()
        .zip(q_values)
        .filter(|(_, q)| *q <= params.false_discovery_rate)
        .collect();
    kept.sort_by(|a, b| b.0.gain.total_cmp(&a.0.gain).then_with(|| a.0.parts.cmp(&b.0.parts)));
    let mut seen = std::collections::HashSet::new();
    let found = kept
        .into_iter()
        .filter(|(t, _)| seen.insert(t.parts.iter().map(|part| part.0).collect::<Vec<_>>()))
        .map(|(t, q_value)| told(&t, q_value, table.names(), &ranked))
        .collect();
    let (positions, separated) = (table.len() as u64, base.separated);
    Ok(Searched { positions, games: table.games(), tests, separated, found })
}

fn told(tested: &Tested, q_value: f64, names: &[String], ranked: &[Ranked]) -> Found {
    let part = |&(property, rank, by): &(usize, u8, By)| {
        (&names[property][..], by.comparison(), ranked[property].threshold(rank))
    };
    let condition = Expression::all_of(&tested.parts.iter().map(part).collect::<Vec<_>>());
    Found {
        condition,
        properties: tested.parts.iter().map(|&(property, ..)| names[property].clone()).collect(),
        gain: tested.gain,
        log_odds: tested.log_odds,
        z: tested.z,
        p_value: tested.p_value(),
        q_value,
        positions: tested.positions,
    }
}

#[cfg(test)]
mod tests;
