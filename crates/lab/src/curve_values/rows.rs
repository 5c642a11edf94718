//! The positions that an engine is asked about: of a table or of a dataset.

use super::TableForm;
use crate::LabError;
use evalsmith_core::{Game, GameRecord, Progress, Protocol, Side};
use evalsmith_data::{Dataset, Sheet, in_words};
use evalsmith_protocol::{SetUp, Situation, Terms};
use evalsmith_rules::DynGame;
use std::path::Path;

/// A position as the engine is told of it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Its text, by which answers are known again.
    pub(crate) position: String,
    /// The same for the engine.
    pub(crate) situation: Situation,
    /// Whether it is asked at all: not where it is no position, on which engines crash.
    pub(crate) wanted: bool,
}

/// Rows to which a value is added.
#[derive(Clone, Debug)]
pub struct ValueRows {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The cells.
    rows: Vec<Vec<String>>,
    /// The position of each row.
    pub(crate) asked: Vec<Asked>,
    /// What the engine must know of the game.
    pub(crate) terms: Terms,
}

impl ValueRows {
    /// The rows of a CSV or TSV table whose column `position` holds FENs (for UCI)
    /// or SFENs (for USI).
    ///
    /// # Errors
    /// When the table cannot be read, there is no such column, or the protocol has
    /// no text for positions.
    pub fn of_table(path: &Path, position: &str, protocol: Protocol) -> Result<Self, LabError> {
        let first = match protocol {
            Protocol::Uci => "w",
            Protocol::Usi => "b",
            other => {
                return Err(LabError::Settings(format!(
                    "positions of a table are told by uci and usi, not by {other}; import the games \
                     (`evalsmith data import`) and give the dataset instead"
                )));
            }
        };
        let sheet = Sheet::open(path)?;
        let names = sheet.names().to_vec();
        let Some(place) = names.iter().position(|name| name == position) else {
            return Err(LabError::Settings(format!(
                "{}: there is no column {position:?} with positions; the columns are {}",
                path.display(),
                in_words(&names)
            )));
        };
        let (mut rows, mut asked) = (Vec::new(), Vec::new());
        sheet.texts(|cells| -> Result<(), LabError> {
            let position = cells[place].clone();
            let mut words = position.split_ascii_whitespace();
            let (board, mover) = (words.next(), words.next());
            let wanted = matches!(mover, Some("w" | "b")) && board.is_some_and(|b| b.contains('/'));
            let side = if mover == Some(first) { Side::First } else { Side::Second };
            let set_up = SetUp::Position(position.clone());
            let situation = Situation { set_up, first: side, moves: Vec::new() };
            asked.push(Asked { position, situation, wanted });
            rows.push(cells);
            Ok(())
        })?;
        let terms = Terms { colours: ['w', 'b'], preparation: Vec::new(), start: None };
        Ok(Self { names, rows, asked, terms })
    }

    /// Leaves all rows but every so-manieth unasked.
    pub(crate) fn ask_only_every(&mut self, every: usize) {
        for (row, asked) in self.asked.iter_mut().enumerate() {
            asked.wanted &= row.is_multiple_of(every.max(1));
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table with the values as its last column, empty where there is none.
    pub fn with_values(&self, column: &str, values: &[Option<f64>], form: TableForm) -> String {
        let line = |cells: &[String], last: String| form.line(&[cells, &[last]].concat());
        let mut text = line(&self.names, column.to_owned());
        for (cells, value) in self.rows.iter().zip(values) {
            text += &line(cells, value.map_or_else(String::new, |value| value.to_string()));
        }
        text
    }
}

/// The rows of a dataset: game, ply, stage, side to move, the result for the first
/// player, and the position.
///
/// # Errors
/// When the game is not spoken in the protocol, or the dataset cannot be read.
pub fn rows_of_dataset(
    game: &DynGame,
    data: &Path,
    protocol: Protocol,
    progress: &dyn Progress,
) -> Result<ValueRows, LabError> {
    let Some(dialect) = game.dialect(protocol) else {
        return Err(LabError::Settings(format!("{} is not spoken in {protocol}", game.name())));
    };
    let data = Dataset::open(data)?;
    data.expect_game(game.name())?;
    let names = ["game", "ply", "stage", "side", "result", "position"].map(String::from).to_vec();
    let (mut rows, mut asked) = (Vec::new(), Vec::new());
    for batch in data.rows() {
        if progress.stopped() {
            return Err(LabError::Abandoned);
        }
        for row in batch?.rows() {
            let Some(outcome) = row.outcome else { continue };
            let (position, side) = game.unpack(row.position)?;
            let points = outcome.seen_by(side, Side::First).points();
            let text = game.format(&position, side);
            let record = GameRecord::new(position, side, usize::MAX);
            let situation = Situation::of(game, protocol, dialect.as_ref(), &record);
            rows.push(vec![
                row.game.to_string(),
                row.ply.to_string(),
                row.stage.0.to_string(),
                side.index().to_string(),
                points.to_string(),
                text.replace(['\t', '\n'], " "),
            ]);
            asked.push(Asked { position: text, situation, wanted: true });
        }
    }
    let terms = Terms::of(game, dialect.as_ref());
    Ok(ValueRows { names, rows, asked, terms })
}
