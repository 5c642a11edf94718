//! The total evaluation curve (takeuchi07): win probability against value.
//!
//! A bin holds the positions whose value lies within half a width of its centre,
//! lower edge included; its win probability is wins / (wins + losses), or points
//! per position where draws count half. Values and points are the first
//! player's. Errors and bands are clustered by game, for positions of one game
//! share its result. Invariant: a curve does not depend on the order of the
//! observations. Memory is bounded by the (game, bin) pairs, see `tally`.

use crate::logistic::Group;
use crate::monotone::is_monotone;
use crate::tally::{MAX_BINS, Tally};
use crate::{CurveError, CurveParams, Logistic};
use evalsmith_stats::proportion::Clustered;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;

/// One position of a finished game, in the first player's view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// What the function says.
    pub value: f64,
    /// What the game brought: 1, ½ or 0.
    pub points: f32,
    /// The game it belongs to.
    pub game: u32,
}

/// A measured evaluation curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// How it was drawn.
    pub params: CurveParams,
    /// Positions given: those in bins, drawn ones left out, and those without a
    /// finite value.
    pub positions: u64,
    /// Games with at least one position that counts.
    pub games: u64,
    /// Drawn positions left out.
    pub draws_left_out: u64,
    /// Positions without a finite value, left out.
    pub not_finite: u64,
    /// Every bin that holds a position, in the order of values.
    pub bins: Vec<Bin>,
    /// The logistic curve through all positions that count, where they fix one.
    pub logistic: Option<Logistic>,
    /// Whether no bin of the curve lies significantly below an earlier one: 5 %
    /// for all pairs of bins together, by Newcombe's interval of a difference.
    pub monotone: bool,
}

/// The positions whose values lie around one centre.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// The middle of the bin.
    pub centre: f64,
    /// Positions that count: all, without the draws left out.
    pub count: u64,
    /// The games they come from.
    pub games: u64,
    /// Positions of games the first player won.
    pub wins: u64,
    /// Positions of drawn games, left out or not.
    pub draws: u64,
    /// Positions of games the first player lost.
    pub losses: u64,
    /// The share of points won; none where too few positions count.
    pub win_prob: Option<f64>,
    /// Its standard error, clustered by game (zero without a win probability).
    pub error: f64,
    /// The lower limit of its 95 % interval (0 without a win probability).
    pub low: f64,
    /// The upper limit of its 95 % interval (1 without a win probability).
    pub high: f64,
}

/// Draws the curve of the observations, which may come in any order.
///
/// # Errors
/// When the parameters are wrong, an observation makes no sense, or no bin holds
/// enough positions.
pub fn curve(
    params: &CurveParams,
    observations: impl IntoIterator<Item = Observation>,
) -> Result<Curve, CurveError> {
    params.check()?;
    let mut tally = Tally::new(params);
    observations.into_iter().try_for_each(|observation| tally.add(observation))?;
    let (positions, not_finite) = (tally.positions, tally.not_finite);
    let cells = tally.finish();

    let mut sums = BTreeMap::<i32, Sums>::new();
    for cell in cells {
        let sum = sums.entry(cell.bin).or_default();
        let count = cell.count(params.draws);
        sum.bin.wins += cell.wins;
        sum.bin.draws += cell.draws;
        sum.bin.losses += cell.losses;
        sum.bin.count += count;
        sum.bin.games += u64::from(count > 0);
        sum.clustered.add(cell.points(params.draws), count as f64);
    }
    let counted: u64 = sums.values().map(|sum| sum.bin.count).sum();
    let draws_left_out = positions - not_finite - counted;
    if counted == 0 {
        return Err(CurveError::NoObservations { positions, draws_left_out, not_finite });
    }
    if sums.len() > MAX_BINS {
        return Err(CurveError::TooManyBins { limit: MAX_BINS, bin_width: params.bin_width });
    }

    let drawn: Vec<_> = sums
        .values()
        .filter(|sum| sum.bin.count >= params.min_count)
        .filter_map(|sum| sum.clustered.proportion())
        .collect();
    if drawn.is_empty() {
        let largest = sums.values().map(|sum| sum.bin.count).max().unwrap_or(0);
        let (min_count, bin_width) = (params.min_count, params.bin_width);
        return Err(CurveError::BelowMinimum { largest, min_count, bin_width });
    }
    let groups = cells.iter().filter(|cell| cell.count(params.draws) > 0).map(|cell| Group {
        game: cell.game,
        value: cell.value(params),
        count: cell.count(params.draws) as f64,
        points: cell.points(params.draws),
    });
    let games = groups.clone().fold((0, None), |(games, last), group| {
        (games + u64::from(last != Some(group.game)), Some(group.game))
    });
    Ok(Curve {
        params: params.clone(),
        positions,
        games: games.0,
        draws_left_out,
        not_finite,
        bins: sums.into_iter().map(|(number, sum)| sum.finish(number, params)).collect(),
        logistic: Logistic::fit(groups),
        monotone: is_monotone(&drawn),
    })
}

#[derive(Default)]
struct Sums {
    bin: Bin,
    clustered: Clustered,
}

impl Default for Bin {
    fn default() -> Self {
        Self {
            centre: 0.0,
            count: 0,
            games: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            win_prob: None,
            error: 0.0,
            low: 0.0,
            high: 1.0,
        }
    }
}

impl Sums {
    fn finish(self, number: i32, params: &CurveParams) -> Bin {
        let mut bin = self.bin;
        bin.centre = tidy(f64::from(number) * params.bin_width);
        let enough = bin.count >= params.min_count;
        if let Some(p) = self.clustered.proportion().filter(|_| enough) {
            let interval = p.interval(0.95);
            bin.win_prob = Some(p.value);
            (bin.error, bin.low, bin.high) = (p.error, interval.low, interval.high);
        }
        bin
    }
}

/// The same number without the rounding noise of a product: 3 × 0.1 is 0.3.
fn tidy(x: f64) -> f64 {
    format!("{x:.14e}").parse().expect("a formatted number is a number")
}

impl Curve {
    /// The bins on the curve, with their win probabilities.
    pub fn drawn(&self) -> impl Iterator<Item = (&Bin, f64)> {
        self.bins.iter().filter_map(|bin| bin.win_prob.map(|p| (bin, p)))
    }

    /// One line per bin under a heading; bins that are not on the curve leave
    /// win probability, error and limits empty.
    pub fn to_csv(&self) -> String {
        let mut csv =
            String::from("centre,count,games,wins,draws,losses,win_prob,error,low,high\n");
        for bin in &self.bins {
            let Bin { centre, count, games, wins, draws, losses, .. } = bin;
            let shares = bin.win_prob.map_or_else(
                || ",,,".to_owned(),
                |p| format!("{p:.6},{:.6},{:.6},{:.6}", bin.error, bin.low, bin.high),
            );
            writeln!(csv, "{centre},{count},{games},{wins},{draws},{losses},{shares}")
                .expect("writing to a string cannot fail");
        }
        csv
    }
}
