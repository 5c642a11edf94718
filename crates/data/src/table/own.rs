//! A user's own table of features and results, no game needed: CSV or TSV, as it
//! is or packed by zstd, or Parquet.
//!
//! The first line of text names the columns; fields may be quoted. Every fault is
//! told with its file, line (row in Parquet) and column. In a table whose features
//! are called `feature.<name>`, as this program writes them, the columns `points`,
//! `game`, `stage`, `side` and `score` are what they say; in any other table only
//! columns that the user names are more than features.

use super::{FEATURE, ROWS, numbers, unreadable};
use crate::sheet::in_words;
use crate::source::{self, Lines};
use crate::{DataError, FeatureTable, Hasher, part};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use evalsmith_core::{Side, Stage};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Which column is what; all others are features unless some are named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableColumns {
    /// The result for the side to move: 1, 0.5 or 0, or 1-0, 1/2-1/2 or 0-1.
    pub label: Option<String>,
    /// The game a row belongs to, any text; without it every row is a game.
    pub game: Option<String>,
    /// The stage, a whole number from 0 to 255; without it there is one stage.
    pub stage: Option<String>,
    /// The final score for the side to move, for least squares.
    pub score: Option<String>,
    /// The features; where none is named, all columns that are nothing else.
    pub features: Vec<String>,
}

/// A table that was read.
#[derive(Clone, Debug)]
pub struct OwnTable {
    /// Its rows.
    pub table: FeatureTable,
    /// The columns that are nothing: neither features nor anything else named.
    pub unused: Vec<String>,
    /// One more than the largest stage.
    pub stages: usize,
    /// Whether a column tells stages.
    pub has_stages: bool,
    /// Whether a column tells games apart.
    pub has_games: bool,
    /// Whether a column tells final scores.
    pub has_scores: bool,
    /// A digest of its rows, the same in any format.
    pub digest: String,
}

impl OwnTable {
    /// Whether a file's name says that it holds a table.
    pub fn is_at(path: &Path) -> bool {
        ending(path).is_some()
    }
}

enum Ending {
    Text,
    Parquet,
}

fn ending(path: &Path) -> Option<Ending> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    match name.trim_end_matches(".zst").rsplit_once('.')?.1 {
        "csv" | "tsv" => Some(Ending::Text),
        "parquet" => Some(Ending::Parquet),
        _ => None,
    }
}

/// Reads a table; its name ends in .csv, .tsv, either with .zst, or .parquet.
///
/// # Errors
/// When the file cannot be read, a column is missing, or a value is not a number
/// in its range.
pub fn read_own_table(path: &Path, columns: &TableColumns) -> Result<OwnTable, DataError> {
    match ending(path) {
        Some(Ending::Parquet) => {
            // Files from outside carry no checksum, and the decoder trusts some of
            // what a damaged file says about itself.
            catch_unwind(AssertUnwindSafe(|| read_parquet(path, columns)))
                .unwrap_or_else(|_| Err(DataError::NotParquet { path: path.to_owned() }))
        }
        Some(Ending::Text) | None => {
            let input = source::open(path).map_err(|e| DataError::io(path, e))?;
            read_text(Lines::new(input), path, columns)
        }
    }
}

/// A table that this program did not write must be told where its results are.
fn check_named(names: &[String], columns: &TableColumns, path: &Path) -> Result<(), DataError> {
    if columns.label.is_none() && !is_ours(names) {
        return Err(DataError::Unnamed { path: path.to_owned() });
    }
    Ok(())
}

fn is_ours(names: &[String]) -> bool {
    names.iter().any(|name| name.starts_with(FEATURE))
}

fn fault(path: &Path, place: &str, number: u64, reason: &str) -> DataError {
    DataError::Records(format!("{}: {place} {number}: {reason}", path.display()))
}

fn read_text(mut lines: Lines, path: &Path, columns: &TableColumns) -> Result<OwnTable, DataError> {
    let wrong = |line: u64, reason: String| fault(path, "line", line, &reason);
    let failed = |e| DataError::io(path, e);
    let header = match lines.next().map_err(failed)? {
        Some(line) => String::from_utf8_lossy(line).into_owned(),
        None => {
            return Err(wrong(1, "the file is empty; its first line must name the columns".into()));
        }
    };
    let comma = if header.contains('\t') { '\t' } else { ',' };
    let names = fields(&header, comma);
    check_named(&names, columns, path)?;
    let mut rows = Rows::new(names, columns).map_err(|reason| wrong(1, reason))?;
    while let Some(line) = lines.next().map_err(failed)? {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let values = fields(&String::from_utf8_lossy(line), comma);
        let (found, expected) = (values.len(), rows.names.len());
        if found != expected {
            let reason =
                format!("it has {found} fields, but the first line names {expected} columns");
            return Err(wrong(lines.number(), reason));
        }
        rows.push(&values.as_slice()).map_err(|reason| wrong(lines.number(), reason))?;
    }
    rows.finish().ok_or_else(|| wrong(2, "there are no rows below the names of the columns".into()))
}

fn read_parquet(path: &Path, columns: &TableColumns) -> Result<OwnTable, DataError> {
    let builder = part::reader(path)?;
    let names: Vec<_> = builder.schema().fields().iter().map(|f| f.name().clone()).collect();
    check_named(&names, columns, path)?;
    let mut rows = Rows::new(names, columns).map_err(|reason| fault(path, "row", 0, &reason))?;
    let reader = builder.with_batch_size(ROWS).build().map_err(|e| unreadable(path, &e))?;
    let mut number = 0;
    for record in reader {
        let record = record.map_err(|e| unreadable(path, &e))?;
        let batch = Batch::new(&record, &rows, path)?;
        for row in 0..record.num_rows() {
            number += 1;
            let push = rows.push(&batch.row(row));
            push.map_err(|reason| fault(path, "row", number, &reason))?;
        }
    }
    rows.finish().ok_or_else(|| fault(path, "row", 1, "there is none"))
}

/// A row by the place of its columns.
trait Row {
    /// A finite number, or what stands there instead.
    fn number(&self, column: usize) -> Result<f64, String>;
    /// What stands there, as text.
    fn word(&self, column: usize) -> String;
}

impl Row for &[String] {
    fn number(&self, column: usize) -> Result<f64, String> {
        let text = &self[column];
        text.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| format!("{text:?}"))
    }

    fn word(&self, column: usize) -> String {
        self[column].clone()
    }
}

/// Columns of Parquet: those in use, numbers or words.
struct Batch {
    columns: Vec<Values>,
}

enum Values {
    Unused,
    Numbers(Vec<Option<f64>>),
    Words(Vec<String>),
}

impl Batch {
    fn new(record: &RecordBatch, rows: &Rows, path: &Path) -> Result<Self, DataError> {
        let column = |(at, name): (usize, &String)| {
            if rows.places.is_unused(at) {
                return Ok(Values::Unused);
            }
            let words: Option<Vec<String>> = match record.column(at).data_type() {
                DataType::Utf8 => Some(texts(record.column(at).as_string::<i32>())),
                DataType::LargeUtf8 => Some(texts(record.column(at).as_string::<i64>())),
                DataType::Utf8View => Some(texts(record.column(at).as_string_view())),
                _ => None,
            };
            match words {
                Some(words) => Ok(Values::Words(words)),
                None => numbers(record, name, path).map(Values::Numbers),
            }
        };
        let columns = rows.names.iter().enumerate().map(column).collect::<Result<_, _>>()?;
        Ok(Self { columns })
    }

    fn row(&self, row: usize) -> BatchRow<'_> {
        BatchRow { batch: self, row }
    }
}

fn texts<'a>(column: impl IntoIterator<Item = Option<&'a str>>) -> Vec<String> {
    column.into_iter().map(|text| text.unwrap_or_default().to_owned()).collect()
}

struct BatchRow<'b> {
    batch: &'b Batch,
    row: usize,
}

impl Row for BatchRow<'_> {
    fn number(&self, column: usize) -> Result<f64, String> {
        match &self.batch.columns[column] {
            Values::Numbers(values) => match values[self.row] {
                Some(value) if value.is_finite() => Ok(value),
                Some(value) => Err(value.to_string()),
                None => Err("null".into()),
            },
            Values::Words(words) => [words[self.row].clone()].as_slice().number(0),
            Values::Unused => Err("nothing".into()),
        }
    }

    fn word(&self, column: usize) -> String {
        match &self.batch.columns[column] {
            Values::Numbers(values) => values[self.row].map_or_else(String::new, |v| v.to_string()),
            Values::Words(words) => words[self.row].clone(),
            Values::Unused => String::new(),
        }
    }
}

/// Rows in hand and what their columns are.
struct Rows {
    names: Vec<String>,
    places: Places,
    table: FeatureTable,
    games: HashMap<String, u32>,
    stages: usize,
    hasher: Hasher,
    row: Vec<f32>,
}

impl Rows {
    fn new(names: Vec<String>, columns: &TableColumns) -> Result<Self, String> {
        let places = Places::find(&names, columns)?;
        let plain = |&i: &usize| {
            let name = &names[i];
            name.strip_prefix(FEATURE).unwrap_or(name).to_owned()
        };
        let table = FeatureTable::new(places.features.iter().map(plain).collect());
        let games = HashMap::new();
        Ok(Self { names, places, table, games, stages: 1, hasher: Hasher::new(), row: Vec::new() })
    }

    fn push(&mut self, row: &impl Row) -> Result<(), String> {
        let Self { names, places, table, games, .. } = self;
        let wrong = |i: usize, found: &str, what: &str| {
            format!("column {:?} holds {found}; write {what}", names[i])
        };
        let number = |i: usize, what: &str| row.number(i).map_err(|found| wrong(i, &found, what));
        let whole = |i: usize, low: f64, high: f64| {
            let what = format!("a whole number from {low} to {high}");
            let x = number(i, &what)?;
            if x.fract() == 0.0 && (low..=high).contains(&x) {
                return Ok(x);
            }
            Err(wrong(i, &x.to_string(), &what))
        };
        self.row.clear();
        for &i in &places.features {
            let what = "a finite number, or leave the row out";
            let x = number(i, what)? as f32;
            if !x.is_finite() {
                return Err(wrong(i, "a number beyond 3.4e38", what));
            }
            self.row.push(x);
        }
        let points = match row.word(places.label).as_str() {
            "1-0" => 1.0,
            "1/2-1/2" => 0.5,
            "0-1" => 0.0,
            _ => number(places.label, "1 (win), 0.5 (draw) or 0 (loss)")?,
        };
        if !(0.0..=1.0).contains(&points) {
            return Err(format!(
                "column {:?} holds {points}; results are 1 (win), 0.5 (draw) and 0 (loss)",
                names[places.label]
            ));
        }
        let stage = places.stage.map_or(Ok(0.0), |i| whole(i, 0.0, 255.0))?;
        let score = places.score.map_or(Ok(0.0), |i| whole(i, -32768.0, 32767.0))?;
        let side = places.side.map_or(Ok(0.0), |i| whole(i, 0.0, 1.0))?;
        let known = u32::try_from(games.len()).unwrap_or(u32::MAX);
        let game = match places.game {
            Some(i) => *games.entry(row.word(i)).or_insert(known),
            None => u32::try_from(table.len()).unwrap_or(u32::MAX),
        };
        for x in &self.row {
            self.hasher.write_u64(u64::from(x.to_bits()));
        }
        for x in [points, stage, score, f64::from(game)] {
            self.hasher.write_u64(x.to_bits());
        }
        table.columns.push(&self.row);
        table.stages.push(Stage(stage as u8));
        table.points.push(points as f32);
        table.scores.push(score as i16);
        table.searched.push(None);
        table.sides.push(if side == 0.0 { Side::First } else { Side::Second });
        table.games.push(game);
        self.stages = self.stages.max(stage as usize + 1);
        Ok(())
    }

    /// The table, unless it has no rows.
    fn finish(self) -> Option<OwnTable> {
        let Self { names, places, table, stages, hasher, .. } = self;
        if table.is_empty() {
            return None;
        }
        let idle = (0..names.len()).filter(|&i| places.is_unused(i));
        Some(OwnTable {
            unused: idle.map(|i| names[i].clone()).collect(),
            table,
            stages,
            has_stages: places.stage.is_some(),
            has_games: places.game.is_some(),
            has_scores: places.score.is_some(),
            digest: hasher.finish().to_string(),
        })
    }
}

/// Where the columns stand.
struct Places {
    label: usize,
    game: Option<usize>,
    stage: Option<usize>,
    score: Option<usize>,
    side: Option<usize>,
    features: Vec<usize>,
}

impl Places {
    fn find(names: &[String], columns: &TableColumns) -> Result<Self, String> {
        if let Some(twice) = names.iter().enumerate().find(|(i, n)| names[..*i].contains(n)) {
            return Err(format!("two columns are called {:?}; rename one", twice.1));
        }
        let ours = is_ours(names);
        let there = |name: &str| names.iter().position(|n| n == name);
        let place = |name: &String| {
            there(name).ok_or_else(|| {
                format!("there is no column {name:?}; the columns are {}", in_words(names))
            })
        };
        let chosen = |named: &Option<String>, own: &str| match named {
            Some(name) => place(name).map(Some),
            None if ours => Ok(there(own)),
            None => Ok(None),
        };
        let label = chosen(&columns.label, "points")?
            .ok_or("there is no column \"points\"; name that of the results with --label")?;
        let (game, stage) = (chosen(&columns.game, "game")?, chosen(&columns.stage, "stage")?);
        let (score, side) = (chosen(&columns.score, "score")?, chosen(&None, "side")?);
        let taken = [Some(label), game, stage, score, side];
        let features: Vec<usize> = if columns.features.is_empty() {
            let free = (0..names.len()).filter(|i| !taken.contains(&Some(*i)));
            free.filter(|&i| !ours || names[i].starts_with(FEATURE)).collect()
        } else {
            let find = |name: &String| there(name).or_else(|| there(&format!("{FEATURE}{name}")));
            let found: Vec<_> = columns.features.iter().map(|name| (name, find(name))).collect();
            let missing = found.iter().filter(|(_, at)| at.is_none());
            let missing: Vec<String> = missing.map(|(name, _)| format!("{name:?}")).collect();
            let plural = match missing.len() {
                0 => "",
                1 => "is no column",
                _ => "are no columns",
            };
            if !plural.is_empty() {
                let (missing, there) = (missing.join(", "), in_words(names));
                return Err(format!("there {plural} {missing}; the columns are {there}"));
            }
            found.into_iter().filter_map(|(_, at)| at).collect()
        };
        if features.is_empty() {
            return Err("no column is left for a feature; add some".into());
        }
        Ok(Self { label, game, stage, score, side, features })
    }

    fn is_unused(&self, column: usize) -> bool {
        let taken = [Some(self.label), self.game, self.stage, self.score, self.side];
        !taken.contains(&Some(column)) && !self.features.contains(&column)
    }
}

/// The fields of a line; a quoted one may hold commas, and `""` for a quote.
fn fields(line: &str, comma: char) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let field = fields.last_mut().expect("there is always one");
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' if quoted || field.trim().is_empty() => quoted = !quoted,
            letter if letter == comma && !quoted => fields.push(String::new()),
            letter => field.push(letter),
        }
    }
    fields.into_iter().map(|field| field.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::of_bytes;
    use crate::write_feature_table;
    use proptest::prelude::*;

    fn columns() -> TableColumns {
        TableColumns {
            label: Some("result".into()),
            game: Some("game".into()),
            stage: Some("move".into()),
            ..TableColumns::default()
        }
    }

    fn parse(text: &str, columns: &TableColumns) -> Result<OwnTable, String> {
        read_text(Lines::new(of_bytes(text)), Path::new("my.csv"), columns)
            .map_err(|e| e.to_string())
    }

    #[test]
    fn a_table_is_read_with_quotes_and_line_ends_of_any_kind() {
        let text = "\u{feff}game,move,\"king, safety\",result,x\r\nA,3,1.5,1,2\r\nB,4,-1,0.5,1e2\r\n\r\nA,0,0,0,0\r\n";
        let found = parse(text, &columns()).expect("a table");
        assert_eq!(found.table.columns.names(), ["king, safety", "x"]);
        assert_eq!(found.table.columns.column(1), [2.0, 100.0, 0.0]);
        assert_eq!(found.table.games, [0, 1, 0]);
        assert_eq!((found.stages, &found.table.points), (5, &vec![1.0, 0.5, 0.0]));
        assert!(found.unused.is_empty() && found.has_games && !found.has_scores);
        let tabs = "game\tmove\tking, safety\tresult\tx\nA\t3\t1.5\t1-0\t2\nB\t4\t-1\t1/2-1/2\t1e2\nA\t0\t0\t0-1\t0\n";
        let tabs = parse(tabs, &columns()).expect("a table");
        assert_eq!((tabs.table, tabs.digest), (found.table, found.digest));
    }

    #[test]
    fn named_features_are_taken_in_their_order_and_the_rest_is_told() {
        let named = |features: &[&str]| {
            let features = features.iter().map(|&f| f.to_owned()).collect();
            let columns = TableColumns { game: None, stage: None, features, ..columns() };
            parse("a,b,result,c\n1,2,0,3\n", &columns)
        };
        let found = named(&["c", "a"]).expect("a table");
        assert_eq!(found.table.columns.names(), ["c", "a"]);
        assert_eq!((found.table.columns.column(0), found.unused), (&[3.0][..], vec!["b".into()]));
        let message = named(&["x", "a", "y"]).expect_err("two are missing");
        assert!(
            message.contains("are no columns \"x\", \"y\"; the columns are a, b, result, c"),
            "{message}"
        );
    }

    #[test]
    fn faults_name_file_line_and_column() {
        let faults = [
            ("", "my.csv: line 1: the file is empty"),
            (
                "game,move,x\n",
                "line 1: there is no column \"result\"; the columns are game, move, x",
            ),
            ("game,move,result\n1,1,1\n", "no column is left for a feature"),
            ("game,move,result,x,x\n", "two columns are called \"x\""),
            ("game,move,result,x\n1,1,1\n", "line 2: it has 3 fields, but the first line names 4"),
            ("game,move,result,x\n1,1,2,0\n", "line 2: column \"result\" holds 2; results are 1"),
            ("game,move,result,x\n1,1,won,0\n", "column \"result\" holds \"won\"; write 1 (win)"),
            (
                "game,move,result,x\n1,1,1,NaN\n",
                "column \"x\" holds \"NaN\"; write a finite number",
            ),
            ("game,move,result,x\n1,1,1,inf\n", "column \"x\" holds \"inf\""),
            ("game,move,result,x\n1,1,1,1e99\n", "column \"x\" holds a number beyond"),
            ("game,move,result,x\n1,999,1,0\n", "column \"move\" holds 999; write a whole number"),
            ("game,move,result,x\n", "there are no rows"),
        ];
        for (text, expected) in faults {
            let message = parse(text, &columns()).expect_err(expected);
            assert!(message.contains(expected), "{message:?} does not say {expected:?}");
        }
        let unnamed = parse("x,y\n1,2\n", &TableColumns::default()).expect_err("no result");
        assert!(unnamed.contains("--label"), "{unnamed}");
    }

    #[test]
    fn our_own_files_need_no_names_in_any_format() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let text = "game,stage,side,points,score,feature.a,feature.b,note\n\
                    7,3,1,0.5,0,1.5,-2,x\n7,4,0,1,6,0,1e3,y\n9,4,0,1,6,0,1e3,z\n";
        let plain = parse(text, &TableColumns::default()).expect("a table");
        assert_eq!(plain.table.columns.names(), ["a", "b"]);
        assert_eq!(plain.table.sides, [Side::Second, Side::First, Side::First]);
        assert_eq!((plain.stages, plain.unused.as_slice()), (5, &["note".to_owned()][..]));

        let parquet = folder.path().join("table.parquet");
        write_feature_table(&plain.table, &parquet).expect("written");
        let read = read_own_table(&parquet, &TableColumns::default()).expect("a table");
        assert_eq!((&read.table, &read.digest), (&plain.table, &plain.digest));

        let packed = folder.path().join("table.csv.zst");
        std::fs::write(&packed, zstd::encode_all(text.as_bytes(), 1).expect("packed")).unwrap();
        let read = read_own_table(&packed, &TableColumns::default()).expect("a table");
        assert_eq!(read.table, plain.table);

        std::fs::write(&parquet, "PAR1 nothing PAR1").expect("written");
        assert!(read_own_table(&parquet, &TableColumns::default()).is_err());
    }

    proptest! {
        #[test]
        fn nothing_read_panics(
            text: String, like in "result,(a|game|move)(,b)?\n([01\",-]{0,6}\n?){0,5}"
        ) {
            let _ = parse(&text, &columns());
            let _ = parse(&like, &columns());
        }
    }
}
