//! What a learned function is worth in play: in plies (lee86, Table 4-1), and
//! against other learners at equal time, at equal nodes, and in time (buro95,
//! Table 1).

use super::ground::{match_table, significance};
use super::{Ground, Reproduction};
use crate::LabError;
use crate::contender::{Contender, Mind};
use crate::fit::FitRecord;
use crate::function::FunctionName;
use crate::match_order::{Even, OpeningSource, Terms};
use crate::pace::Pace;
use crate::time_factor::{FactorOrder, time_factor};
use evalsmith_arena::Adjudication;
use evalsmith_core::Game;
use evalsmith_learn::{Learner, ModelFile, Quality};
use evalsmith_report::{Table, number};
use evalsmith_stats::elo::MatchStats;
use evalsmith_stats::time_factor::Step;
use serde::{Deserialize, Serialize};

/// How many plies a learned function is worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PliesWorth {
    learner: Learner,
    features: Vec<String>,
    radius: u8,
    opening_plies: u16,
    /// Extra plies of the ladder's rungs.
    ladder: Vec<u8>,
    /// The paper's result of the match.
    published: String,
    /// The share of the points in it.
    published_share: f64,
    /// What the paper says it is worth.
    published_plies: f64,
}

impl PliesWorth {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let depth = ground.size.plies;
        let (learned, record) = ground.learned(&self.features, self.learner, self.radius)?;
        let linear = ground.linear()?;
        let openings = ground.openings(self.opening_plies)?;
        let at = |plies: u8| Pace::Depth(plies);
        let main =
            ground.meet("learned", (&learned, at(depth)), (&linear, at(depth)), &openings)?;
        let mut rungs = Vec::new();
        for &extra in &self.ladder {
            let log = format!("ladder-{extra}");
            let pair = ((&linear, at(depth + extra)), (&linear, at(depth)));
            rungs.push((extra, ground.meet(&log, pair.0, pair.1, &openings)?));
        }
        let mut rows = vec![(
            format!("{} against linear, {depth} plies", learned.name),
            &main,
            self.published.clone(),
        )];
        rows.extend(rungs.iter().map(|(extra, stats)| {
            (format!("linear, {} plies against {depth}", depth + extra), stats, String::new())
        }));
        let steps: Vec<(f64, f64)> = rungs
            .iter()
            .filter_map(|(extra, stats)| Some((f64::from(*extra), stats.share?)))
            .collect();
        let share = main.share.unwrap_or(0.5);
        let worth = |share: f64| plies_of(share, &steps);
        let told = |plies: Option<f64>| {
            plies.map_or("more than the ladder reaches".into(), |p| format!("{p:.1}"))
        };
        let (low, high) = (main.share_interval.low, main.share_interval.high);
        let inside = (low..=high).contains(&self.published_share);
        let verdict = format!(
            "The learned function scores {} (95 % {} to {}), which is {}; the paper's {} lies {} that \
             interval. By the ladder this is worth {} plies of search ({} to {}); the paper says about \
             {}. {}Features, openings and linear weights are this program's, not BILL's own.",
            number::percent(share, 1),
            number::percent(low, 1),
            number::percent(high, 1),
            significance(&main),
            number::percent(self.published_share, 1),
            if inside { "inside" } else { "outside" },
            told(worth(share)),
            told(worth(low)),
            told(worth(high)),
            self.published_plies,
            as_judges(&record),
        );
        Ok(ground.told(vec![match_table(rows)], verdict))
    }
}

/// How well both functions tell results, which may help to see why they play as
/// they do.
fn as_judges(record: &FitRecord) -> String {
    let (Some(learned), Some(linear)) = (&record.learned, &record.by_hand) else {
        return String::new();
    };
    let text = |q: &Quality| {
        let right = number::percent(q.accuracy.value, 1);
        format!("{right} ({})", number::fixed(q.log_loss.value, 4))
    };
    format!(
        "On games held out the learned function names the winner of {} of the positions (log-loss in \
         brackets), the linear one of {}. ",
        text(learned),
        text(linear)
    )
}

/// The extra plies that bring a share of the points, between the rungs of a
/// ladder on a straight line; none beyond the last rung.
fn plies_of(share: f64, rungs: &[(f64, f64)]) -> Option<f64> {
    let mut before = (0.0, 0.5);
    if share <= 0.5 {
        // The ladder read downwards: what the other side would need.
        return if share < 0.5 { plies_of(1.0 - share, rungs).map(|p| -p) } else { Some(0.0) };
    }
    for &(plies, points) in rungs {
        if share <= points {
            let part = (share - before.1) / (points - before.1);
            return Some(before.0 + part * (plies - before.0));
        }
        if points > before.1 {
            before = (plies, points);
        }
    }
    None
}

/// Several learners against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LearnersMeet {
    learners: Vec<Learner>,
    features: Vec<String>,
    radius: u8,
    opening_plies: u16,
    /// Batches of the search for the time factor; none looks for none.
    batches: u32,
    /// What the paper says of it.
    paper: String,
}

impl LearnersMeet {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let game = ground.with(&self.features)?;
        let table = ground.table(&game)?;
        let mut players = Vec::new();
        for &learner in &self.learners {
            let fitted = ground.fit(&table, learner, self.radius)?;
            let file = ModelFile {
                game: game.name().into(),
                made_by: serde_json::json!({ "experiment": ground.title() }),
                model: fitted.model.clone(),
            };
            file.save(&ground.folder.join(&format!("{learner}.model")))?;
            let function = game.function_of_model(fitted.model)?;
            players.push(super::ground::Named { name: learner.to_string(), function });
        }
        let openings = ground.openings(self.opening_plies)?;
        let time = Pace::cpu_micros(ground.size.cpu_micros);
        // At equal nodes, what a usual player of this time visits.
        let nodes = Pace::Nodes(ground.size.cpu_micros);
        let mut rows: Vec<(String, MatchStats, String)> = Vec::new();
        for i in 0..players.len() {
            for j in i + 1..players.len() {
                for (pace, what) in [(time, "time"), (nodes, "nodes")] {
                    let log = format!("{}-{}-{what}", players[i].name, players[j].name);
                    let stats =
                        ground.meet(&log, (&players[i], pace), (&players[j], pace), &openings)?;
                    let name = format!(
                        "{} against {}, {}",
                        players[i].name,
                        players[j].name,
                        pace.describe()
                    );
                    rows.push((name, stats, "not legible".into()));
                }
            }
        }
        let mut sentences: Vec<String> = rows
            .iter()
            .map(|(name, stats, _)| {
                let share = stats.share.map_or("-".into(), |s| number::percent(s, 1));
                format!("{name}: {share}, {}.", significance(stats))
            })
            .collect();
        let mut tables = vec![match_table(rows.iter().map(|(n, s, p)| (n.clone(), s, p.clone())))];
        if self.batches > 0 {
            tables.push(self.factors(ground, &mut sentences)?);
        }
        let features = self.features.join(", ");
        sentences.push(format!("Features: {features}. The paper: {}", self.paper));
        Ok(ground.told(tables, sentences.join(" ")))
    }

    /// How much more time each later learner needs to equal the first.
    fn factors(&self, ground: &Ground<'_>, sentences: &mut Vec<String>) -> Result<Table, LabError> {
        let contender = |learner: Learner| Contender {
            name: learner.to_string(),
            mind: Mind::Function(FunctionName::File(
                ground.folder.join(&format!("{learner}.model")),
            )),
            pace: None,
        };
        let mut table = Table::new(["player", "time for equal strength", "95 %", "games"])
            .caption(format!("Against {}, whose time is 1", self.learners[0]));
        for &learner in &self.learners[1..] {
            let order = FactorOrder {
                players: [contender(learner), contender(self.learners[0])],
                terms: Terms {
                    pairs: Some(ground.size.pairs),
                    openings: OpeningSource::Random(self.opening_plies),
                    even: Some(Even { within: 0.5, depth: 3, function: FunctionName::Hand }),
                    seed: ground.seed + 1,
                    pace: Pace::cpu_micros(ground.size.cpu_micros),
                    adjudication: Adjudication::default(),
                    max_faults: 3,
                },
                batches: self.batches,
                low: 0.25,
                high: 8.0,
                precision: 1.5,
            };
            let folder = ground.folder.join(&format!("factor-{learner}"));
            let found = time_factor(ground.game, &order, &folder, ground.progress)?;
            let games: u64 = found.batches.iter().map(|b| 2 * b.pairs.pairs()).sum();
            let (factor, interval) = match (&found.step, &found.fit) {
                (Step::Found { factor, interval }, _) => {
                    (format!("{factor:.2}"), format!("{:.2} to {:.2}", interval.low, interval.high))
                }
                (Step::Below, _) => ("below 0.25".into(), "-".into()),
                (Step::Above, _) => ("above 8".into(), "-".into()),
                (Step::Play(next), _) => (format!("about {next:.2}"), "not yet known".into()),
            };
            sentences.push(format!(
                "{learner} equals {} with {factor} times its time ({interval}).",
                self.learners[0]
            ));
            table.push([learner.to_string(), factor, interval, games.to_string()]);
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_read_off_the_ladder() {
        let rungs = [(1.0, 0.6), (2.0, 0.8)];
        assert_eq!(plies_of(0.5, &rungs), Some(0.0));
        assert!((plies_of(0.55, &rungs).expect("on the ladder") - 0.5).abs() < 1e-12);
        assert!((plies_of(0.7, &rungs).expect("on the ladder") - 1.5).abs() < 1e-12);
        assert!((plies_of(0.4, &rungs).expect("on the ladder") + 1.0).abs() < 1e-12);
        assert_eq!(plies_of(0.9, &rungs), None);
        let uneven = [(1.0, 0.45), (2.0, 0.75)];
        assert!((plies_of(0.625, &uneven).expect("on the ladder") - 1.0).abs() < 1e-12);
    }
}
