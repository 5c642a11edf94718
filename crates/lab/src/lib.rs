//! The glue and the public face: everything evalsmith does with a game, for any
//! [`Game`](evalsmith_core::Game), in this repository or outside it.
//!
//! ```no_run
//! # use evalsmith_lab::prelude::*;
//! # fn walk(game: DynGame) -> Result<(), LabError> {
//! let plan = LearnPlan::new(&game.defaults());
//! let out = std::path::Path::new("learn-my-game");
//! let summary = learn(&game, &plan, out, None, &Quiet)?;
//! println!("{}", summary.to_text(out));
//! # Ok(())
//! # }
//! ```

mod bench;
mod book;
mod bootstrap;
mod compare;
mod contender;
mod curve_adjust;
mod curve_gather;
mod curve_picture;
mod curve_play;
mod curve_search;
mod curve_table;
mod curve_values;
mod drawing;
mod duel;
mod error;
mod feature_costs;
mod fit;
mod function;
mod glem;
mod griffith;
mod judge;
mod label;
mod learn;
mod match_order;
mod match_page;
mod match_records;
mod match_text;
mod pace;
mod page;
pub mod reproduce;
mod run_folder;
mod samuel;
mod self_play;
mod session;
mod speak;
mod statistics;
mod study;
mod text;
mod thinker;
mod time_factor;
mod tournament;
mod tree_drawing;

pub use error::LabError;

/// Everything a game or a program needs, in one line.
pub mod prelude {
    pub use crate::LabError;
    pub use crate::bench::{BenchSearch, bench_search};
    pub use crate::book::Book;
    pub use crate::bootstrap::{
        BootstrapPlan, BootstrapSummary, GamesRecord, RoundMatches, RoundRecord, bootstrap,
    };
    pub use crate::compare::{ComparePlan, Compared, compare, comparison_table};
    pub use crate::contender::{Contender, Mind, Roster};
    pub use crate::curve_adjust::{AdjustPlan, Adjusted, adjust_table, fit_table_weights};
    pub use crate::curve_gather::{Gathered, Sample, gather};
    pub use crate::curve_play::{AdjustedMatch, AdjustedPlay, PlayPlan};
    pub use crate::curve_search::{SearchPlan, TableSearch, search_table};
    pub use crate::curve_table::{
        ConditionedCurve, TableCurves, TablePlan, TableSource, draw_table,
    };
    pub use crate::curve_values::{
        After, EvalProfile, OwnOrder, OwnValued, Question, TableForm, ValueOrder, ValueRows,
        ValueSource, Valued, locate, own_values, rows_of_dataset, value_rows,
    };
    pub use crate::drawing::weights_drawing;
    pub use crate::duel::{DuelPlan, Entrant, Opened, duel};
    pub use crate::feature_costs::FeatureCosts;
    pub use crate::fit::{
        CurvePlan, FitPlan, FitRecord, Fitted, dataset_curve, draw_curve, export_features, fit,
        fit_table,
    };
    pub use crate::function::{FunctionName, open, open_dataset};
    pub use crate::glem::{
        Configuration, CountView, GroupReport, LinkName, PatternExport, PatternFitPlan,
        PatternFitted, PatternShow, PatternSource, PatternView, export_patterns, fit_patterns,
        pattern_names, show_patterns,
    };
    pub use crate::glem::{
        ConfigurationFitted, ConfigurationPlan, DiscoverPlan, Discovered, Proposal, discover,
        fit_configurations, show_configurations,
    };
    pub use crate::griffith::fit_move_table;
    pub use crate::judge::{Judgement, judge_dataset, judge_function};
    pub use crate::label::label_dataset;
    pub use crate::learn::{LearnPlan, LearnSummary, MatchSummary, learn};
    pub use crate::match_order::{Even, MatchOrder, OpeningSource, Terms, play_match, sprt};
    pub use crate::match_page::{match_page, tournament_page};
    pub use crate::match_records::write_match;
    pub use crate::match_text::{
        games_table, match_table, pairs_table, standings_tables, test_table, time_factor_table,
    };
    pub use crate::pace::Pace;
    pub use crate::page::curve_file;
    pub use crate::samuel::{SamuelFit, SamuelMethod, SamuelParams, fit_samuel, samuel};
    pub use crate::self_play::{SelfPlayOpenings, SelfPlayOrder, self_play};
    pub use crate::session::{Hint, Session, Thought};
    pub use crate::speak::{protocols, speak};
    pub use crate::statistics::Statistics;
    pub use crate::study::{
        Account, AccountedMove, Course, Judged, Legal, Line, MoveValue, News, Reply, Said,
        Standing, Step, Stepwise, Strength, Study, View,
    };
    pub use crate::text::{estimate_table, weights};
    pub use crate::thinker::{EngineSetup, SearchThinker};
    pub use crate::time_factor::{Equality, FactorOrder, time_factor};
    pub use crate::tournament::{
        Schedule, Standings, TournamentOrder, play_tournament, standings_so_far,
    };
    pub use crate::tree_drawing::{SHOWN_LEVELS, tree_drawing, tree_table, tree_text};
    pub use evalsmith_arena::{
        Adjudication, MatchResult, Openings, read_course, read_match, run_match,
    };
    pub use evalsmith_core::*;
    pub use evalsmith_curves::{Curve, CurveParams, Draws, Expression, Method, SearchParams};
    pub use evalsmith_data::{
        Agreed, Amount, Dataset, Draw, Expert, ExportFormat, Exported, How, Import, Imported,
        InputFormat, LabelOrder, Labels, MakeExpert, NearlyEven, Opinion, OwnTable, RecordFormat,
        SelfPlay, Shard, Sheet, Split, TableColumns, Written, agreement, dedupe, draw, export,
        generate, import, label, label_by_expert, merge, read_own_table, split,
    };
    pub use evalsmith_learn::{
        ConfigurationFile, ConfigurationFunction, Criterion, DenseModel, EvalState, Function,
        Growth, Learner, Linear, Model, ModelFile, MoveTable, Node, PatternFile, PatternFunction,
        Reduction, Response, Tree, TreeParams, TreeSummary, TypeRule, Views,
    };
    pub use evalsmith_protocol::{
        Budget, DISCS_A_LOGIT, Engine, Finding, Mark, check, end_all_engines, serve,
    };
    pub use evalsmith_report::Table;
    pub use evalsmith_rules::{
        DynFeatures, DynFunction, DynGame, MoveId, Plain, Pos, Record, WindowReport,
    };
    pub use evalsmith_search::{
        Found, Limits, OnIteration, Ranked, Search, SearchPlayer, Searcher,
    };
    pub use evalsmith_stats::elo::{MatchStats, Pentanomial, Summary, Trinomial};
    pub use evalsmith_stats::mean::{Mean, Sums};
    pub use evalsmith_stats::sprt::{Sprt, Verdict as TestVerdict};
}
