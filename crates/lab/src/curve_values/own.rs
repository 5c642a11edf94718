//! Values of positions from a function of this program: as it stands, at rest, or
//! after a search.
//!
//! Beside the value stand the game's features, so that conditions can be put on
//! them. Features are the mover's, as everywhere; a column `side` (0 for the first
//! player) turns one round where that is wanted: `(1 - 2 * side) * golds`.
//! Invariant: a row's value depends on its position alone, never on other rows.

use crate::LabError;
use crate::function::Function;
use evalsmith_core::files::write_atomically;
use evalsmith_core::{
    Evaluate, Features, Game, GameRecord, Position, Progress, Score, Side, Window,
};
use evalsmith_data::{Dataset, Sheet};
use evalsmith_search::Searcher;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Rows valued side by side before they are written.
const ROWS: usize = 1 << 12;
/// The transposition table of a search, forgotten after every row.
const TABLE_BYTES: usize = 1 << 18;

/// When a function is asked for its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum After {
    /// At once: the static value of the position as it stands.
    Nothing,
    /// Once exchanges are played out.
    #[default]
    Quiescence,
    /// After so many plies, and their exchanges.
    Depth(u8),
}

impl FromStr for After {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let depth = || text.strip_prefix("depth ")?.trim().parse().ok().filter(|d| *d > 0);
        match text.trim() {
            "nothing" => Ok(Self::Nothing),
            "quiescence" => Ok(Self::Quiescence),
            _ => depth()
                .map(Self::Depth)
                .ok_or_else(|| "write nothing, quiescence or \"depth N\"".to_owned()),
        }
    }
}

impl TryFrom<String> for After {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<After> for String {
    fn from(after: After) -> Self {
        after.to_string()
    }
}

impl fmt::Display for After {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Quiescence => f.write_str("quiescence"),
            Self::Depth(plies) => write!(f, "depth {plies}"),
        }
    }
}

/// Where positions come from.
#[derive(Clone, Debug)]
pub enum ValueSource {
    /// A dataset's folder.
    Dataset(PathBuf),
    /// A CSV or TSV table and its column of positions.
    Table(PathBuf, String),
}

/// What is written.
#[derive(Clone, Debug)]
pub struct OwnOrder {
    /// When the function is asked.
    pub after: After,
    /// What the column of values is called.
    pub column: String,
    /// The table to write, in TSV.
    pub output: PathBuf,
}

/// What became of the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnValued {
    /// Rows written.
    pub rows: u64,
    /// Of them, those whose end the search sees; their value is empty.
    pub decided: u64,
    /// Of them, those whose cell is no position; what follows it is empty.
    pub unreadable: u64,
    /// The first of those, and why.
    pub first_unreadable: Option<String>,
}

/// A row as it stands, and its position where there is one.
struct Row<P> {
    cells: Vec<String>,
    position: Result<(P, Side), String>,
}

/// Writes a table with the features and the function's value of every position,
/// both in log-odds of the first player.
///
/// # Errors
/// When the data cannot be read, a column is missing or there already, the table
/// cannot be written, or the job is stopped.
pub(crate) fn own_values<G: Game>(
    game: &G,
    function: &Function<G::Features>,
    source: &ValueSource,
    order: &OwnOrder,
    progress: &dyn Progress,
) -> Result<OwnValued, LabError> {
    let mut told = OwnValued::default();
    let mut failure = None;
    let written = write_atomically(&order.output, |file| {
        let mut writer =
            Writer { game, function, order, progress, file, rows: Vec::new(), told: &mut told };
        writer.all(source).map_err(|error| {
            failure = Some(error);
            // Nothing half done is left behind.
            std::io::Error::other("the table is not finished")
        })
    });
    match (failure, written) {
        (Some(error), _) => Err(error),
        (None, written) => written.map_err(LabError::io(&order.output)).map(|()| told),
    }
}

struct Writer<'a, G: Game, W> {
    game: &'a G,
    function: &'a Function<G::Features>,
    order: &'a OwnOrder,
    progress: &'a dyn Progress,
    file: W,
    rows: Vec<Row<G::Position>>,
    told: &'a mut OwnValued,
}

impl<G: Game, W: Write> Writer<'_, G, W> {
    fn all(&mut self, source: &ValueSource) -> Result<(), LabError> {
        match source {
            ValueSource::Dataset(path) => self.dataset(path)?,
            ValueSource::Table(path, column) => self.table(path, column)?,
        }
        self.flush()?;
        self.progress.end();
        Ok(())
    }

    fn dataset(&mut self, path: &Path) -> Result<(), LabError> {
        let data = Dataset::open(path)?;
        data.expect_game(G::NAME)?;
        let names = ["game", "ply", "stage", "side", "result", "position"].map(String::from);
        self.heading(&names)?;
        self.progress.begin("values", data.len(), "positions");
        for batch in data.rows() {
            for row in batch?.rows() {
                let Some(outcome) = row.outcome else { continue };
                let (position, side) = self.game.unpack(row.position)?;
                let cells = vec![
                    row.game.to_string(),
                    row.ply.to_string(),
                    row.stage.0.to_string(),
                    side.index().to_string(),
                    outcome.seen_by(side, Side::First).points().to_string(),
                    self.game.format(&position, side).replace(['\t', '\n'], " "),
                ];
                self.push(Row { cells, position: Ok((position, side)) })?;
            }
        }
        Ok(())
    }

    fn table(&mut self, path: &Path, column: &str) -> Result<(), LabError> {
        let sheet = Sheet::open(path)?;
        let Some(place) = sheet.names().iter().position(|name| name == column) else {
            return Err(LabError::Settings(format!(
                "{}: there is no column {column:?} with positions; the columns are {}",
                path.display(),
                sheet.names().join(", ")
            )));
        };
        let mut names = sheet.names().to_vec();
        let tells_side = names.iter().any(|name| name == "side");
        if !tells_side {
            names.push("side".to_owned());
        }
        self.heading(&names)?;
        self.progress.begin("values", 0, "positions");
        sheet.texts(|mut cells| {
            let position = self.game.parse(&cells[place]).map_err(|e| e.to_string());
            if !tells_side {
                let side = position.as_ref().map(|(_, side)| side.index().to_string());
                cells.push(side.unwrap_or_default());
            }
            self.push(Row { cells, position })
        })
    }

    fn heading(&mut self, names: &[String]) -> Result<(), LabError> {
        let mut all = names.to_vec();
        for name in self.game.features().names().into_iter().chain([self.order.column.clone()]) {
            if all.contains(&name) {
                return Err(LabError::Settings(format!(
                    "two columns would be called {name:?}; rename the table's, or give --column \
                     another name"
                )));
            }
            all.push(name);
        }
        self.write(&(all.join("\t") + "\n"))
    }

    fn push(&mut self, row: Row<G::Position>) -> Result<(), LabError> {
        self.rows.push(row);
        if self.rows.len() == ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), LabError> {
        if self.progress.stopped() {
            return Err(LabError::Stopped);
        }
        let rows = std::mem::take(&mut self.rows);
        let table = if matches!(self.order.after, After::Depth(_)) { TABLE_BYTES } else { 0 };
        let asked = || (Searcher::new(self.function, table), self.game.features());
        let (game, after) = (self.game, self.order.after);
        let lines: Vec<(String, Option<Score>)> = rows
            .par_iter()
            .map_init(asked, |(searcher, features), row| line(game, searcher, features, row, after))
            .collect();
        let mut text = String::new();
        for (row, (line, value)) in rows.iter().zip(lines) {
            text += &line;
            self.told.rows += 1;
            self.told.decided += u64::from(value.is_some_and(Score::is_decisive));
            if let Err(reason) = &row.position {
                self.told.unreadable += 1;
                let place = format!("row {}: {reason}", self.told.rows);
                self.told.first_unreadable.get_or_insert(place);
            }
        }
        self.progress.advance(rows.len() as u64);
        self.write(&text)
    }

    fn write(&mut self, text: &str) -> Result<(), LabError> {
        self.file.write_all(text.as_bytes()).map_err(LabError::io(&self.order.output))
    }
}

/// A row of the table, and the mover's value where there is one.
fn line<G: Game>(
    game: &G,
    searcher: &mut Searcher<G::Position, &Function<G::Features>>,
    features: &G::Features,
    row: &Row<G::Position>,
    after: After,
) -> (String, Option<Score>) {
    let mut text = row.cells.join("\t");
    let Ok((position, side)) = &row.position else {
        text.extend(std::iter::repeat_n('\t', features.count() + 1));
        return (text + "\n", None);
    };
    let mut scratch = Default::default();
    for i in 0..features.count() {
        write!(text, "\t{}", features.get(position, i, &mut scratch))
            .expect("writing to a string cannot fail");
    }
    let value = value(game, searcher, position, *side, after);
    let sign = if *side == Side::First { 1.0 } else { -1.0 };
    let cell = match value {
        value if value.is_decisive() => String::new(),
        value => (sign * value.log_odds().0).to_string(),
    };
    (text + "\t" + &cell + "\n", Some(value))
}

/// The mover's value.
pub(crate) fn value<G: Game>(
    game: &G,
    searcher: &mut Searcher<G::Position, &Function<G::Features>>,
    position: &G::Position,
    side: Side,
    after: After,
) -> Score {
    let function = *searcher.function();
    if let Some(outcome) = position.outcome() {
        return Evaluate::<G::Position>::outcome(function, outcome);
    }
    let record = || GameRecord::new(position.clone(), side, game.max_plies());
    match after {
        After::Nothing => function.value(position, &function.start(position), Window::FULL),
        After::Quiescence => searcher.quiet(&record()).value,
        After::Depth(plies) => {
            searcher.clear();
            searcher.fixed_depth(&record(), plies).value
        }
    }
}
