//! Bootstrap learning: from the rules alone (heinz93 section 4).
//!
//! 1. Let f be the trivial function.
//! 2. Play m games at depth d1 with f and a grain of chance; their positions are P.
//! 3. Label P by a search of depth d2 with f.
//! 4. Split P into L and Q by games; grow or expand a tree on L, prune it on Q.
//! 5. Let f be the tree and go on, while a sequential test in a match against the
//!    best function so far finds improvement.
//!
//! Any other learner may stand in the tree's place. Every round is a folder of its
//! own and depends on the plan and the rounds before it alone, so that a run killed
//! at any moment ends as an undisturbed one does.

mod page;
mod round;

use crate::LabError;
use crate::duel::{DuelPlan, Entrant, Opened, duel};
use crate::function::FunctionName;
use crate::match_order::sprt;
use crate::pace::Pace;
use crate::run_folder::{RunFolder, read_json, write_json};
use evalsmith_arena::Openings;
use evalsmith_core::files::write_atomically;
use evalsmith_core::{Defaults, Game, Progress};
use evalsmith_learn::{Criterion, Learner, LogisticParams, ModelFile, TreeParams, with_features};
use evalsmith_rules::{DynFunction, DynGame};
use evalsmith_stats::elo::MatchStats;
use evalsmith_stats::sprt::Verdict;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// The Elo that a round must be shown to gain, and the rates of error of the test.
const GAIN: [f64; 2] = [0.0, 40.0];
const ERROR_RATE: f64 = 0.05;
/// Pairs against the trivial function, whose result is soon beyond doubt.
const TRIVIAL_PAIRS: u32 = 25;

/// Everything that decides the result of a bootstrap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootstrapPlan {
    /// Who learns.
    pub learner: Learner,
    /// The features by name; the game's own where none is named.
    pub features: Vec<String>,
    /// Rounds at most.
    pub rounds: u32,
    /// m: games a round.
    pub games: u32,
    /// d1: plies searched for a move, in self-play and in matches.
    pub depth: u8,
    /// d2: plies searched for a label.
    pub label_depth: u8,
    /// How often a move of self-play is random.
    pub chance: f64,
    /// Random half-moves at the start of a game.
    pub opening_plies: u16,
    /// Expands the tree of the last round instead of growing a new one.
    pub expand: bool,
    /// The share of the old counts that an expanded tree keeps.
    pub memory: f64,
    /// How trees are grown and chosen.
    pub tree: TreeParams,
    /// How the other learners fit.
    pub logistic: LogisticParams,
    /// The share of games that judge a round and have no part in it.
    pub holdout: f64,
    /// Rounds from one match to the next; 0 plays none.
    pub match_every: u32,
    /// Pairs of games of a match at most; the test may end it earlier.
    pub pairs: u32,
    /// Random half-moves of a match's openings.
    pub match_plies: u16,
    /// Matches without improvement that end the run; 0 plays all rounds.
    pub patience: u32,
    /// Decides all chance.
    pub seed: u64,
}

impl BootstrapPlan {
    /// The paper's hundred games a round and labels at depth 2, for a game of
    /// these defaults.
    pub fn new(defaults: &Defaults) -> Self {
        let mut logistic = LogisticParams::default();
        logistic.stages.radius = defaults.radius;
        Self {
            learner: Learner::Tree,
            features: Vec::new(),
            rounds: 30,
            games: 100,
            depth: 2,
            label_depth: 2,
            chance: 0.1,
            opening_plies: 4,
            expand: false,
            memory: 0.9,
            // The paper's, and larger trees: among moves of equal value play is blind.
            tree: TreeParams { criterion: Criterion::Penalty, ..TreeParams::default() },
            logistic,
            holdout: 0.2,
            match_every: 5,
            pairs: 100,
            match_plies: defaults.match_plies,
            patience: 3,
            seed: 1,
        }
    }

    fn check(&self) -> Result<(), LabError> {
        let wrong = |message: String| Err(LabError::Settings(message));
        if self.rounds == 0 {
            return wrong("play at least one round (--rounds)".into());
        }
        if self.label_depth == 0 {
            return wrong("labels need a search of at least one ply (--label-depth)".into());
        }
        if !(0.0..=1.0).contains(&self.memory) {
            return wrong(format!("memory is a share from 0 to 1, not {}", self.memory));
        }
        if !(0.0..1.0).contains(&self.holdout) {
            return wrong(format!("a share held out lies between 0 and 1, not {}", self.holdout));
        }
        if self.expand && self.learner != Learner::Tree {
            return wrong(format!("only trees can be expanded, and {} makes none", self.learner));
        }
        Ok(())
    }

    /// The command that bootstraps so.
    fn command(&self, game: &str) -> String {
        let Self { learner, rounds, games, depth, label_depth, chance, opening_plies, .. } = self;
        let expand =
            if self.expand { format!(" --expand --memory {}", self.memory) } else { String::new() };
        let features = if self.features.is_empty() {
            String::new()
        } else {
            format!(" --features '{}'", self.features.join(","))
        };
        format!(
            "evalsmith learn {game} --method bootstrap --learner {learner} --rounds {rounds} --games \
             {games} --depth {depth} --label-depth {label_depth} --chance {chance} --opening-plies \
             {opening_plies}{expand}{features} --min-size {} --min-share {} --price {} --choose-by {} \
             --radius {} --holdout {} --match-every {} --pairs {} --patience {} --seed {}",
            self.tree.min_size,
            self.tree.min_share,
            self.tree.price,
            self.tree.criterion,
            self.logistic.stages.radius,
            self.holdout,
            self.match_every,
            self.pairs,
            self.patience,
            self.seed
        )
    }
}

/// What a round found; the same in every run of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundRecord {
    /// Its number, from 1.
    pub round: u32,
    /// The games of its self-play.
    pub games: GamesRecord,
    /// The share of positions of games held out whose label has the sign of the
    /// value; labels of 0 are left out, a value of 0 counts half.
    pub right: f64,
    /// Positions held out with a label other than 0, and with one of 0.
    pub judged: (usize, usize),
    /// Nodes of the tree, where it is one.
    pub nodes: Option<usize>,
    /// Leaves of the tree before pruning.
    pub full_leaves: Option<usize>,
    /// Features that a value asks for on average, where a tree is asked.
    pub asked: Option<f64>,
    /// The matches, in rounds that have them.
    pub matches: Option<RoundMatches>,
}

/// What the games of a round were like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GamesRecord {
    /// Games with a position to learn from.
    pub games: u64,
    /// Won by the first player, drawn, won by the second.
    pub results: [u64; 3],
    /// Games that the bound on plies ended.
    pub bounded: u64,
    /// Positions.
    pub positions: u64,
    /// Half-moves of a game on average, its opening among them.
    pub mean_plies: f64,
    /// Legal moves of a position on average.
    pub branching: f64,
}

/// The matches of a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundMatches {
    /// The round of the best function before this one; 0 is the trivial one.
    pub best: u32,
    /// Against it.
    pub against_best: MatchStats,
    /// Whether the test accepted that this one is better.
    pub improved: bool,
    /// Against the trivial function.
    pub against_trivial: MatchStats,
}

/// What a bootstrap found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BootstrapSummary {
    /// The game.
    pub game: String,
    /// The command that makes it again.
    pub command: String,
    /// The rounds in order.
    pub rounds: Vec<RoundRecord>,
    /// The round whose function is the result.
    pub best: u32,
    /// Whether no improvement ended the run before its last round.
    pub ended_early: bool,
}

/// Bootstraps an evaluation function for a game, or goes on with it, in the folder
/// `out`; `model.safetensors` there is the best one.
///
/// # Errors
/// When the folder holds another run, the plan makes no sense, no position of a
/// round has a label, a step fails, or the job is stopped.
pub fn bootstrap(
    game: &DynGame,
    plan: &BootstrapPlan,
    out: &Path,
    progress: &dyn Progress,
) -> Result<BootstrapSummary, LabError> {
    plan.check()?;
    let game = &with_features(game, &plan.features)?;
    let openings = if plan.match_every == 0 {
        None
    } else {
        let pairs = plan.pairs.max(TRIVIAL_PAIRS);
        Some(Openings::random(game, plan.match_plies, pairs, plan.seed)?)
    };
    let folder = RunFolder::claim(out, &format!("bootstrap {}", game.name()), plan)?;
    let mut run = Run { game, plan, folder: &folder, openings, progress };
    let trivial = game.trivial_function();
    let mut state = State { last: trivial.clone(), best: (0, trivial), stale: 0 };
    let mut rounds = Vec::new();
    let mut ended_early = false;
    for number in 1..=plan.rounds {
        if progress.stopped() {
            return Err(LabError::Stopped);
        }
        let record = run.round(number, &mut state).map_err(LabError::within_run)?;
        progress.note(&record.sentence());
        rounds.push(record);
        if plan.patience > 0 && state.stale >= plan.patience && number < plan.rounds {
            ended_early = true;
            break;
        }
    }
    // Where no match tells, the last function is the result.
    let best = if plan.match_every == 0 { rounds.len() as u32 } else { state.best.0 };
    if best > 0 {
        ModelFile::load(&run.model(best))?.save(&folder.join("model.safetensors"))?;
    }
    let (game, command) = (game.name().to_owned(), plan.command(game.name()));
    let summary = BootstrapSummary { game, command, rounds, best, ended_early };
    write_json(&folder.join("summary.json"), &summary)?;
    let report = folder.join("report.html");
    write_atomically(&report, |file| file.write_all(summary.page().as_bytes()))
        .map_err(LabError::io(&report))?;
    Ok(summary)
}

/// What is the same for all rounds.
struct Run<'a> {
    game: &'a DynGame,
    plan: &'a BootstrapPlan,
    folder: &'a RunFolder,
    openings: Option<Openings>,
    progress: &'a dyn Progress,
}

/// What passes from one round to the next.
struct State {
    last: DynFunction,
    best: (u32, DynFunction),
    /// Matches running without improvement.
    stale: u32,
}

impl Run<'_> {
    fn model(&self, round: u32) -> std::path::PathBuf {
        self.folder.join(&format!("round-{round:03}")).join("model.safetensors")
    }

    /// Plays a round, or reads what an earlier run left of it.
    fn round(&mut self, number: u32, state: &mut State) -> Result<RoundRecord, LabError> {
        let folder = self.folder.join(&format!("round-{number:03}"));
        let told = folder.join("round.json");
        let record: RoundRecord = if told.exists() {
            read_json(&told)?
        } else {
            let made =
                round::make(self.game, self.plan, number, &state.last, &folder, self.progress)?;
            let file = ModelFile {
                game: self.game.name().into(),
                made_by: serde_json::json!({
                    "command": self.plan.command(self.game.name()),
                    "round": number,
                }),
                model: made.model.clone(),
            };
            file.save(&self.model(number))?;
            let function = self.game.function_of_model(made.model)?;
            let matches = match &self.openings {
                Some(openings) if self.has_match(number) => {
                    Some(self.matches(&function, state, openings, &folder)?)
                }
                _ => None,
            };
            let record = RoundRecord { matches, ..made.record };
            write_json(&told, &record)?;
            record
        };
        let model = ModelFile::load(&self.model(number))?.model;
        state.last = self.game.function_of_model(model)?;
        if let Some(matches) = &record.matches {
            if matches.improved {
                state.best = (number, state.last.clone());
                state.stale = 0;
            } else {
                state.stale += 1;
            }
        }
        Ok(record)
    }

    /// Matches come at their intervals, and after the last round.
    fn has_match(&self, number: u32) -> bool {
        number.is_multiple_of(self.plan.match_every) || number == self.plan.rounds
    }

    fn matches(
        &self,
        function: &DynFunction,
        state: &State,
        openings: &Openings,
        folder: &Path,
    ) -> Result<RoundMatches, LabError> {
        let pace = Pace::Depth(self.plan.depth);
        let named = |function: &DynFunction, name: &str| {
            function.identity(&FunctionName::File(name.into()))
        };
        let mine = named(function, "new");
        let play = |name: &str, other: &DynFunction, log: &str, plan: &DuelPlan| {
            let theirs = named(other, name);
            let entrants = [
                Entrant { name: "new", opened: Opened::Function(function, &mine), pace },
                Entrant { name, opened: Opened::Function(other, &theirs), pace },
            ];
            let calibration = folder.join("calibration.json");
            duel(
                self.game,
                entrants,
                plan,
                openings,
                &folder.join(log),
                &calibration,
                self.progress,
            )
        };
        let mut plan = DuelPlan::new(self.plan.pairs, self.plan.seed);
        plan.sprt = Some(sprt(GAIN, false, ERROR_RATE, ERROR_RATE)?);
        let result = play("best", &state.best.1, "match-best.jsonl", &plan)?;
        let improved = result.test.is_some_and(|test| match test.verdict {
            Verdict::AcceptH1 => true,
            Verdict::AcceptH0 => false,
            // The match ended first: by its interval, at the test's own rate.
            Verdict::Continue => result.stats.elo_interval.low.0 > 0.0,
        });
        let trivial = DuelPlan::new(TRIVIAL_PAIRS, self.plan.seed);
        let against_trivial =
            play("trivial", &self.game.trivial_function(), "match-trivial.jsonl", &trivial)?.stats;
        let best = state.best.0;
        Ok(RoundMatches { best, against_best: result.stats, improved, against_trivial })
    }
}
