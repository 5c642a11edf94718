//! Values of positions from a function of this program: as it stands, at rest, after a
//! search, or after a search of the game's own that leaves lines out.
//!
//! Beside the value stand the game's features, so that conditions can be put on
//! them. Features are the mover's, as everywhere; a column `side` (0 for the first
//! player) turns one round where that is wanted: `(1 - 2 * side) * golds`.
//! Invariant: a row's value depends on its position alone, never on other rows.

use super::After;
use super::selective::{MakeSelective, SelectiveSearch};
use crate::LabError;
use crate::function::Function;
use evalsmith_core::files::write_atomically;
use evalsmith_core::{
    Atoms, Evaluate, Features, Game, GameRecord, Position, Progress, Score, Side, Window,
};
use evalsmith_data::{Dataset, Sheet, in_words};
use evalsmith_search::Searcher;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Rows valued side by side before they are written.
const ROWS: usize = 1 << 12;
/// The transposition table of a search, forgotten after every row.
const TABLE_BYTES: usize = 1 << 18;

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
    /// Whether the game's atoms stand beside its features, in the first player's view.
    pub atoms: bool,
    /// The table to write, in TSV.
    pub output: PathBuf,
}

/// What became of the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnValued {
    /// Rows written.
    pub rows: u64,
    /// Of them, those whose end the search sees; their value is empty.
    pub decided: u64,
    /// Of them, those whose cell is no position; what follows it is empty.
    pub unreadable: u64,
    /// The first of those, and why.
    pub first_unreadable: Option<String>,
    /// Positions visited to value them all.
    pub nodes: u64,
}

/// A row as it stands, and its position where there is one.
struct Row<P> {
    cells: Vec<String>,
    position: Result<(P, Side), String>,
}

/// Writes a table with the features of every position and its value in log-odds of the
/// first player; `selective` makes the game's own search, where there is one.
///
/// # Errors
/// When the data cannot be read, a column is missing or there already, the game has no
/// such search or no atoms, the table cannot be written, or the job is stopped.
pub(crate) fn own_values<G: Game>(
    game: &G,
    function: &Function<G::Features>,
    selective: Option<MakeSelective<G::Position>>,
    source: &ValueSource,
    order: &OwnOrder,
    progress: &dyn Progress,
) -> Result<OwnValued, LabError> {
    check(game, selective, order)?;
    let mut told = OwnValued::default();
    let mut failure = None;
    let written = write_atomically(&order.output, |file| {
        let (rows, told) = (Vec::new(), &mut told);
        let mut writer = Writer { game, function, selective, order, progress, file, rows, told };
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

/// Whether the game can do what is asked of it.
fn check<G: Game>(
    game: &G,
    selective: Option<MakeSelective<G::Position>>,
    order: &OwnOrder,
) -> Result<(), LabError> {
    if order.atoms && game.atoms().is_none() {
        return Err(LabError::Settings(format!("{} names no atoms; leave --atoms out", G::NAME)));
    }
    let After::Selective(_, percent) = order.after else { return Ok(()) };
    let Some(make) = selective else {
        let name = G::NAME;
        let reason = format!("{name} has no search that leaves lines out; write \"depth N\"");
        return Err(LabError::Settings(reason));
    };
    let levels = make().levels();
    if levels.contains(&percent) {
        return Ok(());
    }
    let known = levels.iter().map(|level| format!("{level}%")).collect::<Vec<_>>().join(", ");
    let reason = format!("{percent}% is no sureness of this search; write one of {known}");
    Err(LabError::Settings(reason))
}

struct Writer<'a, G: Game, W> {
    game: &'a G,
    function: &'a Function<G::Features>,
    selective: Option<MakeSelective<G::Position>>,
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
                in_words(sheet.names())
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
        let mut more = self.game.features().names();
        if let Some(atoms) = self.game.atoms().filter(|_| self.order.atoms) {
            more.extend(atoms.names());
        }
        more.push(self.order.column.clone());
        for name in more {
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
        let asker = || Asker::new(self.game, self.function, self.selective, self.order);
        let lines: Vec<(String, Result<Valued, String>)> =
            rows.par_iter().map_init(asker, Asker::line).collect();
        let mut text = String::new();
        for (line, valued) in lines {
            text += &line;
            self.told.rows += 1;
            match valued {
                Ok(Valued { value, nodes }) => {
                    self.told.decided += u64::from(value.is_none());
                    self.told.nodes += nodes;
                }
                Err(reason) => {
                    self.told.unreadable += 1;
                    let place = format!("row {}: {reason}", self.told.rows);
                    self.told.first_unreadable.get_or_insert(place);
                }
            }
        }
        self.progress.advance(rows.len() as u64);
        self.write(&text)
    }

    fn write(&mut self, text: &str) -> Result<(), LabError> {
        self.file.write_all(text.as_bytes()).map_err(LabError::io(&self.order.output))
    }
}

/// What is known of a position.
struct Valued {
    /// The mover's log-odds; none where the end is seen.
    value: Option<f64>,
    nodes: u64,
}

/// A thread's own searches.
struct Asker<'a, G: Game> {
    game: &'a G,
    after: After,
    searcher: Searcher<G::Position, &'a Function<G::Features>>,
    selective: Option<Box<dyn SelectiveSearch<G::Position>>>,
    features: G::Features,
    atoms: Option<AtomCells<G::Position>>,
}

/// A game's atoms, and room for the values of a position.
struct AtomCells<P> {
    atoms: Box<dyn Atoms<P>>,
    values: Vec<u8>,
}

impl<'a, G: Game> Asker<'a, G> {
    fn new(
        game: &'a G,
        function: &'a Function<G::Features>,
        selective: Option<MakeSelective<G::Position>>,
        order: &OwnOrder,
    ) -> Self {
        let after = order.after;
        let table = if matches!(after, After::Depth(_)) { TABLE_BYTES } else { 0 };
        let chosen = selective.filter(|_| matches!(after, After::Selective(..)));
        let atoms = game.atoms().filter(|_| order.atoms);
        Self {
            game,
            after,
            searcher: Searcher::new(function, table),
            selective: chosen.map(|make| make()),
            features: game.features(),
            atoms: atoms.map(|atoms| {
                let values = vec![0; atoms.names().len()];
                AtomCells { atoms, values }
            }),
        }
    }

    /// A row of the table, and what is known of its position.
    fn line(&mut self, row: &Row<G::Position>) -> (String, Result<Valued, String>) {
        let mut text = row.cells.join("\t");
        let width =
            self.features.count() + self.atoms.as_ref().map_or(0, |cells| cells.values.len());
        let valued = match &row.position {
            Ok((position, side)) => self.value(position, *side),
            Err(reason) => Err(reason.clone()),
        };
        let (Ok((position, side)), Ok(Valued { value, .. })) = (&row.position, &valued) else {
            text.extend(std::iter::repeat_n('\t', width + 1));
            return (text + "\n", valued);
        };
        let mut scratch = Default::default();
        for i in 0..self.features.count() {
            write!(text, "\t{}", self.features.get(position, i, &mut scratch))
                .expect("writing to a string cannot fail");
        }
        if let Some(AtomCells { atoms, values }) = &mut self.atoms {
            // Results and values are the first player's, and so is what they are of.
            match side {
                Side::First => atoms.write(position, values),
                Side::Second => atoms.write_waiting(position, values),
            }
            for value in values {
                write!(text, "\t{value}").expect("writing to a string cannot fail");
            }
        }
        let sign = if *side == Side::First { 1.0 } else { -1.0 };
        let cell = value.map_or_else(String::new, |value| (sign * value).to_string());
        (text + "\t" + &cell + "\n", valued)
    }

    fn value(&mut self, position: &G::Position, side: Side) -> Result<Valued, String> {
        if position.outcome().is_some() {
            return Ok(Valued { value: None, nodes: 1 });
        }
        let record = || GameRecord::new(position.clone(), side, self.game.max_plies());
        let (score, nodes) = match self.after {
            After::Nothing => {
                let function = *self.searcher.function();
                (function.value(position, &function.start(position), Window::FULL), 1)
            }
            After::Quiescence => {
                let found = self.searcher.quiet(&record());
                (found.value, found.nodes.max(1))
            }
            After::Depth(plies) => {
                self.searcher.clear();
                let found = self.searcher.fixed_depth(&record(), plies);
                (found.value, found.nodes)
            }
            After::Selective(plies, percent) => {
                let search = self.selective.as_mut().expect("asked for before the first row");
                let looked = search.look(position, plies, percent)?;
                return Ok(Valued { value: Some(looked.value.0), nodes: looked.nodes });
            }
        };
        let value = (!Score::is_decisive(score)).then(|| score.log_odds().0);
        Ok(Valued { value, nodes })
    }
}
