//! Several learners on the same data, judged alike: how well they tell unseen
//! results, how fast they search, and how they play against the first of them.

use crate::LabError;
use crate::duel::{DuelPlan, Entrant, Opened, duel};
use crate::fit::{FitPlan, Fitted, fit};
use crate::function::FunctionName;
use crate::pace::Pace;
use crate::run_folder::{RunFolder, read_json, write_json};
use evalsmith_arena::Openings;
use evalsmith_core::{Game, Progress};
use evalsmith_data::Dataset;
use evalsmith_learn::{Learner, Measured, Quality, with_features};
use evalsmith_report::{Align, Table, number};
use evalsmith_rules::{DynFunction, DynGame};
use evalsmith_search::{DEFAULT_TABLE_BYTES, Limits};
use evalsmith_stats::elo::MatchStats;
use evalsmith_stats::normal::Z95;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// What is compared, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparePlan {
    /// Who learns; the others play against the first.
    pub learners: Vec<Learner>,
    /// The fit, whose learner is each of these in turn.
    pub fit: FitPlan,
    /// Pairs of games in each match; none are played with zero.
    pub pairs: u32,
    /// Random half-moves of the openings.
    pub opening_plies: u16,
    /// Plies of the match at equal depth.
    pub depth: u8,
    /// Microseconds of CPU time a move in the match at equal time.
    pub cpu_micros: u64,
    /// Decides the openings.
    pub seed: u64,
}

/// One learner's line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Compared {
    /// Who learned.
    pub learner: Learner,
    /// How well it tells results of games held out.
    pub quality: Option<Quality>,
    /// How far its probabilities are off there.
    pub calibration_error: Option<Measured>,
    /// Thousands of nodes a second of a search with it.
    pub kilonodes: Measured,
    /// Its games against the first at equal depth.
    pub at_depth: Option<MatchStats>,
    /// At equal CPU time.
    pub at_time: Option<MatchStats>,
}

/// Fits and plays, or goes on with it, in the folder `out`.
///
/// # Errors
/// When the folder holds something else, a learner has no fit, a match fails, or
/// the job is stopped.
pub fn compare(
    game: &DynGame,
    dataset: &Dataset,
    plan: &ComparePlan,
    out: &Path,
    progress: &dyn Progress,
) -> Result<Vec<Compared>, LabError> {
    let repeated = plan.learners.iter().enumerate().find(|(i, l)| plan.learners[..*i].contains(l));
    if let Some((_, learner)) = repeated {
        return Err(LabError::Settings(format!(
            "{learner} is named twice; name each learner once"
        )));
    }
    if plan.learners.is_empty() {
        return Err(LabError::Settings("name at least one learner".into()));
    }
    let openings = Openings::random(game, plan.opening_plies, plan.pairs.max(SAMPLES), plan.seed)?;
    let job = format!("compare {}", game.name());
    let folder = RunFolder::claim(out, &job, &(plan, dataset.digest()?.to_string()))?;
    let mut fits = Vec::new();
    for &learner in &plan.learners {
        progress.note(&format!("{learner} learns"));
        let fitted = fit(game, dataset, &FitPlan { learner, ..plan.fit.clone() }, progress)
            .map_err(LabError::within_run)?;
        let file = folder.join(&format!("{learner}.model"));
        let beside = folder.join(&format!("{learner}.model.fit.json"));
        fitted.save(&file, &beside, &format!("evalsmith model fit --learner {learner}"))?;
        fits.push(fitted);
    }
    let chosen = with_features(game, &plan.fit.features)?;
    let functions = fits
        .iter()
        .map(|fitted| chosen.function_of_model(fitted.model.clone()))
        .collect::<Result<Vec<_>, _>>()?;
    let speeds = folder.join("speeds.json");
    let kilonodes: Vec<Measured> = if speeds.exists() {
        read_json(&speeds)?
    } else {
        let measured = functions.iter().map(|f| kilonodes(f, &openings)).collect::<Vec<_>>();
        write_json(&speeds, &measured)?;
        measured
    };
    let mut compared = Vec::new();
    for (i, fitted) in fits.iter().enumerate() {
        let meet = |pace: Pace, name: &str| -> Result<Option<MatchStats>, LabError> {
            if i == 0 || plan.pairs == 0 {
                return Ok(None);
            }
            play(game, plan, &fits, &functions, (i, 0), pace, name, &openings, &folder, progress)
                .map(Some)
        };
        let learner = plan.learners[i];
        compared.push(Compared {
            learner,
            quality: fitted.record.learned.clone(),
            calibration_error: fitted.record.statistics.calibration.as_ref().map(|c| c.error),
            kilonodes: kilonodes[i],
            at_depth: meet(Pace::Depth(plan.depth), "depth")?,
            at_time: meet(Pace::cpu_micros(plan.cpu_micros), "time")?,
        });
    }
    write_json(&folder.join("comparison.json"), &compared)?;
    Ok(compared)
}

#[expect(clippy::too_many_arguments, reason = "a match is told by all of these")]
fn play(
    game: &DynGame,
    plan: &ComparePlan,
    fits: &[Fitted],
    functions: &[DynFunction],
    (first, second): (usize, usize),
    pace: Pace,
    name: &str,
    openings: &Openings,
    folder: &RunFolder,
    progress: &dyn Progress,
) -> Result<MatchStats, LabError> {
    let learner = |i: usize| fits[i].record.plan.learner;
    let names = [first, second].map(|i| learner(i).to_string());
    let identity =
        |i: usize, j: usize| functions[i].identity(&FunctionName::File(names[j].clone().into()));
    let identities = [identity(first, 0), identity(second, 1)];
    let entrant = |i: usize, j: usize| Entrant {
        name: &names[j],
        opened: Opened::Function(&functions[i], &identities[j]),
        pace,
    };
    let log = folder.join(&format!("{}-{name}.jsonl", names[0]));
    let calibration = folder.join(&format!("{}-calibration.json", names[0]));
    let entrants = [entrant(first, 0), entrant(second, 1)];
    let order = DuelPlan::new(plan.pairs, plan.seed);
    Ok(duel(game, entrants, &order, openings, &log, &calibration, progress)?.stats)
}

/// Positions on which speed is measured.
const SAMPLES: u32 = 24;

/// Thousands of nodes a second over fixed searches, with the error of the mean
/// over positions.
fn kilonodes(function: &DynFunction, openings: &Openings) -> Measured {
    let mut searcher = function.search(DEFAULT_TABLE_BYTES);
    let mut speeds = Vec::new();
    for record in openings.first(SAMPLES as usize) {
        searcher.clear();
        let found = searcher.search(&record, &Limits::nodes(20_000), &AtomicBool::new(false));
        let seconds = found.cpu.as_secs_f64();
        if seconds > 0.0 {
            speeds.push(found.nodes as f64 / seconds / 1000.0);
        }
    }
    let n = speeds.len().max(1) as f64;
    let value = speeds.iter().sum::<f64>() / n;
    let variance = speeds.iter().map(|s| (s - value).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let standard_error = (variance / n).sqrt();
    let margin = Z95 * standard_error;
    Measured { value, standard_error, low: value - margin, high: value + margin }
}

/// The comparison as one table.
pub fn comparison_table(compared: &[Compared], plan: &ComparePlan) -> Table {
    let elo = |stats: &Option<MatchStats>| {
        let Some(stats) = stats else { return "-".to_owned() };
        let points = |e: f64| if e.is_finite() { format!("{e:+.0}") } else { format!("{e:+}") };
        let (low, high) = (stats.elo_interval.low.0, stats.elo_interval.high.0);
        let middle = stats.elo.map_or("-".into(), |e| points(e.0));
        format!("{middle} ({} to {})", points(low), points(high))
    };
    let mut table = Table::new([
        "learner".to_owned(),
        "right side".into(),
        "log-loss".into(),
        "calibration error".into(),
        "1000 nodes/s".into(),
        format!("Elo at {} plies", plan.depth),
        format!("Elo at {} ms CPU", plan.cpu_micros as f64 / 1000.0),
    ])
    .align([Align::Left].into_iter().chain([Align::Right; 6]))
    .caption(format!(
        "95 % intervals in brackets; quality on games held out; matches of {} pairs against {}",
        plan.pairs,
        plan.learners.first().map_or("nobody", |l| l.name())
    ));
    for c in compared {
        let percent = |m: &Measured, digits| {
            let text = |x| number::percent(x, digits);
            format!("{} ({} to {})", text(m.value), text(m.low), text(m.high))
        };
        let fixed = |m: &Measured, digits| {
            let text = |x| number::fixed(x, digits);
            format!("{} ({} to {})", text(m.value), text(m.low), text(m.high))
        };
        let none = || "-".to_owned();
        table.push([
            c.learner.to_string(),
            c.quality.as_ref().map_or_else(none, |q| percent(&q.accuracy, 1)),
            c.quality.as_ref().map_or_else(none, |q| fixed(&q.log_loss, 4)),
            c.calibration_error.as_ref().map_or_else(none, |m| percent(m, 2)),
            fixed(&c.kilonodes, 0),
            elo(&c.at_depth),
            elo(&c.at_time),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Quiet;
    use evalsmith_data::{Maker, SelfPlay, generate};
    use evalsmith_othello::Othello;

    #[test]
    fn learners_are_compared_and_the_second_run_only_reads() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let (game, data) = (DynGame::new(Othello::new()), temp.path().join("data"));
        let play = SelfPlay { games: 60, depth: 1, opening_plies: 20, ..SelfPlay::default() };
        let maker = Maker { function: "hand".into(), openings: None, command: "test".into() };
        let hand = game.function_by_hand().expect("weights");
        generate(&game, &hand, &play, &maker, &data, &Quiet).expect("games");
        let dataset = Dataset::open(&data).expect("a dataset");
        let mut plan = ComparePlan {
            learners: vec![Learner::Logistic, Learner::Quadratic],
            fit: FitPlan::new(&game.defaults()),
            pairs: 2,
            opening_plies: 8,
            depth: 1,
            cpu_micros: 100,
            seed: 1,
        };
        plan.fit.logistic.stages.radius = 20;
        let out = temp.path().join("out");
        let compared = compare(&game, &dataset, &plan, &out, &Quiet).expect("a comparison");
        assert_eq!(compared.len(), 2);
        assert!(compared[0].at_depth.is_none() && compared[1].at_time.is_some());
        let again = compare(&game, &dataset, &plan, &out, &Quiet).expect("the same comparison");
        let text = |c: &[Compared]| comparison_table(c, &plan).to_text();
        assert_eq!(text(&again), text(&compared));
        assert!(text(&again).contains("quadratic"));

        plan.learners.push(Learner::Logistic);
        let twice = compare(&game, &dataset, &plan, &out, &Quiet).expect_err("named twice");
        assert!(twice.to_string().contains("logistic is named twice"), "{twice}");
    }
}
