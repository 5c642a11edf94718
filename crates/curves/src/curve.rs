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
    /// Every bin that holds a position, in the order of values. In a condition's curve,
    /// neighbours that hold few are joined.
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
    /// The middle of the bin; of bins that were joined, the mean of their values.
    pub centre: f64,
    /// Positions that count: all, without the draws left out.
    pub count: u64,
    /// The games they come from; of joined bins, at least so many.
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
    let counting = cells.iter().filter(|cell| cell.count(params.draws) > 0);
    let groups: Vec<Group> = counting
        .map(|cell| Group {
            game: cell.game,
            bin: cell.bin,
            value: cell.value(params),
            count: cell.count(params.draws) as f64,
            points: cell.points(params.draws),
        })
        .collect();
    let games = groups.chunk_by(|a, b| a.game == b.game).count() as u64;
    Ok(Curve {
        params: params.clone(),
        positions,
        games,
        draws_left_out,
        not_finite,
        bins: sums.into_iter().map(|(n, sum)| sum.finish(centre(n, params), params)).collect(),
        logistic: Logistic::fit(&groups),
        monotone: is_monotone(&drawn),
    })
}

/// A bin in the making.
#[derive(Default)]
pub(crate) struct Sums {
    pub(crate) bin: Bin,
    pub(crate) clustered: Clustered,
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
    pub(crate) fn finish(self, centre: f64, params: &CurveParams) -> Bin {
        let mut bin = Bin { centre, ..self.bin };
        let enough = bin.count >= params.min_count;
        if let Some(p) = self.clustered.proportion().filter(|_| enough) {
            let interval = p.interval(0.95);
            bin.win_prob = Some(p.value);
            (bin.error, bin.low, bin.high) = (p.error, interval.low, interval.high);
        }
        bin
    }
}

/// The middle of a bin, without the rounding noise of a product: 3 × 0.1 is 0.3.
pub(crate) fn centre(number: i32, params: &CurveParams) -> f64 {
    let x = f64::from(number) * params.bin_width;
    format!("{x:.14e}").parse().expect("a formatted number is a number")
}

impl Curve {
    /// The bins on the curve, with their win probabilities.
    pub fn drawn(&self) -> impl Iterator<Item = (&Bin, f64)> {
        self.bins.iter().filter_map(|bin| bin.win_prob.map(|p| (bin, p)))
    }

    /// Whether it is monotone; a curve of less than two bins does not tell.
    pub fn rises(&self) -> Option<bool> {
        self.drawn().nth(1).map(|_| self.monotone)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Draws;
    use evalsmith_core::{LogOdds, rng};
    use evalsmith_stats::normal::Z95;
    use evalsmith_stats::proportion::wilson;
    use proptest::prelude::*;
    use rand::RngExt;

    fn params(bin_width: f64, min_count: u64, draws: Draws) -> CurveParams {
        CurveParams { bin_width, min_count, draws }
    }

    /// Games whose result follows the logistic of their value: the positions of
    /// a game carry one value each, all with the game's result.
    fn simulated(games: u32, scale: f64, offset: f64, seed: u64) -> Vec<Observation> {
        let mut random = rng::stream(seed, "curve", 0);
        let mut observations = Vec::new();
        for game in 0..games {
            let value = random.random_range(-4.0..4.0);
            let chance = LogOdds(offset + scale * value).win_prob().0;
            let points = if random.random::<f64>() < chance { 1.0 } else { 0.0 };
            let positions = random.random_range(1..=12);
            observations.extend((0..positions).map(|_| Observation { value, points, game }));
        }
        observations
    }

    #[test]
    fn bins_count_as_told() {
        let row = |value, points, game| Observation { value, points, game };
        let rows = [
            row(0.1, 1.0, 0),
            row(-0.2, 1.0, 0),
            row(0.2, 0.0, 1),
            row(0.3, 0.5, 2),
            row(1.0, 1.0, 0),
            row(f64::NAN, 0.0, 1),
        ];
        let left_out = curve(&params(1.0, 2, Draws::LeftOut), rows).expect("a curve");
        assert_eq!((left_out.positions, left_out.games), (6, 2));
        assert_eq!((left_out.draws_left_out, left_out.not_finite), (1, 1));
        let [zero, one] = &left_out.bins[..] else { panic!("{left_out:?}") };
        assert_eq!((zero.centre, zero.count, zero.games), (0.0, 3, 2));
        assert_eq!((zero.wins, zero.draws, zero.losses), (2, 1, 1));
        assert_eq!(zero.win_prob, Some(2.0 / 3.0));
        assert_eq!((one.count, one.win_prob, one.low, one.high), (1, None, 0.0, 1.0));

        let half = curve(&params(1.0, 2, Draws::Half), rows).expect("a curve");
        assert_eq!((half.games, half.draws_left_out), (3, 0));
        assert_eq!(half.bins[0].win_prob, Some(2.5 / 4.0));
        assert_eq!(
            half.to_csv().lines().nth(2),
            Some("1,1,1,1,0,0,,,,"),
            "a bin off the curve is in the table"
        );
        assert_eq!(half.to_csv().lines().next().map(|l| l.split(',').count()), Some(10));
    }

    #[test]
    fn nothing_to_draw_is_an_error_with_a_remedy() {
        let none = curve(&CurveParams::default(), []).expect_err("nothing given");
        assert!(none.to_string().contains("of 0 given"), "{none}");
        let drawn = Observation { value: 0.0, points: 0.5, game: 0 };
        let error = curve(&CurveParams::default(), [drawn; 3]).expect_err("only draws");
        let (positions, draws_left_out, not_finite) = (3, 3, 0);
        assert_eq!(error, CurveError::NoObservations { positions, draws_left_out, not_finite });
        let few = curve(&CurveParams::default(), simulated(20, 1.0, 0.0, 1)).expect_err("few");
        assert!(matches!(few, CurveError::BelowMinimum { largest: 1..1000, .. }), "{few}");
    }

    #[test]
    fn a_known_logistic_is_recovered_within_its_error() {
        let mut within = 0;
        for seed in 0..40 {
            let c = curve(&params(0.25, 50, Draws::LeftOut), simulated(3000, 0.8, -0.3, seed))
                .expect("a curve");
            let fit = c.logistic.expect("values overlap");
            for (found, truth, error) in
                [(fit.scale, 0.8, fit.scale_error), (fit.offset, -0.3, fit.offset_error)]
            {
                assert!((found - truth).abs() < 5.0 * error, "{found} ± {error}, seed {seed}");
                within += u32::from((found - truth).abs() < Z95 * error);
            }
            assert!(c.monotone, "a rising curve is called falling, seed {seed}");
        }
        assert!((68..=80).contains(&within), "{within} of 80 intervals hold the truth");
    }

    #[test]
    fn a_single_bin_does_not_tell_whether_the_curve_rises() {
        let one = curve(&params(1e6, 100, Draws::LeftOut), simulated(400, 1.0, 0.0, 1));
        assert_eq!(one.expect("a curve").rises(), None);
        let many = curve(&params(0.5, 100, Draws::LeftOut), simulated(4000, 1.0, 0.0, 1));
        assert_eq!(many.expect("a curve").rises(), Some(true));
    }

    #[test]
    fn bands_hold_the_true_curve_and_naive_ones_are_too_narrow() {
        let (mut ours, mut naive, mut bins) = (0, 0, 0);
        for seed in 0..20 {
            let c = curve(&params(0.5, 100, Draws::LeftOut), simulated(4000, 1.0, 0.0, seed))
                .expect("a curve");
            for (bin, _) in c.drawn() {
                let plain = wilson(bin.wins as f64, bin.count as f64, Z95);
                assert!(bin.high - bin.low > plain.high - plain.low, "{bin:?}");
                let truth = LogOdds(bin.centre).win_prob().0;
                bins += 1;
                ours += u32::from(bin.low <= truth && truth <= bin.high);
                naive += u32::from(plain.low <= truth && truth <= plain.high);
            }
        }
        assert!(f64::from(ours) > 0.92 * f64::from(bins), "{ours} of {bins}");
        assert!(f64::from(naive) < 0.75 * f64::from(bins), "naive: {naive} of {bins}");
    }

    #[test]
    fn a_function_turned_round_in_the_middle_is_not_monotone() {
        let mut turned = simulated(4000, 1.0, 0.0, 3);
        for o in turned.iter_mut().filter(|o| o.value.abs() < 1.5) {
            o.value = -o.value;
        }
        assert!(!curve(&params(0.5, 100, Draws::LeftOut), turned).expect("a curve").monotone);
    }

    fn rows() -> impl Strategy<Value = Vec<Observation>> {
        let value = prop_oneof![9 => -12.0..12.0, 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)];
        let row = (value, 0_u8..3, 0_u32..9).prop_map(|(value, halves, game)| Observation {
            value,
            points: f32::from(halves) / 2.0,
            game,
        });
        prop::collection::vec(row, 0..200)
    }

    fn draws() -> impl Strategy<Value = Draws> {
        prop_oneof![Just(Draws::LeftOut), Just(Draws::Half)]
    }

    proptest! {
        #[test]
        fn every_position_is_accounted_for(rows in rows(), draws in draws(), width in 0.01..5.0) {
            let given = rows.len() as u64;
            if let Ok(c) = curve(&params(width, 3, draws), rows) {
                let counted: u64 = c.bins.iter().map(|bin| bin.count).sum();
                prop_assert_eq!(counted + c.draws_left_out + c.not_finite, given);
                prop_assert_eq!(c.positions, given);
                for bin in &c.bins {
                    let all = bin.wins + bin.draws + bin.losses;
                    let left_out = if draws == Draws::Half { 0 } else { bin.draws };
                    prop_assert_eq!(bin.count, all - left_out);
                    prop_assert_eq!(bin.win_prob.is_some(), bin.count >= 3);
                    let p = bin.win_prob.unwrap_or(0.5);
                    prop_assert!(0.0 <= bin.low && bin.low <= p && p <= bin.high);
                    prop_assert!(bin.high <= 1.0 && bin.error.is_finite());
                }
                prop_assert!(c.bins.windows(2).all(|w| w[0].centre < w[1].centre));
            }
        }

        #[test]
        fn order_changes_nothing(
            (rows, shuffled) in rows().prop_flat_map(|r| (Just(r.clone()), Just(r).prop_shuffle())),
            draws in draws(),
        ) {
            let params = params(0.5, 2, draws);
            prop_assert_eq!(curve(&params, rows), curve(&params, shuffled));
        }

        #[test]
        fn a_curve_survives_being_saved(rows in rows()) {
            if let Ok(c) = curve(&params(0.3, 2, Draws::Half), rows) {
                let text = serde_json::to_string(&c).expect("a curve is plain data");
                prop_assert_eq!(serde_json::from_str::<Curve>(&text).expect("its own text"), c);
            }
        }
    }
}
