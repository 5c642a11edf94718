//! Any table of numbers, results and games, read in constant memory: CSV and TSV
//! (as they are or packed by zstd) and Parquet.
//!
//! A sheet gives the columns that somebody wants, batch by batch and in order.
//! What cannot be read is counted and left out, never guessed: a cell that is no
//! number becomes not a number, a row without a result is dropped. Invariant:
//! memory is that of a few batches, and neither batches nor threads change what
//! is read. A text is opened and read once, so that it may come through a pipe; Parquet
//! begins at its end and must be a file.

mod meaning;
mod parquet;
mod text;

pub use meaning::Faults;

use crate::{DataError, source};
use meaning::{Raw, Scheme};
use std::fmt;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// Rows among which a loss of -1 must be for numbers to be read with it.
const FIRST_ROWS: usize = 1 << 16;

/// A table, opened: its columns are known, its rows are not read. Reading them takes it.
pub struct Sheet {
    path: PathBuf,
    names: Vec<String>,
    form: Form,
}

enum Form {
    Text(text::Rows),
    Parquet,
}

/// Which columns are wanted, and what they mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SheetColumns {
    /// Columns of numbers.
    pub numbers: Vec<String>,
    /// How the game ended: 1-0, 1/2-1/2, 0-1; win, draw, loss; 1, 0.5, 0; or 1, 0,
    /// -1, which is told by a -1 among the first rows.
    pub result: String,
    /// The game a row belongs to; without it every row is a game.
    pub game: Option<String>,
    /// Who is to move (or a FEN or SFEN that tells), where that matters.
    pub side: Option<String>,
    /// The word by which the columns of results and sides call the first player.
    pub first: Option<String>,
}

/// Some rows that have a result, by column.
#[derive(Clone, Debug, Default)]
pub struct SheetBatch {
    /// The columns of numbers; not a number where a cell is none.
    pub numbers: Vec<Vec<f64>>,
    /// What the game brought the first player, in half points.
    pub half_points: Vec<u8>,
    /// A hash of the game's name.
    pub games: Vec<u64>,
    /// Whether the second player is to move; empty where nobody asked.
    pub second_to_move: Vec<bool>,
}

impl SheetBatch {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.half_points.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.half_points.is_empty()
    }
}

/// The first rows, which wait for each other: what numbers mean as results is told by
/// all of them.
#[derive(Default)]
struct First {
    raw: Vec<Raw>,
    rows: usize,
}

impl First {
    /// What need not wait any longer.
    fn add(&mut self, raw: Raw) -> Vec<Raw> {
        self.rows += raw.results.len();
        self.raw.push(raw);
        if self.rows < FIRST_ROWS { Vec::new() } else { std::mem::take(&mut self.raw) }
    }
}

/// The columns wanted, by their places in the file.
#[derive(Debug)]
struct Plan {
    numbers: Vec<usize>,
    result: usize,
    game: Option<usize>,
    side: Option<usize>,
    first: Option<String>,
}

impl fmt::Debug for Sheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, names, form: _ } = self;
        f.debug_struct("Sheet").field("path", path).field("names", names).finish_non_exhaustive()
    }
}

impl Sheet {
    /// Opens a table and reads the names of its columns.
    ///
    /// # Errors
    /// When the file cannot be read, is empty, or names a column twice.
    pub fn open(path: &Path) -> Result<Self, DataError> {
        let io = |e| DataError::io(path, e);
        let mut input = source::open(path).map_err(io)?;
        let is_parquet = input.fill_buf().map_err(io)?.starts_with(parquet::MAGIC);
        let (names, form) = if !is_parquet {
            let (names, rows) = text::Rows::open(path, input)?;
            (names, Form::Text(rows))
        } else if path.is_file() {
            (parquet::names(path)?, Form::Parquet)
        } else {
            let reason = "this is Parquet, which cannot be read from a pipe; give the file itself";
            return Err(wrong(path, reason));
        };
        if let Some(twice) = names.iter().enumerate().find(|(i, n)| names[..*i].contains(n)) {
            let name = twice.1;
            let reason = format!("two columns are called {name:?}; rename one");
            return Err(wrong(path, &reason));
        }
        Ok(Self { path: path.to_owned(), names, form })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Those of some columns whose cells are mostly numbers, by the first rows, which are
    /// read all the same.
    ///
    /// # Errors
    /// When a column is missing or the file cannot be read.
    pub fn columns_of_numbers(&mut self, names: &[String]) -> Result<Vec<String>, DataError> {
        let places = names.iter().map(|name| self.place(name)).collect::<Result<Vec<_>, _>>()?;
        let numbers = match &mut self.form {
            Form::Text(rows) => rows
                .look_for_numbers(&places, self.names.len())
                .map_err(|e| DataError::io(&self.path, e))?,
            Form::Parquet => parquet::look_for_numbers(&self.path, &places)?,
        };
        let held = names.iter().zip(numbers).filter(|(_, number)| *number);
        Ok(held.map(|(name, _)| name.clone()).collect())
    }

    /// Reads all rows and hands them on, batch by batch.
    ///
    /// # Errors
    /// When a column is missing, the file cannot be read to its end or no row has
    /// a result, and whatever error `visit` returns.
    pub fn read<E: From<DataError>>(
        mut self,
        columns: &SheetColumns,
        mut visit: impl FnMut(SheetBatch) -> Result<(), E>,
    ) -> Result<Faults, E> {
        let plan = self.plan(columns)?;
        let mut faults = Faults::new(&columns.numbers);
        let mut first = First::default();
        let mut scheme = Scheme::default();
        let mut take = |raw: Vec<Raw>, faults: &mut Faults| -> Result<(), E> {
            scheme.learn(raw.iter().flat_map(|raw| &raw.results));
            for raw in raw {
                let batch = raw.resolve(&mut scheme, faults);
                if !batch.is_empty() {
                    visit(batch)?;
                }
            }
            Ok(())
        };
        let mut hand_on = |raw| take(first.add(raw), &mut faults);
        match &mut self.form {
            Form::Text(rows) => {
                text::read(rows, &self.path, self.names.len(), &plan, &mut hand_on)?;
            }
            Form::Parquet => {
                let table = parquet::Table { path: &self.path, names: &self.names };
                parquet::read(table, &plan, &mut hand_on)?;
            }
        }
        take(first.raw, &mut faults)?;
        if faults.rows == 0 {
            return Err(
                wrong(&self.path, "there are no rows below the names of the columns").into()
            );
        }
        if faults.rows == faults.dropped() {
            let reason = format!("no row has a result: {}", faults.to_text());
            return Err(wrong(&self.path, &reason).into());
        }
        Ok(faults)
    }

    /// Reads the rows of a text table as they stand, cell by cell.
    ///
    /// # Errors
    /// When the file is no text or cannot be read to its end, and whatever error
    /// `visit` returns.
    pub fn texts<E: From<DataError>>(
        self,
        visit: impl FnMut(Vec<String>) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.form {
            Form::Text(rows) => text::cells(rows, &self.path, self.names.len(), visit),
            Form::Parquet => {
                Err(wrong(&self.path, "it is Parquet; give it as CSV or TSV here").into())
            }
        }
    }

    fn place(&self, name: &str) -> Result<usize, DataError> {
        self.names.iter().position(|n| n == name).ok_or_else(|| {
            let there = in_words(&self.names);
            wrong(&self.path, &format!("there is no column {name:?}; the columns are {there}"))
        })
    }

    fn plan(&self, columns: &SheetColumns) -> Result<Plan, DataError> {
        let place = |name: &String| self.place(name);
        Ok(Plan {
            numbers: columns.numbers.iter().map(place).collect::<Result<_, _>>()?,
            result: place(&columns.result)?,
            game: columns.game.as_ref().map(place).transpose()?,
            side: columns.side.as_ref().map(place).transpose()?,
            first: columns.first.clone(),
        })
    }
}

/// The names of columns for a message: not all of a file that is no table.
pub fn in_words(names: &[String]) -> String {
    const MOST: usize = 30;
    const LONGEST: usize = 40;
    let shown = names.iter().take(MOST);
    let mut words: Vec<String> =
        shown.map(|name| name.escape_debug().take(LONGEST).collect()).collect();
    if let Some(more @ 1..) = names.len().checked_sub(MOST) {
        words.push(format!("and {more} more"));
    }
    words.join(", ")
}

fn wrong(path: &Path, reason: &str) -> DataError {
    DataError::Records(format!("{}: {reason}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn columns(numbers: &[&str]) -> SheetColumns {
        SheetColumns {
            numbers: numbers.iter().map(|&n| n.to_owned()).collect(),
            result: "result".into(),
            game: Some("game".into()),
            ..SheetColumns::default()
        }
    }

    fn read(text: &str, columns: &SheetColumns) -> Result<(SheetBatch, Faults), DataError> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let sheet = Sheet::open(file.path())?;
        let mut all =
            SheetBatch { numbers: vec![vec![]; columns.numbers.len()], ..Default::default() };
        let faults = sheet.read(columns, |batch| -> Result<(), DataError> {
            for (to, from) in all.numbers.iter_mut().zip(batch.numbers) {
                to.extend(from);
            }
            all.half_points.extend(batch.half_points);
            all.games.extend(batch.games);
            all.second_to_move.extend(batch.second_to_move);
            Ok(())
        })?;
        Ok((all, faults))
    }

    #[test]
    fn rows_are_read_and_what_cannot_be_is_counted_with_its_place() {
        let text = "fen,result,game,\"king, safety\",total\n\
                    \"a, b\",1-0,g1,12,-3.5\n\
                    x,0-1,g1,mate,7\n\
                    \n\
                    x,*,g2,1,1\n\
                    x,1/2-1/2,g2,,+8\n";
        let (batch, faults) = read(text, &columns(&["total", "king, safety"])).unwrap();
        assert_eq!(batch.half_points, [2, 0, 1]);
        assert_eq!(batch.numbers[0], [-3.5, 7.0, 8.0]);
        assert_eq!(batch.numbers[1][0], 12.0);
        assert!(batch.numbers[1][1].is_nan() && batch.numbers[1][2].is_nan());
        assert!(batch.games[0] == batch.games[1] && batch.games[1] != batch.games[2]);
        assert_eq!((faults.rows, faults.dropped()), (4, 1));
        let told = faults.to_text();
        assert!(told.contains("line 5") && told.contains("\"*\""), "{told}");
        assert!(told.contains("line 3") && told.contains("\"mate\""), "{told}");
    }

    #[test]
    fn numbers_for_results_are_told_apart_by_a_loss() {
        let halves = |text: &str| {
            let text = format!("result,game,x\n{}", text.replace(' ', ",g,1\n"));
            read(&text, &columns(&["x"])).unwrap().0.half_points
        };
        assert_eq!(halves("1 0 -1 "), [2, 1, 0]);
        assert_eq!(halves("1 0 0.5 "), [2, 0, 1]);
        assert_eq!(halves("1 0 1.0 "), [2, 0, 2]);
        assert_eq!(halves("win loss draw "), [2, 0, 1]);
    }

    #[test]
    fn the_first_player_is_who_the_call_says() {
        let mut wanted = columns(&["x"]);
        wanted.first = Some("b".into());
        wanted.side = Some("sfen".into());
        let text =
            "sfen\tresult\tgame\tx\nboard b - 1\tb\tg\t1\nboard w - 1\tw\tg\t2\nq\tdraw\tg\t1\n";
        let (batch, faults) = read(text, &wanted).unwrap();
        assert_eq!(batch.half_points, [2, 0]);
        assert_eq!(batch.second_to_move, [false, true]);
        assert!(faults.to_text().contains("who is to move"), "{}", faults.to_text());
        wanted.first = None;
        let error = read(text, &wanted).unwrap_err().to_string();
        assert!(error.contains("--first"), "{error}");
    }

    #[test]
    fn faults_of_the_whole_file_are_errors() {
        let wanted = columns(&["x"]);
        for (text, words) in [
            ("", "it is empty"),
            ("\0\0\0\0", "it is no table"),
            ("result,game,x\n", "no rows"),
            ("result,game\n1,2\n", "no column \"x\""),
            ("result,x,x,game\n1,2,3,4\n", "two columns are called \"x\""),
            ("result,game,x\n1,2\n", "line 2: 2 cells under 3 names"),
            ("result,game,x\nfoo,2,3\n", "no row has a result"),
        ] {
            let error = read(text, &wanted).unwrap_err().to_string();
            assert!(error.contains(words), "{text:?}: {error}");
        }
    }

    #[test]
    fn columns_of_numbers_are_told_by_the_first_rows_which_are_read_all_the_same() {
        let rows = "a,7,,1-0\nb,8,1,0-1\n7,x,,1-0\n";
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write!(file, "name,x,gaps,result\n{rows}").unwrap();
        let names = ["name", "x", "gaps"].map(String::from);
        let mut sheet = Sheet::open(file.path()).unwrap();
        for _ in 0..2 {
            assert_eq!(sheet.columns_of_numbers(&names).unwrap(), ["x"]);
        }
        let mut seen = Vec::new();
        sheet
            .texts(|cells| -> Result<(), DataError> {
                seen.push(cells.join(","));
                Ok(())
            })
            .unwrap();
        assert_eq!(seen.join("\n") + "\n", rows);
        let mut sheet = Sheet::open(file.path()).unwrap();
        sheet.columns_of_numbers(&names).unwrap();
        let wanted = SheetColumns { game: None, ..columns(&["x"]) };
        let mut x = Vec::new();
        let faults = sheet
            .read(&wanted, |batch| -> Result<(), DataError> {
                x.extend(batch.numbers[0].clone());
                Ok(())
            })
            .unwrap();
        assert_eq!((faults.rows, &x[..2]), (3, &[7.0, 8.0][..]));
        let mut sheet = Sheet::open(file.path()).unwrap();
        let error = sheet.columns_of_numbers(&["y".into()]).unwrap_err().to_string();
        assert!(error.contains("no column \"y\""), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_text_is_read_through_a_pipe_and_parquet_is_refused_there() {
        let through_a_pipe = |bytes: &[u8]| {
            let (reader, mut writer) = std::io::pipe().unwrap();
            writer.write_all(bytes).unwrap();
            drop(writer);
            let fd = std::os::fd::AsRawFd::as_raw_fd(&reader);
            (reader, PathBuf::from(format!("/dev/fd/{fd}")))
        };
        let (_pipe, path) = through_a_pipe(b"x,result,game\n1,1-0,a\n2,0-1,b\n");
        let mut sheet = Sheet::open(&path).unwrap();
        assert_eq!(sheet.columns_of_numbers(&["x".into(), "game".into()]).unwrap(), ["x"]);
        let mut rows = 0;
        sheet
            .read(&columns(&["x"]), |batch| -> Result<(), DataError> {
                rows += batch.len();
                Ok(())
            })
            .unwrap();
        assert_eq!(rows, 2);
        let (_pipe, path) = through_a_pipe(b"PAR1 and more");
        let error = Sheet::open(&path).unwrap_err().to_string();
        assert!(error.contains("cannot be read from a pipe"), "{error}");
    }
}
