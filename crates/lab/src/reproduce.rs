//! The papers' tables and figures, rebuilt: one TOML an experiment, one file a
//! kind of experiment. The outcome is reported as it is.

mod adjusted_terms;
mod asked_engine;
mod bootstrap_contest;
mod class_moments;
mod class_shapes;
mod conditioned_curves;
mod engine_term;
mod ground;
mod large_patterns;
mod problems;
mod record_curves;
mod robustness;
mod samuel_meets;
mod search_curves;
mod stage_profile;
mod strength;
mod win_probability;

use crate::LabError;
use crate::run_folder::{RunFolder, write_json};
use adjusted_terms::AdjustedTerms;
use bootstrap_contest::BootstrapContest;
use class_moments::ClassMoments;
use class_shapes::ClassShapes;
use conditioned_curves::ConditionedCurves;
use engine_term::EngineTerm;
use evalsmith_core::files::write_atomically;
use evalsmith_core::{Defaults, Game, Progress};
use evalsmith_data::SelfPlay;
use evalsmith_report::{LineChart, Page, Section, Table};
use evalsmith_rules::DynGame;
use ground::Ground;
use large_patterns::LargePatterns;
use problems::Problems;
use record_curves::RecordCurves;
use robustness::Robustness;
use samuel_meets::{SamuelMeets, SignatureCopies, Versions};
use search_curves::SearchCurves;
use serde::{Deserialize, Serialize};
use stage_profile::StageProfile;
use std::io::Write;
use std::path::Path;
use strength::{LearnersMeet, PliesWorth};
use win_probability::WinProbability;

/// The experiments that come with the program.
const EXPERIMENTS: &[&str] = &[
    include_str!("../../../experiments/lee86-T3-1.toml"),
    include_str!("../../../experiments/lee86-T4-1.toml"),
    include_str!("../../../experiments/lee86-T4-2.toml"),
    include_str!("../../../experiments/lee86-F5-1.toml"),
    include_str!("../../../experiments/lee86-F5-2.toml"),
    include_str!("../../../experiments/lee86-F5-3.toml"),
    include_str!("../../../experiments/lee86-F2-2.toml"),
    include_str!("../../../experiments/lee86-V1.toml"),
    include_str!("../../../experiments/lee86-T5-1.toml"),
    include_str!("../../../experiments/lee86-R1.toml"),
    include_str!("../../../experiments/lee86-R2.toml"),
    include_str!("../../../experiments/buro95-F1.toml"),
    include_str!("../../../experiments/buro95-F2.toml"),
    include_str!("../../../experiments/buro95-C1.toml"),
    include_str!("../../../experiments/buro95-T1.toml"),
    include_str!("../../../experiments/buro98-T1.toml"),
    include_str!("../../../experiments/heinz93-B1.toml"),
    include_str!("../../../experiments/heinz93-B2.toml"),
    include_str!("../../../experiments/takeuchi07-F2.toml"),
    include_str!("../../../experiments/takeuchi07-F3.toml"),
    include_str!("../../../experiments/takeuchi07-F3-chess.toml"),
    include_str!("../../../experiments/takeuchi07-F3-go.toml"),
    include_str!("../../../experiments/takeuchi07-F4.toml"),
    include_str!("../../../experiments/takeuchi07-F4-shogi.toml"),
    include_str!("../../../experiments/takeuchi07-F5.toml"),
    include_str!("../../../experiments/takeuchi07-F6.toml"),
    include_str!("../../../experiments/takeuchi07-F7.toml"),
    include_str!("../../../experiments/takeuchi07-S1.toml"),
    include_str!("../../../experiments/takeuchi07-S2.toml"),
    include_str!("../../../experiments/takeuchi07-T2-engine.toml"),
    include_str!("../../../experiments/takeuchi07-T2-toga.toml"),
];

/// One table or figure of a paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// The paper's short name.
    pub paper: String,
    /// The table or figure: T3-1 is Table 3-1.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// The game it is played with.
    pub game: String,
    quick: Size,
    full: Size,
    kind: Kind,
}

/// How many games of self-play, and how they are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    games: u32,
    depth: u8,
    opening_plies: u16,
    solve_at: u32,
    /// Pairs of games in each match.
    #[serde(default)]
    pairs: u32,
    /// Plies of the matches, or of the deepest search of problems.
    #[serde(default)]
    plies: u8,
    /// Microseconds of CPU time a move where time is limited.
    #[serde(default)]
    cpu_micros: u64,
    /// Problems to solve.
    #[serde(default)]
    problems: u32,
    /// The fewest and the most empty squares of a problem.
    #[serde(default)]
    empties: [u32; 2],
    /// Rounds of a bootstrap.
    #[serde(default)]
    rounds: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Kind {
    BootstrapContest(BootstrapContest),
    AdjustedTerms(AdjustedTerms),
    ClassMoments(ClassMoments),
    ClassShapes(ClassShapes),
    ConditionedCurves(ConditionedCurves),
    LargePatterns(LargePatterns),
    LearnersMeet(LearnersMeet),
    PliesWorth(PliesWorth),
    EngineTerm(EngineTerm),
    Problems(Problems),
    RecordCurves(RecordCurves),
    Robustness(Robustness),
    SamuelMeets(SamuelMeets),
    SearchCurves(SearchCurves),
    SignatureCopies(SignatureCopies),
    StageProfile(StageProfile),
    Versions(Versions),
    WinProbability(WinProbability),
}

/// A rebuilt table or figure beside the paper's.
pub struct Reproduction {
    /// What was rebuilt.
    pub title: String,
    /// The tables: ours beside the paper's.
    pub tables: Vec<Table>,
    /// Drawings, each with a sentence below it.
    pub charts: Vec<(LineChart, String)>,
    /// What the comparison says, in words.
    pub verdict: String,
}

impl Reproduction {
    /// For the terminal.
    pub fn to_text(&self) -> String {
        let tables: Vec<_> = self.tables.iter().map(Table::to_text).collect();
        format!("{}\n\n{}\n{}\n", self.title, tables.join("\n"), self.verdict)
    }
}

/// How large an experiment is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Minutes.
    Quick,
    /// The paper's size.
    Full,
}

/// All experiments that come with the program.
///
/// # Errors
/// When one of them cannot be read, which a test rules out.
pub fn experiments() -> Result<Vec<Experiment>, LabError> {
    EXPERIMENTS.iter().map(|text| Experiment::parse(text)).collect()
}

impl Experiment {
    /// Reads an experiment from its TOML.
    ///
    /// # Errors
    /// When the text is malformed; the message names the line.
    pub fn parse(text: &str) -> Result<Self, LabError> {
        let experiment: Self =
            toml::from_str(text).map_err(|e| LabError::Settings(format!("experiment: {e}")))?;
        if let Kind::ClassMoments(kind) = &experiment.kind {
            kind.check()?;
        }
        Ok(experiment)
    }

    /// Runs the experiment, or goes on with it, in the folder `out`.
    ///
    /// # Errors
    /// When the folder holds something else, a step fails or the job is stopped.
    pub fn run(
        &self,
        game: &DynGame,
        extent: Extent,
        seed: u64,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Reproduction, LabError> {
        let size = match extent {
            Extent::Quick => self.quick,
            Extent::Full => self.full,
        };
        let play = size.self_play(&game.defaults(), seed);
        let job = format!("reproduce {} {}", self.paper, self.id);
        let folder = RunFolder::claim(out, &job, &(self, &play))?;
        let data = out.parent().unwrap_or(out).join(format!(
            "data-{}-{}-{}-{}-{}-{seed}",
            self.game, size.games, size.depth, size.opening_plies, size.solve_at
        ));
        let ground = Ground {
            game,
            experiment: self,
            size,
            seed,
            play: &play,
            data: &data,
            folder: &folder,
            progress,
        };
        let reproduction = match &self.kind {
            Kind::BootstrapContest(kind) => kind.run(&ground),
            Kind::AdjustedTerms(kind) => kind.run(&ground),
            Kind::ClassMoments(kind) => kind.run(&ground),
            Kind::ClassShapes(kind) => kind.run(&ground),
            Kind::ConditionedCurves(kind) => kind.run(&ground),
            Kind::LargePatterns(kind) => kind.run(&ground),
            Kind::LearnersMeet(kind) => kind.run(&ground),
            Kind::PliesWorth(kind) => kind.run(&ground),
            Kind::EngineTerm(kind) => kind.run(&ground),
            Kind::Problems(kind) => kind.run(&ground),
            Kind::RecordCurves(kind) => kind.run(&ground),
            Kind::Robustness(kind) => kind.run(&ground),
            Kind::SamuelMeets(kind) => kind.run(&ground),
            Kind::SearchCurves(kind) => kind.run(&ground),
            Kind::SignatureCopies(kind) => kind.run(&ground),
            Kind::StageProfile(kind) => kind.run(&ground),
            Kind::Versions(kind) => kind.run(&ground),
            Kind::WinProbability(kind) => kind.run(&ground),
        }
        .map_err(LabError::within_run)?;
        self.write(&reproduction, &play, &folder)?;
        Ok(reproduction)
    }

    fn write(
        &self,
        made: &Reproduction,
        play: &SelfPlay,
        folder: &RunFolder,
    ) -> Result<(), LabError> {
        let section =
            made.tables.iter().fold(Section::new("Here and in the paper"), |section, table| {
                section.table(table.clone())
            });
        let section = made
            .charts
            .iter()
            .fold(section, |section, (chart, caption)| section.figure(chart.clone(), caption));
        let page = Page::new(format!("{} {}: {}", self.paper, self.id, self.title))
            .lead(&made.verdict)
            .section(section)
            .fact("program", format!("evalsmith {}", env!("CARGO_PKG_VERSION")))
            .fact("game", &self.game)
            .fact("self-play", serde_json::to_string(play).unwrap_or_default());
        let path = folder.join("report.html");
        write_atomically(&path, |file| file.write_all(page.to_html().as_bytes()))
            .map_err(LabError::io(&path))?;
        write_json(&folder.join("verdict.json"), &made.verdict)
    }
}

impl Size {
    fn self_play(self, defaults: &Defaults, seed: u64) -> SelfPlay {
        let plan = crate::learn::LearnPlan::new(defaults).self_play;
        let Self { games, depth, opening_plies, solve_at, .. } = self;
        SelfPlay { games, depth, opening_plies, solve_at, seed, chance: 0.0, ..plan }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Quiet;
    use std::collections::HashSet;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn every_experiment_can_be_read_and_has_its_own_name() {
        let all = experiments().expect("the shipped experiments are well formed");
        let names: HashSet<_> = all.iter().map(|e| (&e.paper, &e.id)).collect();
        assert_eq!(names.len(), all.len());
    }

    /// An experiment with a handful of games.
    fn small(mut experiment: Experiment) -> Experiment {
        experiment.quick = Size {
            games: 200,
            depth: 1,
            opening_plies: 20,
            solve_at: if experiment.game == "othello" { 2 } else { 0 },
            pairs: 2,
            plies: 3,
            cpu_micros: 100,
            problems: 4,
            empties: [6, 8],
            rounds: 2,
        };
        match &mut experiment.kind {
            Kind::SamuelMeets(kind) => kind.samuel.games = 4,
            Kind::BootstrapContest(kind) => kind.make_small(),
            Kind::RecordCurves(kind) => kind.make_small(),
            Kind::SearchCurves(kind) => kind.make_small(),
            _ => {}
        }
        experiment
    }

    /// Stops a job in its task of this number, and not before.
    struct StopsAt {
        task: u32,
        begun: AtomicU32,
    }

    impl Progress for StopsAt {
        fn begin(&self, _task: &str, _total: u64, _unit: &'static str) {
            self.begun.fetch_add(1, Ordering::Relaxed);
        }
        fn advance(&self, _amount: u64) {}
        fn note(&self, _message: &str) {}
        fn end(&self) {}
        fn stopped(&self) -> bool {
            self.begun.load(Ordering::Relaxed) > self.task
        }
    }

    /// Wherever a run is stopped, it says that its folder goes on.
    #[test]
    fn a_run_stopped_in_any_task_goes_on_from_its_folder() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let othello = DynGame::new(evalsmith_othello::Othello::new());
        let chosen = [("lee86", "F5-1"), ("takeuchi07", "F3"), ("buro95", "F1")];
        let all = experiments().expect("well formed").into_iter();
        for experiment in all.filter(|e| chosen.contains(&(&*e.paper, &*e.id))).map(small) {
            let out = temp.path().join(&experiment.paper).join(&experiment.id);
            let stops = (0..).map_while(|task| {
                let watch = StopsAt { task, begun: AtomicU32::new(0) };
                experiment.run(&othello, Extent::Quick, 1, &out, &watch).err()
            });
            let mut count = 0;
            for error in stops {
                assert!(error.to_string().contains("the same command"), "{error}");
                count += 1;
            }
            assert!(count > 1, "{} {}: stopped {count} times", experiment.paper, experiment.id);
        }
    }

    /// Every kind of experiment, with a handful of games, and again from what the
    /// first run left.
    #[test]
    fn every_experiment_runs_small_and_goes_on_from_its_folder() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        for experiment in experiments().expect("well formed").into_iter().map(small) {
            let out = temp.path().join(&experiment.paper).join(&experiment.id);
            let run = || {
                let game = match experiment.game.as_str() {
                    "chess" => DynGame::new(evalsmith_chess::Chess),
                    "shogi" => DynGame::new(evalsmith_shogi::Shogi),
                    "go" => DynGame::new(evalsmith_go::Go::default()),
                    _ => DynGame::new(evalsmith_othello::Othello::new()),
                };
                let made = experiment.run(&game, Extent::Quick, 1, &out, &Quiet);
                made.unwrap_or_else(|e| panic!("{} {}: {e}", experiment.paper, experiment.id))
                    .to_text()
            };
            let text = run();
            assert!(text.contains("paper") && !text.contains("NaN"), "{text}");
            assert_eq!(run(), text, "the second run differs from the first");
            let page = std::fs::read_to_string(out.join("report.html")).expect("a page");
            assert!(page.contains(&experiment.id));
        }
    }

    #[test]
    fn figures_that_do_not_fit_the_features_are_refused() {
        let text = EXPERIMENTS[0].replace("mean = [533, 266, 242, 599]", "mean = [533]");
        let message = Experiment::parse(&text).expect_err("too few means").to_string();
        assert!(message.contains("4 numbers"), "{message}");
    }

    #[test]
    fn a_misspelt_key_is_named() {
        let text = EXPERIMENTS[0].replace("radius", "radios");
        let message = Experiment::parse(&text).expect_err("an unknown key").to_string();
        assert!(message.contains("radios"), "{message}");
    }
}
