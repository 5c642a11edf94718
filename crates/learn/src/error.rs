//! What can go wrong between a table and a model, each with its remedy.

use crate::PatternError;
use std::path::PathBuf;

/// Why a learner has no fit, or a file no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// There is nothing to learn from.
    #[error("there are no examples; generate or select some positions first")]
    Empty,
    /// The columns of one table have different lengths.
    #[error("{rows} rows have {found} {what}; give one per row")]
    Lengths {
        /// The number of rows the results tell of.
        rows: usize,
        /// What there is another number of.
        what: String,
        /// That number.
        found: usize,
    },
    /// A feature is infinite or not a number.
    #[error(
        "feature {feature} is {value} in row {row}; features must be finite, so mend the feature \
         or leave the row out"
    )]
    NotFinite {
        /// The feature's name.
        feature: String,
        /// The first row that holds it.
        row: usize,
        /// The value found.
        value: f64,
    },
    /// A code of a pattern is no code.
    #[error(
        "{feature} is {value} in row {row}; a feature called pattern/instance is a code, a whole \
         number from 0 to a million, so mend it or rename the feature"
    )]
    Code {
        /// The feature's name.
        feature: String,
        /// The first row that holds it.
        row: usize,
        /// The value found.
        value: f32,
    },
    /// A result is no share of a point.
    #[error("row {row} has the result {value}; results are 1 (win), 0.5 (draw) and 0 (loss)")]
    Points {
        /// The first such row.
        row: usize,
        /// The value found.
        value: f32,
    },
    /// A row belongs to no stage of the game.
    #[error("row {row} has stage {stage}, but the game has stages 0 to {last}; check the game")]
    StageRange {
        /// The first such row.
        row: usize,
        /// Its stage.
        stage: u8,
        /// The last stage there is.
        last: usize,
    },
    /// There is nothing to choose a tree on.
    #[error(
        "the test set is empty, so that no pruned tree can be chosen; add games or raise its share"
    )]
    EmptyTest,
    /// A node of a tree cannot be.
    #[error("node {node} of the tree is {value}, but must be {allowed}")]
    Node {
        /// The node's place.
        node: usize,
        /// What it is.
        value: String,
        /// What it may be.
        allowed: &'static str,
    },
    /// Every example has the same result.
    #[error(
        "all {rows} examples have the result {points}; a fit needs wins and losses, so add games \
         with other results"
    )]
    OneClass {
        /// How many examples.
        rows: usize,
        /// Their result.
        points: f64,
    },
    /// No stage has enough examples for a fit.
    #[error(
        "no stage has enough examples: the largest pool has {rows} rows of {games} games, and a \
         fit needs {min_rows} rows of {min_games} games; add games, or pool more stages \
         (--radius)"
    )]
    TooFew {
        /// Rows of the largest pool.
        rows: usize,
        /// Its games.
        games: usize,
        /// The rows a fit needs.
        min_rows: usize,
        /// The games a fit needs.
        min_games: usize,
    },
    /// Newton's method did not arrive.
    #[error(
        "the fit of stage {stage} has not converged after {iterations} iterations; allow more \
         iterations or a larger tolerance"
    )]
    NotConverged {
        /// The stage.
        stage: u8,
        /// The iterations spent.
        iterations: u32,
    },
    /// A matrix has no inverse although redundant features were left out.
    #[error(
        "the features follow from each other too nearly to be told apart; leave some of them out"
    )]
    Singular,
    /// Predicted margins fall where results rise.
    #[error(
        "predicted scores do not grow with the results of the same rows; check that scores and \
         results are both seen by the side to move"
    )]
    Contrary,
    /// A parameter has a value that makes no sense.
    #[error("{name} is {value}, but must be {allowed}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: String,
        /// The values it may have.
        allowed: &'static str,
    },
    /// A model's file that is not as it was written.
    #[error("{} was damaged: its digest is wrong; take a copy, or make it anew", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// Somebody asked the job to stop.
    #[error("stopped on request before the fit was complete")]
    Stopped,
    /// A model and a game have other features.
    #[error(
        "the model was made for the features [{model}], but these are [{given}]; use the model \
         with the features it was fitted on, or fit it again"
    )]
    Features {
        /// The model's features.
        model: String,
        /// The features given.
        given: String,
    },
    /// A game does not give the features it is asked for.
    #[error("{}; it has {}", unknown.as_ref().map_or_else(
        || "these features cannot be taken together (each once, and not too many)".to_owned(),
        |name| format!("{game} has no feature {name:?}"),
    ), known.join(", "))]
    FeatureChoice {
        /// The game.
        game: String,
        /// The first feature it does not know; none where it knows them all.
        unknown: Option<String>,
        /// The features it knows, `row2/*` for all instances of the pattern row2.
        known: Vec<String>,
    },
    /// A game has nothing that patterns look at.
    #[error("{game} names no atoms that patterns and configurations could be made of")]
    NoAtoms {
        /// The game.
        game: String,
    },
    /// Patterns that a game's atoms, or a model's weights, do not allow.
    #[error(transparent)]
    Patterns(#[from] PatternError),
    /// A model has another number of stages than the game.
    #[error("the model has {model} stages, but the game has {game}; fit it again")]
    Stages {
        /// The model's stages.
        model: usize,
        /// The game's stages.
        game: usize,
    },
    /// A model is of another game.
    #[error("the model was made for {model}, not for {game}; choose a model of {game}")]
    OtherGame {
        /// The model's game.
        model: String,
        /// The game asked for.
        game: String,
    },
    /// The system refused to read or write a file.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: "read", "write".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A file ends before its contents do.
    #[error("{} is truncated: {reason}; copy it again or fit the model again", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// A file is not a model of this program.
    #[error("{} is not an evalsmith model: {reason}; give a file made by a fit", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// How one can tell.
        reason: String,
    },
    /// A file is of a format this program does not read.
    #[error(
        "{} has model format {found} (written by evalsmith {writer}), but this program reads \
         format {known}; use that version or fit the model again", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format number.
        found: u64,
        /// The version that wrote it.
        writer: String,
        /// The format this program reads.
        known: u64,
    },
    /// A file holds another kind of model than is asked for.
    #[error(
        "{} holds a model of kind {kind:?}, and only models of kind {} can be used here",
        path.display(), wanted.join(", ")
    )]
    Kind {
        /// The file.
        path: PathBuf,
        /// The kind it names.
        kind: String,
        /// Those that are asked for.
        wanted: Vec<String>,
    },
    /// A file's numbers do not fit its description.
    #[error("{} is inconsistent: {reason}; fit the model again", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// Where they disagree.
        reason: String,
    },
    /// A weight is infinite or not a number.
    #[error(
        "{}the weight of {feature} at stage {stage} is {value}; weights must be finite, so fit \
         the model again", path.as_ref().map(|p| format!("in {}, ", p.display())).unwrap_or_default()
    )]
    WeightNotFinite {
        /// The file, where the model comes from one.
        path: Option<PathBuf>,
        /// The feature.
        feature: String,
        /// The stage.
        stage: usize,
        /// The weight found.
        value: f64,
    },
    /// The system refused to read or write a table of moves.
    #[error("{}: {source}", path.display())]
    MoveTableIo {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A file holds no table of moves.
    #[error("{}: {source}; remove it, or restore the file this program wrote", path.display())]
    NoMoveTable {
        /// The file.
        path: PathBuf,
        /// Where reading stopped.
        source: serde_json::Error,
    },
    /// A table of moves is of another game.
    #[error("{}: its moves are of {table}, not of {game}", path.display())]
    MovesOfOtherGame {
        /// The file.
        path: PathBuf,
        /// The table's game.
        table: String,
        /// The game asked for.
        game: String,
    },
    /// A move's value is outside its range.
    #[error(
        "{}move {slot} has {value}, outside -1 to 1",
        path.as_ref().map(|p| format!("{}: ", p.display())).unwrap_or_default()
    )]
    MoveValue {
        /// The file, where the table comes from one.
        path: Option<PathBuf>,
        /// The move's number.
        slot: u16,
        /// The value found.
        value: f64,
    },
}

impl LearnError {
    /// Whether the call was wrong rather than something it met.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::FeatureChoice { .. } | Self::NoAtoms { .. } | Self::Patterns(_))
    }
}
