//! Values of positions from a function of this program: as it stands, at rest, after a
//! search, or after a search of the game's own that leaves lines out.
//!
//! Beside the value stand the game's features, so that conditions can be put on
//! them. Features are the mover's, as everywhere; a column `side` (0 for the first
//! player) turns one round where that is wanted: `(1 - 2 * side) * golds`.
//! Invariant: a row's value depends on its position alone, never on other rows. So rows
//! are kept as soon as they are [finished](super::unfinished), and a run that was stopped
//! goes on behind them.

use super::unfinished::Unfinished;
use super::{After, TableForm};
use crate::LabError;
use crate::function::{FunctionName, open};
use evalsmith_core::files::write_atomically;
use evalsmith_core::{Atoms, Features, Game, GameRecord, Position, Progress, Score, Side};
use evalsmith_data::{Dataset, Sheet, in_words};
use evalsmith_rules::{DynFeatures, DynFunction, DynGame, Pos};
use evalsmith_search::Search;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The most rows valued side by side before they are kept; at first, fewer.
const ROWS: usize = 1 << 12;
const FIRST_ROWS: usize = 64;
/// How long that should take: what is not kept yet is lost by a stop.
const BLOCK_TIME: Duration = Duration::from_millis(400);
/// The transposition table of a search, forgotten after every row.
const TABLE_BYTES: usize = 1 << 18;
/// The table of a search that leaves lines out: little to forget between questions.
const SELECTIVE_TABLE_BYTES: usize = 2 << 20;

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
    /// The table to write, `.tsv` or `.csv`.
    pub output: PathBuf,
}

/// What became of the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnValued {
    /// The function, with a digest of its weights.
    #[serde(default)]
    pub function: String,
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

impl OwnValued {
    /// Adds what became of the rows after these.
    pub(super) fn add(&mut self, more: Self) {
        self.rows += more.rows;
        self.decided += more.decided;
        self.unreadable += more.unreadable;
        self.nodes += more.nodes;
        self.first_unreadable = self.first_unreadable.take().or(more.first_unreadable);
    }
}

/// A row as it stands, and its position where there is one.
struct Row {
    cells: Vec<String>,
    position: Result<(Pos, Side), String>,
}

/// Writes a table with the features of every position and its value in log-odds of the
/// first player.
///
/// # Errors
/// When the data cannot be read, a column is missing or there already, the game has no
/// such search or no atoms, the table cannot be written, or the job is stopped; finished
/// rows are kept then.
pub fn own_values(
    game: &DynGame,
    name: &FunctionName,
    source: &ValueSource,
    order: &OwnOrder,
    progress: &dyn Progress,
) -> Result<OwnValued, LabError> {
    let function = &open(game, name)?;
    check(game, function, order)?;
    let form = TableForm::of(&order.output)?;
    let OwnOrder { after, column, atoms, .. } = order;
    let identity = format!(
        "{}; {}; after {after}; {column:?}; atoms {atoms}; {form:?}",
        source.identity()?,
        function.identity(name)
    );
    let finished = Unfinished::open(&order.output, &identity, progress)?;
    let (skip, rows) = (finished.valued.rows, Vec::new());
    let mut writer =
        Writer { game, function, order, form, progress, finished, skip, rows, block: FIRST_ROWS };
    let heading = writer.all(source)?;
    let finished = writer.finished;
    write_atomically(&order.output, |file| {
        file.write_all(heading.as_bytes())?;
        finished.copy_to(file)
    })
    .map_err(LabError::io(&order.output))?;
    let valued = OwnValued { function: function.identity(name), ..finished.valued.clone() };
    finished.remove()?;
    Ok(valued)
}

impl ValueSource {
    /// Tells one source from another, and from itself after a change.
    fn identity(&self) -> Result<String, LabError> {
        match self {
            Self::Dataset(path) => Ok(Dataset::open(path)?.digest()?.to_string()),
            Self::Table(path, column) => {
                let metadata = std::fs::metadata(path).map_err(LabError::io(path))?;
                let changed = metadata.modified().map_err(LabError::io(path))?;
                let bytes = metadata.len();
                Ok(format!("{} {column:?} {bytes} bytes {changed:?}", path.display()))
            }
        }
    }
}

/// Whether the game can do what is asked of it.
fn check(game: &DynGame, function: &DynFunction, order: &OwnOrder) -> Result<(), LabError> {
    if order.atoms && game.atoms().is_none() {
        return Err(LabError::Settings(format!(
            "{} names no atoms; leave --atoms out",
            game.name()
        )));
    }
    let After::Selective(_, percent) = order.after else { return Ok(()) };
    let levels = function.search(0).levels();
    if levels.is_empty() {
        let name = game.name();
        let reason = format!("{name} has no search that leaves lines out; write \"depth N\"");
        return Err(LabError::Settings(reason));
    }
    if levels.contains(&percent) {
        return Ok(());
    }
    let known = levels.iter().map(|level| format!("{level}%")).collect::<Vec<_>>().join(", ");
    let reason = format!("{percent}% is no sureness of this search; write one of {known}");
    Err(LabError::Settings(reason))
}

struct Writer<'a> {
    game: &'a DynGame,
    function: &'a DynFunction,
    order: &'a OwnOrder,
    form: TableForm,
    progress: &'a dyn Progress,
    finished: Unfinished,
    /// Rows that an earlier run finished, still to be passed over.
    skip: u64,
    rows: Vec<Row>,
    /// Rows that make a block.
    block: usize,
}

impl Writer<'_> {
    /// Finishes all rows, and returns the table's heading.
    fn all(&mut self, source: &ValueSource) -> Result<String, LabError> {
        let heading = match source {
            ValueSource::Dataset(path) => self.dataset(path)?,
            ValueSource::Table(path, column) => self.table(path, column)?,
        };
        self.flush()?;
        self.progress.end();
        Ok(heading)
    }

    fn begin(&self, total: u64) {
        self.progress.begin("values", total, "positions");
        self.progress.resume(self.skip);
    }

    fn dataset(&mut self, path: &Path) -> Result<String, LabError> {
        let data = Dataset::open(path)?;
        data.expect_game(self.game.name())?;
        let names = ["game", "ply", "stage", "side", "result", "position"].map(String::from);
        let heading = self.heading(&names)?;
        self.begin(data.len());
        for batch in data.rows() {
            for row in batch?.rows() {
                let Some(outcome) = row.outcome else { continue };
                if self.passes_over() {
                    continue;
                }
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
        Ok(heading)
    }

    fn table(&mut self, path: &Path, column: &str) -> Result<String, LabError> {
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
        let heading = self.heading(&names)?;
        self.begin(0);
        sheet.texts(|mut cells| -> Result<(), LabError> {
            if self.passes_over() {
                return Ok(());
            }
            let position = self.game.parse(&cells[place]).map_err(|e| e.to_string());
            if !tells_side {
                let side = position.as_ref().map(|(_, side)| side.index().to_string());
                cells.push(side.unwrap_or_default());
            }
            self.push(Row { cells, position })
        })?;
        Ok(heading)
    }

    fn heading(&self, names: &[String]) -> Result<String, LabError> {
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
        Ok(self.form.line(&all))
    }

    /// Whether an earlier run finished the next row.
    fn passes_over(&mut self) -> bool {
        let passes = self.skip > 0;
        self.skip -= u64::from(passes);
        passes
    }

    fn push(&mut self, row: Row) -> Result<(), LabError> {
        self.rows.push(row);
        if self.rows.len() >= self.block { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), LabError> {
        let (rows, begun) = (std::mem::take(&mut self.rows), Instant::now());
        let asker = || Asker::new(self.game, self.function, self.order);
        let lines = rows
            .par_iter()
            .map_init(asker, |asker, row| (!self.progress.stopped()).then(|| asker.line(row)))
            .collect::<Option<Vec<_>>>();
        let Some(lines) = lines else { return Err(LabError::Stopped) };
        let (mut text, mut sum) = (String::new(), OwnValued::default());
        for (cells, valued) in lines {
            text += &self.form.line(&cells);
            sum.rows += 1;
            match valued {
                Ok(Valued { value, nodes }) => {
                    sum.decided += u64::from(value.is_none());
                    sum.nodes += nodes;
                }
                Err(reason) => {
                    sum.unreadable += 1;
                    let place = format!("row {}: {reason}", self.finished.valued.rows + sum.rows);
                    sum.first_unreadable.get_or_insert(place);
                }
            }
        }
        self.progress.advance(rows.len() as u64);
        self.finished.add(sum, &text)?;
        // Blocks are long enough to keep all threads busy, and short enough to lose.
        self.block = match begun.elapsed() {
            took if took < BLOCK_TIME / 2 => (2 * self.block).min(ROWS),
            took if took > 2 * BLOCK_TIME => (self.block / 2).max(rayon::current_num_threads()),
            _ => self.block,
        };
        Ok(())
    }
}

/// What is known of a position.
struct Valued {
    /// The mover's log-odds; none where the end is seen.
    value: Option<f64>,
    nodes: u64,
}

/// A thread's own searches.
struct Asker<'a> {
    game: &'a DynGame,
    after: After,
    function: &'a DynFunction,
    search: Box<dyn Search<Pos>>,
    features: DynFeatures,
    atoms: Option<AtomCells>,
}

/// A game's atoms, and room for the values of a position.
struct AtomCells {
    atoms: Box<dyn Atoms<Pos>>,
    values: Vec<u8>,
}

impl<'a> Asker<'a> {
    fn new(game: &'a DynGame, function: &'a DynFunction, order: &OwnOrder) -> Self {
        let after = order.after;
        let table = match after {
            After::Depth(_) => TABLE_BYTES,
            After::Selective(..) => SELECTIVE_TABLE_BYTES,
            After::Nothing | After::Quiescence => 0,
        };
        let atoms = game.atoms().filter(|_| order.atoms);
        Self {
            game,
            after,
            function,
            search: function.search(table),
            features: game.features(),
            atoms: atoms.map(|atoms| {
                let values = vec![0; atoms.names().len()];
                AtomCells { atoms, values }
            }),
        }
    }

    /// A row of the table, and what is known of its position.
    fn line(&mut self, row: &Row) -> (Vec<String>, Result<Valued, String>) {
        let mut line = row.cells.clone();
        let width =
            self.features.count() + self.atoms.as_ref().map_or(0, |cells| cells.values.len());
        let valued = match &row.position {
            Ok((position, side)) => self.value(position, *side),
            Err(reason) => Err(reason.clone()),
        };
        let (Ok((position, side)), Ok(Valued { value, .. })) = (&row.position, &valued) else {
            line.extend(std::iter::repeat_n(String::new(), width + 1));
            return (line, valued);
        };
        let mut scratch = Vec::default();
        for i in 0..self.features.count() {
            line.push(self.features.get(position, i, &mut scratch).to_string());
        }
        if let Some(AtomCells { atoms, values }) = &mut self.atoms {
            // Results and values are the first player's, and so is what they are of.
            match side {
                Side::First => atoms.write(position, values),
                Side::Second => atoms.write_waiting(position, values),
            }
            line.extend(values.iter().map(ToString::to_string));
        }
        let sign = if *side == Side::First { 1.0 } else { -1.0 };
        line.push(value.map_or_else(String::new, |value| (sign * value).to_string()));
        (line, valued)
    }

    fn value(&mut self, position: &Pos, side: Side) -> Result<Valued, String> {
        if position.outcome().is_some() {
            return Ok(Valued { value: None, nodes: 1 });
        }
        let record = || GameRecord::new(position.clone(), side, self.game.max_plies());
        let (score, nodes) = match self.after {
            After::Nothing => (self.function.value(position), 1),
            After::Quiescence => {
                let found = self.search.quiet(&record());
                (found.value, found.nodes.max(1))
            }
            After::Depth(plies) => {
                self.search.clear();
                let found = self.search.fixed_depth(&record(), plies);
                (found.value, found.nodes)
            }
            After::Selective(plies, percent) => {
                let found = self.search.search_at(&record(), plies, percent)?;
                (found.value, found.nodes)
            }
        };
        let value = (!Score::is_decisive(score)).then(|| score.log_odds().0);
        Ok(Valued { value, nodes })
    }
}
