//! The whole walk, for any game: rules, games, labels, fit, curve, matches, page.
//!
//! Every step writes into one folder and is either repeatable in seconds (fit,
//! curve, page) or resumable (self-play, matches), so that a run killed at any
//! moment and started again ends as an undisturbed one does.

use crate::duel::{DuelPlan, Entrant, Opened, duel, fresh_record};
use crate::fit::{CurvePlan, FitPlan, FitRecord, draw_curve, fit};
use crate::function::FunctionName;
use crate::pace::Pace;
use crate::run_folder::{RunFolder, write_json};
use crate::{LabError, page};
use evalsmith_arena::{Calibration, LogReader, MatchResult, Openings, PlayedGame};
use evalsmith_core::files::write_atomically;
use evalsmith_core::{Defaults, Explanation, Game, Progress};
use evalsmith_curves::{Curve, Draws};
use evalsmith_data::{Dataset, Maker, SelfPlay, generate};
use evalsmith_rules::{DynFunction, DynGame};
use evalsmith_stats::elo::MatchStats;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// Everything that decides the result of a walk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnPlan {
    /// The games.
    pub self_play: SelfPlay,
    /// The fit.
    pub fit: FitPlan,
    /// Pairs of games in each match.
    pub pairs: u32,
    /// Random half-moves of a match's openings.
    pub match_plies: u16,
    /// Microseconds of CPU time a move in the equal-time match.
    pub cpu_micros: u64,
}

impl LearnPlan {
    /// The walk a game suggests.
    pub fn new(defaults: &Defaults) -> Self {
        Self {
            self_play: SelfPlay {
                games: defaults.games,
                depth: defaults.depth,
                opening_plies: defaults.opening_plies,
                solve_at: defaults.solve_at,
                decided_at: defaults.decided_at,
                chance: defaults.chance,
                ..SelfPlay::default()
            },
            fit: FitPlan::new(defaults),
            pairs: defaults.pairs,
            match_plies: defaults.match_plies,
            cpu_micros: (defaults.cpu_ms * 1000.0).round() as u64,
        }
    }

    /// The command that walks this way.
    fn command(&self, game: &str) -> String {
        let SelfPlay { games, seed, opening_plies, chance, depth, solve_at, decided_at, .. } =
            self.self_play;
        format!(
            "evalsmith learn {game} --games {games} --depth {depth} --opening-plies {opening_plies} \
             --chance {chance} --solve-at {solve_at} --decided-at {decided_at} --radius {} --searched {} --holdout {} --pairs {} \
             --cpu-ms {} --seed {seed}",
            self.fit.logistic.stages.radius,
            self.fit.searched,
            self.fit.holdout,
            self.pairs,
            self.cpu_micros as f64 / 1000.0
        )
    }
}

/// What a walk found; everything in it is the same in every run of the plan,
/// but for the equal-time match, which depends on the stored calibration.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LearnSummary {
    /// The game.
    pub game: String,
    /// What played and what the learned function had to beat.
    pub baseline: String,
    /// Games of self-play.
    pub games: u64,
    /// Positions recorded.
    pub positions: u64,
    /// The fit, stage by stage.
    pub fit: FitRecord,
    /// The curve on positions held out.
    pub curve: Option<Curve>,
    /// The matches of the learned function: against the baseline, and against
    /// the trivial function, which knows the rules only.
    pub matches: Vec<MatchSummary>,
}

/// A match in the summary.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchSummary {
    /// Whom the learned function played.
    pub opponent: String,
    /// What both players got alike.
    pub pace: Pace,
    /// The result for the learned function.
    pub stats: MatchStats,
    /// Half-moves of a game on average.
    pub mean_plies: f64,
}

/// A position valued by the learned function, as an example for the page.
pub(crate) struct Sample {
    pub(crate) board: String,
    pub(crate) explanation: Explanation,
}

/// The curve of a walk: a fifth of a few thousand games fills bins of hundreds.
const CURVE: CurvePlan =
    CurvePlan { bin_width: None, min_count: 200, draws: Draws::LeftOut, raw: false };

/// Walks from the rules of a game to a learned function that has played against
/// the hand-weighted one, in the folder `out`. A `calibration` file replaces
/// the measurement that the equal-time match begins with.
///
/// # Errors
/// When the folder holds another run, a step fails, or the job is stopped.
pub fn learn(
    game: &DynGame,
    plan: &LearnPlan,
    out: &Path,
    calibration: Option<&Path>,
    progress: &dyn Progress,
) -> Result<LearnSummary, LabError> {
    plan.self_play.check_for(game)?;
    let openings = Openings::random(game, plan.match_plies, plan.pairs, plan.self_play.seed)?;
    let given = calibration.map(|path| Calibration::load(path).map(|c| (path, c))).transpose()?;
    let folder = RunFolder::claim(out, &format!("learn {}", game.name()), plan)?;
    let calibration = folder.join("calibration.json");
    if let Some((path, given)) = given {
        adopt(&given, path, &calibration)?;
    }
    let baseline = game.function_by_hand()?;
    let baseline_name =
        if baseline.model().is_some() { FunctionName::Hand } else { FunctionName::Trivial };

    let maker = Maker {
        function: baseline.identity(&baseline_name),
        openings: None,
        command: plan.command(game.name()),
    };
    let data = folder.join("data");
    let made = generate(game, &baseline, &plan.self_play, &maker, &data, progress)?;
    stop_if_asked(progress)?;

    let dataset = Dataset::open(&data)?;
    let fitted = fit(game, &dataset, &plan.fit, progress).map_err(LabError::within_run)?;
    fitted.save(
        &folder.join("model.safetensors"),
        &folder.join("model.safetensors.fit.json"),
        &maker.command,
    )?;
    let learned = game.function_of_model(fitted.model.clone())?;
    stop_if_asked(progress)?;

    let curve = match draw_curve(learned.model(), &fitted.unseen, &CURVE) {
        Ok(curve) => Some(curve),
        Err(LabError::Curve(too_few)) => {
            progress.note(&format!("no curve: {too_few}"));
            None
        }
        Err(other) => return Err(other),
    };

    let learned_as = learned.identity(&FunctionName::File("learned".into()));
    let hand = (baseline_name.to_string(), &baseline, baseline.identity(&baseline_name));
    let trivial = ("trivial".to_owned(), &game.trivial_function(), "trivial".to_owned());
    let depth = Pace::Depth(plan.self_play.depth);
    let mut orders = vec![
        ("match-depth.jsonl", depth, &hand),
        ("match-time.jsonl", Pace::cpu_micros(plan.cpu_micros), &hand),
    ];
    if baseline_name != FunctionName::Trivial {
        orders.push(("match-trivial.jsonl", depth, &trivial));
    }
    let mut results: Vec<(String, Pace, MatchResult)> = Vec::new();
    for (log, pace, (name, function, identity)) in orders {
        let entrants = [
            Entrant { name: "learned", opened: Opened::Function(&learned, &learned_as), pace },
            Entrant { name, opened: Opened::Function(function, identity), pace },
        ];
        let duel_plan = DuelPlan::new(plan.pairs, plan.self_play.seed);
        let log = folder.join(log);
        let result = duel(game, entrants, &duel_plan, &openings, &log, &calibration, progress)?;
        results.push((name.clone(), pace, result));
    }

    let summary = LearnSummary {
        game: game.name().into(),
        baseline: baseline_name.to_string(),
        games: made.games,
        positions: made.positions,
        fit: fitted.record.clone(),
        curve,
        matches: results
            .iter()
            .map(|(opponent, pace, result)| MatchSummary {
                opponent: opponent.clone(),
                pace: *pace,
                stats: result.stats.clone(),
                mean_plies: result.totals.mean_plies(),
            })
            .collect(),
    };
    write_json(&folder.join("summary.json"), &summary)?;
    let html = page::learn_page(
        &summary,
        plan,
        &maker.command,
        sample(game, &learned, &folder.join("match-depth.jsonl"))?,
    );
    let report = folder.join("report.html");
    write_atomically(&report, |file| file.write_all(html.as_bytes()))
        .map_err(LabError::io(&report))?;
    Ok(summary)
}

/// Makes the given calibration the run's own, unless it has another.
fn adopt(given: &Calibration, from: &Path, own: &Path) -> Result<(), LabError> {
    if !own.exists() {
        return Ok(given.save(own)?);
    }
    if Calibration::load(own)? == *given {
        return Ok(());
    }
    Err(LabError::Settings(format!(
        "{} was played by {}, not by {}; leave --calibration out, or choose another --out",
        own.parent().unwrap_or(own).display(),
        own.display(),
        from.display()
    )))
}

fn stop_if_asked(progress: &dyn Progress) -> Result<(), LabError> {
    if progress.stopped() { Err(LabError::Stopped) } else { Ok(()) }
}

/// The middle position of the match's first game, explained.
fn sample(game: &DynGame, learned: &DynFunction, log: &Path) -> Result<Option<Sample>, LabError> {
    let (_, mut games) = LogReader::open(log)?;
    let first = loop {
        match games.next_game::<PlayedGame>()? {
            Some(played) if played.index == 0 => break played,
            Some(_) => {}
            None => return Ok(None),
        }
    };
    let opening = first.opening.split_whitespace();
    let later = first.moves[..first.moves.len() / 2].iter().map(String::as_str);
    let mut record = fresh_record(game);
    for text in opening.chain(later) {
        let m = game.parse_move(record.position(), text)?;
        if record.play(m).is_err() {
            return Ok(None);
        }
    }
    Ok(record.ending().is_none().then(|| Sample {
        board: game.draw(record.position(), record.side()),
        explanation: learned.explain(record.position()),
    }))
}
