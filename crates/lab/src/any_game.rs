//! A game without its type, erased by whole jobs: what the program calls.

use crate::LabError;
use crate::any_data::AnyData;
use crate::bootstrap::{BootstrapPlan, BootstrapSummary, bootstrap};
use crate::compare::{ComparePlan, Compared, compare};
use crate::curve_gather::{Gathered, gather};
use crate::curve_play::{AdjustedPlay, PlayPlan, play_adjusted};
use crate::curve_values::{
    MakeSelective, OwnOrder, OwnValued, ValueRows, ValueSource, own_values, rows_of_dataset,
};
use crate::fit::{CurvePlan, FitPlan, Fitted, curve_of_values, fit, table, valued};
use crate::function::{FunctionName, by_hand, open, open_untyped};
use crate::glem::{
    ConfigurationFitted, ConfigurationPlan, DiscoverPlan, Discovered, discover, fit_configurations,
};
use crate::glem::{
    PatternExport, PatternFitPlan, PatternFitted, PatternShow, export_patterns, fit_patterns,
    show_patterns,
};
use crate::griffith::fit_move_table;
use crate::judge::{Judgement, judge_dataset, judge_function};
use crate::learn::{LearnPlan, LearnSummary, learn};
use crate::match_order::{MatchOrder, play_match};
use crate::match_records::write_match;
use crate::reproduce::{Experiment, Extent, Reproduction};
use crate::samuel::{SamuelMethod, samuel};
use crate::session::{GameSession, Session};
use crate::study::{GameStudy, Study};
use crate::thinker::{EngineSetup, SearchThinker};
use crate::time_factor::{Equality, FactorOrder, time_factor};
use crate::tournament::{Standings, TournamentOrder, play_tournament};
use evalsmith_arena::{MatchResult, Openings};
use evalsmith_core::{Defaults, Features, Game, Progress, Protocol};
use evalsmith_curves::Curve;
use evalsmith_data::{Dataset, RecordFormat, write_feature_table};
use evalsmith_learn::{Model, ModelFile, MoveTable};
use evalsmith_protocol::{Budget, Engine, Finding, check, serve};
use evalsmith_rules::DynGame;
use evalsmith_search::{DEFAULT_TABLE_BYTES, Limits, Searcher};
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Everything the program does with a game. Any [`Game`] has it; see [`AsAny`].
pub trait AnyGame: Send + Sync {
    /// The game's name.
    fn name(&self) -> &str;
    /// The size of a first experiment.
    fn defaults(&self) -> Defaults;
    /// The names of the features.
    fn feature_names(&self) -> Vec<String>;
    /// Whether the game can be solved near its end.
    fn has_solver(&self) -> bool;
    /// Whether a model comes with the program; without one, `shipped` means `hand`.
    fn has_model(&self) -> bool;
    /// Leaves of the game tree at this depth from the start.
    fn perft(&self, depth: u32) -> u64;

    /// Fixed searches with the hand-weighted function: nodes and CPU time.
    ///
    /// # Errors
    /// When the game's hand weights do not fit its features.
    fn bench_search(&self) -> Result<BenchSearch, LabError>;

    /// The whole walk; see [`learn`].
    ///
    /// # Errors
    /// As [`learn`].
    fn learn(
        &self,
        plan: &LearnPlan,
        out: &Path,
        calibration: Option<&Path>,
        progress: &dyn Progress,
    ) -> Result<LearnSummary, LabError>;

    /// Bootstraps a function from the rules; see [`bootstrap`].
    ///
    /// # Errors
    /// As [`bootstrap`].
    fn bootstrap(
        &self,
        plan: &BootstrapPlan,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<BootstrapSummary, LabError>;

    /// Datasets: records in and out, and what else needs the rules.
    fn data(&self) -> &dyn AnyData;

    /// The features of every position of a dataset, as it was played (`raw`) or
    /// at rest by the hand-weighted function, as one Parquet file.
    ///
    /// # Errors
    /// When a file fails.
    fn export_features(
        &self,
        data: &Path,
        out: &Path,
        raw: bool,
        progress: &dyn Progress,
    ) -> Result<u64, LabError>;

    /// Judges a model on a dataset; see [`judge_dataset`].
    ///
    /// # Errors
    /// As [`judge_dataset`].
    fn judge(
        &self,
        data: &Path,
        model: &ModelFile,
        raw: bool,
        progress: &dyn Progress,
    ) -> Result<Judgement, LabError>;

    /// Fits a model to a dataset; see [`fit`].
    ///
    /// # Errors
    /// As [`fit`].
    fn fit(&self, data: &Path, plan: &FitPlan, progress: &dyn Progress)
    -> Result<Fitted, LabError>;

    /// Judges a function of any kind on a dataset; see [`judge_function`].
    ///
    /// # Errors
    /// As [`judge_function`].
    fn judge_function(
        &self,
        data: &Path,
        function: &FunctionName,
        raw: bool,
        progress: &dyn Progress,
    ) -> Result<Judgement, LabError>;

    /// Fits patterns to the dataset of a folder; see [`fit_patterns`].
    ///
    /// # Errors
    /// As [`fit_patterns`].
    fn fit_patterns(
        &self,
        data: &Path,
        plan: &PatternFitPlan,
        start: Option<&Path>,
        output: &Path,
        command: &str,
        progress: &dyn Progress,
    ) -> Result<PatternFitted, LabError>;

    /// Finds and fits configurations to the dataset of a folder; see
    /// [`fit_configurations`].
    ///
    /// # Errors
    /// As [`fit_configurations`].
    fn fit_configurations(
        &self,
        data: &Path,
        plan: &ConfigurationPlan,
        output: &Path,
        command: &str,
        progress: &dyn Progress,
    ) -> Result<ConfigurationFitted, LabError>;

    /// Looks for patterns that a model misses; see [`discover`].
    ///
    /// # Errors
    /// As [`discover`].
    fn discover(
        &self,
        model: &Path,
        data: &Path,
        plan: &DiscoverPlan,
        progress: &dyn Progress,
    ) -> Result<Discovered, LabError>;

    /// Looks at a pattern model; see [`show_patterns`].
    ///
    /// # Errors
    /// As [`show_patterns`].
    fn show_patterns(
        &self,
        model: &Path,
        stage: Option<u8>,
        name: Option<&str>,
        most: usize,
    ) -> Result<PatternShow, LabError>;

    /// Writes a pattern model for other programs; see [`export_patterns`].
    ///
    /// # Errors
    /// As [`export_patterns`].
    fn export_patterns(
        &self,
        model: &Path,
        format: PatternExport,
        out: &Path,
    ) -> Result<(), LabError>;

    /// Fits several learners and lets them play; see [`compare`].
    ///
    /// # Errors
    /// As [`compare`].
    fn compare(
        &self,
        data: &Path,
        plan: &ComparePlan,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<Compared>, LabError>;

    /// Learns by one of Samuel's ways; see [`samuel`].
    ///
    /// # Errors
    /// As [`samuel`].
    fn samuel(
        &self,
        method: &SamuelMethod,
        features: &[String],
        progress: &dyn Progress,
    ) -> Result<Model, LabError>;

    /// Griffith's table from the winners' moves in the dataset of a folder.
    ///
    /// # Errors
    /// As [`fit_move_table`].
    fn griffith(&self, data: &Path, progress: &dyn Progress) -> Result<MoveTable, LabError>;

    /// Plays a match; see [`play_match`].
    ///
    /// # Errors
    /// As [`play_match`].
    fn play_match(
        &self,
        order: &MatchOrder,
        log: &Path,
        progress: &dyn Progress,
    ) -> Result<MatchResult, LabError>;

    /// Plays a tournament; see [`play_tournament`].
    ///
    /// # Errors
    /// As [`play_tournament`].
    fn play_tournament(
        &self,
        order: &TournamentOrder,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Standings, LabError>;

    /// Finds the time factor of equal strength; see [`time_factor`].
    ///
    /// # Errors
    /// As [`time_factor`].
    fn time_factor(
        &self,
        order: &FactorOrder,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Equality, LabError>;

    /// The total evaluation curve of a function over a dataset.
    ///
    /// # Errors
    /// When a file fails or no bin is full enough.
    fn curve(
        &self,
        data: &Path,
        function: &FunctionName,
        plan: &CurvePlan,
        progress: &dyn Progress,
    ) -> Result<Curve, LabError>;

    /// The first positions of a dataset with their values and features, to be asked
    /// many times; see [`Gathered`].
    ///
    /// # Errors
    /// When the dataset or the function cannot be read, or the job is stopped.
    fn gather(
        &self,
        data: &Path,
        function: &FunctionName,
        most: usize,
        progress: &dyn Progress,
    ) -> Result<Gathered, LabError>;

    /// A packed position as text.
    ///
    /// # Errors
    /// When the bytes are no position.
    fn position_text(&self, packed: &[u8]) -> Result<String, LabError>;

    /// The positions of a dataset as an engine is told of them.
    ///
    /// # Errors
    /// When the game is not spoken in the protocol, or the dataset cannot be read.
    fn value_rows(
        &self,
        data: &Path,
        protocol: Protocol,
        progress: &dyn Progress,
    ) -> Result<ValueRows, LabError>;

    /// Writes a table with a function's values of all positions.
    ///
    /// # Errors
    /// When a file fails, a column is missing or there already, or the job is
    /// stopped.
    fn own_values(
        &self,
        source: &ValueSource,
        function: &FunctionName,
        order: &OwnOrder,
        progress: &dyn Progress,
    ) -> Result<OwnValued, LabError>;

    /// Adds weights to a linear function and plays the new one against the old.
    ///
    /// # Errors
    /// When the function is not linear or lacks a feature, a file fails, or the
    /// job is stopped.
    fn play_adjusted(
        &self,
        function: &FunctionName,
        plan: &PlayPlan,
        progress: &dyn Progress,
    ) -> Result<AdjustedPlay, LabError>;

    /// The games of a match log as text; see [`write_match`].
    ///
    /// # Errors
    /// As [`write_match`].
    fn match_records(
        &self,
        log: &Path,
        format: Option<RecordFormat>,
        out: &mut dyn Write,
    ) -> Result<u64, LabError>;

    /// A game between a person and a function.
    ///
    /// # Errors
    /// When the function or the position cannot be read.
    fn session(
        &self,
        function: &FunctionName,
        limits: &Limits,
        from: Option<&str>,
    ) -> Result<Box<dyn Session>, LabError>;

    /// The game and a function, to be looked at.
    ///
    /// # Errors
    /// When the function cannot be read.
    fn study(&self, function: &FunctionName) -> Result<Box<dyn Study>, LabError>;

    /// The protocols in which the game is spoken, its usual one first.
    fn protocols(&self) -> Vec<Protocol>;

    /// Speaks as an engine until the client leaves.
    ///
    /// # Errors
    /// When the function cannot be read, the game is not spoken in the protocol,
    /// or the client cannot be written to.
    fn serve(
        &self,
        protocol: Protocol,
        setup: &EngineSetup,
        input: Box<dyn BufRead + Send>,
        output: &mut dyn Write,
    ) -> Result<(), LabError>;

    /// Tests an outside engine's manners; see [`check`](check()).
    fn check_engine(&self, engine: &Engine, budget: &Budget) -> Vec<Finding>;

    /// Rebuilds one experiment of a paper with this game.
    ///
    /// # Errors
    /// When a step of it fails.
    fn reproduce(
        &self,
        experiment: &Experiment,
        extent: Extent,
        seed: u64,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Reproduction, LabError>;
}

/// What a benchmark of the search measured.
#[derive(Clone, Copy, Debug)]
pub struct BenchSearch {
    /// Positions visited; the same on every machine.
    pub nodes: u64,
    /// CPU time of the searching thread.
    pub cpu: Duration,
}

/// A game with the model that comes with the program, if one does.
#[derive(Clone)]
pub struct AsAny<G: Game> {
    game: G,
    /// The same game, for what is compiled once for all games.
    untyped: DynGame,
    shipped: Option<&'static [u8]>,
    selective: Option<MakeSelective<G::Position>>,
}

impl<G: Game> AsAny<G> {
    /// A game without a shipped model.
    pub fn new(game: G) -> Self {
        Self { untyped: DynGame::new(game.clone()), game, shipped: None, selective: None }
    }

    /// A game whose shipped model has these bytes.
    pub fn with_model(game: G, shipped: &'static [u8]) -> Self {
        Self { shipped: Some(shipped), ..Self::new(game) }
    }

    /// The same with a search of its own that leaves lines out.
    #[must_use]
    pub fn with_selective_search(mut self, make: MakeSelective<G::Position>) -> Self {
        self.selective = Some(make);
        self
    }

    pub(crate) const fn game(&self) -> &G {
        &self.game
    }

    pub(crate) const fn shipped(&self) -> Option<&'static [u8]> {
        self.shipped
    }
}

/// Opens a dataset of this game.
fn dataset<G: Game>(game: &G, dir: &Path) -> Result<Dataset, LabError> {
    let dataset = Dataset::open(dir)?;
    dataset.expect_game(game.name())?;
    Ok(dataset)
}

impl<G: Game> AnyGame for AsAny<G> {
    fn name(&self) -> &str {
        self.game.name()
    }

    fn defaults(&self) -> Defaults {
        self.game.defaults()
    }

    fn feature_names(&self) -> Vec<String> {
        self.game.features().names()
    }

    fn has_solver(&self) -> bool {
        self.game.solver().is_some()
    }

    fn has_model(&self) -> bool {
        self.shipped.is_some()
    }

    fn perft(&self, depth: u32) -> u64 {
        self.untyped.perft(depth)
    }

    fn bench_search(&self) -> Result<BenchSearch, LabError> {
        const OPENINGS: u32 = 16;
        let defaults = self.game.defaults();
        let openings = Openings::random(&self.game, defaults.match_plies, OPENINGS, 1)?;
        let mut searcher = Searcher::new(by_hand(&self.game)?, DEFAULT_TABLE_BYTES);
        let mut total = BenchSearch { nodes: 0, cpu: Duration::ZERO };
        for record in &openings.first(OPENINGS as usize) {
            searcher.clear();
            let limits = Limits::depth(defaults.depth + 3);
            let found = searcher.search(record, &limits, &AtomicBool::new(false));
            total.nodes += found.nodes;
            total.cpu += found.cpu;
        }
        Ok(total)
    }

    fn learn(
        &self,
        plan: &LearnPlan,
        out: &Path,
        calibration: Option<&Path>,
        progress: &dyn Progress,
    ) -> Result<LearnSummary, LabError> {
        learn(&self.game, plan, out, calibration, progress)
    }

    fn bootstrap(
        &self,
        plan: &BootstrapPlan,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<BootstrapSummary, LabError> {
        bootstrap(&self.game, plan, out, progress)
    }

    fn data(&self) -> &dyn AnyData {
        self
    }

    fn export_features(
        &self,
        data: &Path,
        out: &Path,
        raw: bool,
        progress: &dyn Progress,
    ) -> Result<u64, LabError> {
        let hand = by_hand(&self.game)?;
        let table = table(&self.game, &dataset(&self.game, data)?, &hand, raw, progress)?;
        write_feature_table(&table, out)?;
        Ok(table.columns.rows() as u64)
    }

    fn judge(
        &self,
        data: &Path,
        model: &ModelFile,
        raw: bool,
        progress: &dyn Progress,
    ) -> Result<Judgement, LabError> {
        judge_dataset(&self.game, model, &dataset(&self.game, data)?, raw, progress)
    }

    fn judge_function(
        &self,
        data: &Path,
        function: &FunctionName,
        raw: bool,
        progress: &dyn Progress,
    ) -> Result<Judgement, LabError> {
        let opened = open(&self.game, function, self.shipped)?;
        judge_function(&self.game, &opened, &dataset(&self.game, data)?, raw, progress)
    }

    fn fit(
        &self,
        data: &Path,
        plan: &FitPlan,
        progress: &dyn Progress,
    ) -> Result<Fitted, LabError> {
        fit(&self.game, &dataset(&self.game, data)?, plan, progress)
    }

    fn fit_patterns(
        &self,
        data: &Path,
        plan: &PatternFitPlan,
        start: Option<&Path>,
        output: &Path,
        command: &str,
        progress: &dyn Progress,
    ) -> Result<PatternFitted, LabError> {
        let dataset = dataset(&self.game, data)?;
        fit_patterns(&self.game, &dataset, plan, start, output, command, progress)
    }

    fn fit_configurations(
        &self,
        data: &Path,
        plan: &ConfigurationPlan,
        output: &Path,
        command: &str,
        progress: &dyn Progress,
    ) -> Result<ConfigurationFitted, LabError> {
        fit_configurations(&self.game, &dataset(&self.game, data)?, plan, output, command, progress)
    }

    fn discover(
        &self,
        model: &Path,
        data: &Path,
        plan: &DiscoverPlan,
        progress: &dyn Progress,
    ) -> Result<Discovered, LabError> {
        discover(&self.game, model, &dataset(&self.game, data)?, plan, progress)
    }

    fn show_patterns(
        &self,
        model: &Path,
        stage: Option<u8>,
        name: Option<&str>,
        most: usize,
    ) -> Result<PatternShow, LabError> {
        show_patterns(&self.game, model, stage, name, most)
    }

    fn export_patterns(
        &self,
        model: &Path,
        format: PatternExport,
        out: &Path,
    ) -> Result<(), LabError> {
        export_patterns(&self.game, model, format, out)
    }

    fn compare(
        &self,
        data: &Path,
        plan: &ComparePlan,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Vec<Compared>, LabError> {
        compare(&self.game, &dataset(&self.game, data)?, plan, out, progress)
    }

    fn samuel(
        &self,
        method: &SamuelMethod,
        features: &[String],
        progress: &dyn Progress,
    ) -> Result<Model, LabError> {
        samuel(&self.game, method, features, progress)
    }

    fn griffith(&self, data: &Path, progress: &dyn Progress) -> Result<MoveTable, LabError> {
        fit_move_table(&self.game, &Dataset::open(data)?, progress)
    }

    fn play_match(
        &self,
        order: &MatchOrder,
        log: &Path,
        progress: &dyn Progress,
    ) -> Result<MatchResult, LabError> {
        play_match(&self.game, order, self.shipped, log, progress)
    }

    fn play_tournament(
        &self,
        order: &TournamentOrder,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Standings, LabError> {
        play_tournament(&self.game, order, self.shipped, folder, progress)
    }

    fn time_factor(
        &self,
        order: &FactorOrder,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<Equality, LabError> {
        time_factor(&self.game, order, self.shipped, folder, progress)
    }

    fn curve(
        &self,
        data: &Path,
        function: &FunctionName,
        plan: &CurvePlan,
        progress: &dyn Progress,
    ) -> Result<Curve, LabError> {
        let opened = open(&self.game, function, self.shipped)?;
        let dataset = dataset(&self.game, data)?;
        let (values, table) = valued(&self.game, &dataset, &opened, plan.raw, progress)?;
        curve_of_values(&values, &table, plan)
    }

    fn gather(
        &self,
        data: &Path,
        function: &FunctionName,
        most: usize,
        progress: &dyn Progress,
    ) -> Result<Gathered, LabError> {
        let dataset = dataset(&self.game, data)?;
        let opened = open(&self.game, function, self.shipped)?;
        let source = [
            ("dataset", data.display().to_string()),
            ("game", self.game.name().to_owned()),
            ("values", format!("{function}, the first player's log-odds")),
        ];
        let source = source.map(|(name, value)| (name.to_owned(), value)).to_vec();
        gather(&self.game, &dataset, &opened, source, most, progress)
    }

    fn position_text(&self, packed: &[u8]) -> Result<String, LabError> {
        let (position, side) = self.untyped.unpack(packed)?;
        Ok(self.untyped.format(&position, side))
    }

    fn value_rows(
        &self,
        data: &Path,
        protocol: Protocol,
        progress: &dyn Progress,
    ) -> Result<ValueRows, LabError> {
        rows_of_dataset(&self.untyped, data, protocol, progress)
    }

    fn own_values(
        &self,
        source: &ValueSource,
        function: &FunctionName,
        order: &OwnOrder,
        progress: &dyn Progress,
    ) -> Result<OwnValued, LabError> {
        let opened = open(&self.game, function, self.shipped)?;
        own_values(&self.game, (function, &opened), self.selective, source, order, progress)
    }

    fn play_adjusted(
        &self,
        function: &FunctionName,
        plan: &PlayPlan,
        progress: &dyn Progress,
    ) -> Result<AdjustedPlay, LabError> {
        let opened = open(&self.game, function, self.shipped)?;
        play_adjusted(&self.game, &opened, function, plan, progress)
    }

    fn match_records(
        &self,
        log: &Path,
        format: Option<RecordFormat>,
        out: &mut dyn Write,
    ) -> Result<u64, LabError> {
        write_match(&self.untyped, log, format, out)
    }

    fn session(
        &self,
        function: &FunctionName,
        limits: &Limits,
        from: Option<&str>,
    ) -> Result<Box<dyn Session>, LabError> {
        let opened = open_untyped(&self.untyped, function, self.shipped)?;
        Ok(Box::new(GameSession::new(self.untyped.clone(), opened, limits.clone(), from)?))
    }

    fn study(&self, function: &FunctionName) -> Result<Box<dyn Study>, LabError> {
        let opened = open_untyped(&self.untyped, function, self.shipped)?;
        Ok(Box::new(GameStudy::new(self.untyped.clone(), opened)))
    }

    fn protocols(&self) -> Vec<Protocol> {
        Protocol::ALL.into_iter().filter(|&p| self.game.dialect(p).is_some()).collect()
    }

    fn serve(
        &self,
        protocol: Protocol,
        setup: &EngineSetup,
        input: Box<dyn BufRead + Send>,
        output: &mut dyn Write,
    ) -> Result<(), LabError> {
        let mut thinker = SearchThinker::new(&self.untyped, setup, self.shipped)?;
        Ok(serve(&self.untyped, protocol, &mut thinker, input, output)?)
    }

    fn check_engine(&self, engine: &Engine, budget: &Budget) -> Vec<Finding> {
        check(&self.untyped, engine, budget)
    }

    fn reproduce(
        &self,
        experiment: &Experiment,
        extent: Extent,
        seed: u64,
        out: &Path,
        progress: &dyn Progress,
    ) -> Result<Reproduction, LabError> {
        experiment.run_with(&self.game, self.selective, extent, seed, out, progress)
    }
}
