//! Feature tables as text: a header line, then a position to a line, parted by
//! commas or tabs.
//!
//! One column must tell the result: `points` (1, 0.5, 0), or `result` as 1, 0, -1
//! or `1-0`, `1/2-1/2`, `0-1`; both for the side that the features speak for.
//! `game` may be any word, and makes rows one game; without it every row is a game
//! of its own. `stage`, `side` and `score` may be left out. Features are the
//! columns called `feature.<name>` or, where none is, all others that hold nothing
//! but numbers.

use super::{FEATURE, ROWS, append};
use crate::source::{self, Lines};
use crate::{DataError, FeatureTable};
use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

const FIXED: [&str; 6] = ["game", "stage", "side", "points", "result", "score"];

/// Reads a feature table from CSV or TSV, as it is or packed by zstd.
///
/// # Errors
/// When the file cannot be read, has no result or no feature, or a cell does not
/// hold what its column means; the message names the line.
pub fn read_feature_text(path: &Path) -> Result<FeatureTable, DataError> {
    let input = source::open(path).map_err(|e| DataError::io(path, e))?;
    let mut lines = Lines::new(input);
    let wrong = |line: u64, reason: String| {
        let place = format!("{}, line {line}: {reason}", path.display());
        DataError::Records(place)
    };
    let mut next = || -> Result<Option<(u64, String)>, DataError> {
        loop {
            let line = lines.next().map_err(|e| DataError::io(path, e))?;
            let line = line.map(|line| String::from_utf8_lossy(line).into_owned());
            match line {
                Some(line) if line.trim().is_empty() => {}
                line => return Ok(line.map(|line| (lines.number(), line))),
            }
        }
    };
    let Some((_, header)) = next()? else {
        return Err(wrong(1, "it is empty; the first line names the columns".to_owned()));
    };
    let comma = if header.contains('\t') { '\t' } else { ',' };
    let names: Vec<String> = cells(&header, comma);
    let Some((line, first)) = next()? else {
        return Err(wrong(2, "there is no row".to_owned()));
    };
    let plan = Plan::new(&names, &cells(&first, comma)).map_err(|reason| wrong(1, reason))?;
    let mut table = FeatureTable::new(plan.features.iter().map(|(_, name)| name.clone()).collect());
    let mut rows = Rows::new(&plan);
    let mut row = Some((line, first));
    while let Some((line, text)) = row {
        let cells = cells(&text, comma);
        if cells.len() != names.len() {
            let reason = format!("{} cells under {} names", cells.len(), names.len());
            return Err(wrong(line, reason));
        }
        rows.push(&plan, &cells).map_err(|(at, reason)| {
            wrong(line, format!("{:?} in column {:?}; {reason}", cells[at], names[at]))
        })?;
        if rows.len() == ROWS {
            rows.flush(&plan, &mut table, path)?;
        }
        row = next()?;
    }
    rows.flush(&plan, &mut table, path)?;
    Ok(table)
}

/// The cells of a line; quoted ones may hold the comma and doubled quotes.
fn cells(line: &str, comma: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let (mut quoted, mut letters) = (false, line.chars().peekable());
    while let Some(letter) = letters.next() {
        let cell = cells.last_mut().expect("there is a cell from the beginning");
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            letter if letter == comma && !quoted => cells.push(String::new()),
            letter => cell.push(letter),
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Which column tells what.
struct Plan {
    fixed: [Option<usize>; FIXED.len()],
    features: Vec<(usize, String)>,
}

impl Plan {
    fn new(names: &[String], first: &[String]) -> Result<Self, String> {
        let place = |wanted: &str| names.iter().position(|name| name == wanted);
        let fixed = FIXED.map(place);
        if fixed[3].is_none() && fixed[4].is_none() {
            return Err("no column is called points or result".to_owned());
        }
        let named = names.iter().enumerate();
        let mut features: Vec<_> = named
            .clone()
            .filter_map(|(at, name)| Some((at, name.strip_prefix(FEATURE)?.to_owned())))
            .collect();
        if features.is_empty() {
            let number = |at: usize| first.get(at).is_some_and(|cell| cell.parse::<f64>().is_ok());
            let other = named.filter(|(at, name)| !FIXED.contains(&name.as_str()) && number(*at));
            features = other.map(|(at, name)| (at, name.clone())).collect();
        }
        if features.is_empty() {
            return Err("no column holds a feature".to_owned());
        }
        Ok(Self { fixed, features })
    }
}

/// Rows in hand, by column.
struct Rows {
    games: HashMap<String, u32>,
    count: u32,
    columns: Vec<Vec<f64>>,
}

const RESULTS: &str = "results are 1, 0, -1, or 1-0, 1/2-1/2, 0-1";

impl Rows {
    fn new(plan: &Plan) -> Self {
        Self { games: HashMap::new(), count: 0, columns: vec![Vec::new(); 5 + plan.features.len()] }
    }

    fn len(&self) -> usize {
        self.columns[0].len()
    }

    fn push(&mut self, plan: &Plan, cells: &[String]) -> Result<(), (usize, &'static str)> {
        let number = |at: usize| cells[at].parse::<f64>().map_err(|_| (at, "write a number"));
        let optional = |place: Option<usize>| place.map_or(Ok(0.0), number);
        let [game, stage, side, points, result, score] = plan.fixed;
        let game = match game {
            Some(at) => {
                let next = self.games.len() as u32;
                *self.games.entry(cells[at].clone()).or_insert(next)
            }
            None => self.count,
        };
        self.count += 1;
        let points = match (points, result) {
            (Some(at), _) => number(at)?,
            (None, Some(at)) => match cells[at].as_str() {
                "1-0" => 1.0,
                "1/2-1/2" => 0.5,
                "0-1" => 0.0,
                text => match text.parse::<f64>() {
                    Ok(result) if [1.0, 0.0, -1.0].contains(&result) => result.midpoint(1.0),
                    _ => return Err((at, RESULTS)),
                },
            },
            (None, None) => unreachable!("a plan has a result"),
        };
        let verdict = if points == 0.5 { 0.0 } else { (points - 0.5).signum() };
        let score = score.map_or(Ok(verdict), number)?;
        let fixed = [f64::from(game), optional(stage)?, optional(side)?, points, score];
        for (column, value) in self.columns.iter_mut().zip(fixed) {
            column.push(value);
        }
        for (column, (at, _)) in self.columns[5..].iter_mut().zip(&plan.features) {
            column.push(number(*at)?);
        }
        Ok(())
    }

    fn flush(
        &mut self,
        plan: &Plan,
        table: &mut FeatureTable,
        path: &Path,
    ) -> Result<(), DataError> {
        let fixed = ["game", "stage", "side", "points", "score"].map(str::to_owned);
        let features = plan.features.iter().map(|(_, name)| format!("{FEATURE}{name}"));
        let columns = self
            .columns
            .iter_mut()
            .map(|column| Arc::new(Float64Array::from(std::mem::take(column))) as ArrayRef);
        let record = RecordBatch::try_from_iter(fixed.into_iter().chain(features).zip(columns))
            .map_err(|e| super::unreadable(path, &e))?;
        let names: Vec<&str> = plan.features.iter().map(|(_, name)| name.as_str()).collect();
        append(table, &record, &names, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &[u8]) -> Result<FeatureTable, DataError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("table.csv");
        std::fs::write(&path, text).unwrap();
        read_feature_text(&path)
    }

    #[test]
    fn tables_of_many_kinds_are_read() {
        let full = "game,stage,side,points,score,feature.a,feature.\"b\",note\n\
                    7,3,1,0.5,0,1.5,-2,x\n7,4,0,1,6,0,1e3,\"y, \"\"z\"\"\"\n";
        let table = read(full.as_bytes()).unwrap();
        assert_eq!(table.columns.names(), ["a", "\"b\""]);
        assert_eq!((table.games, table.scores), (vec![0, 0], vec![0, 6]));
        assert_eq!((table.points, table.columns.column(1)), (vec![0.5, 1.0], &[-2.0, 1000.0][..]));

        let bare = "fen\tresult\tgame\tmaterial\n8/8 w\t1-0\tg1\t-350\n\n8/9 w\t0-1\tg2\t12\n";
        let table = read(bare.as_bytes()).unwrap();
        assert_eq!(table.columns.names(), ["material"]);
        assert_eq!((table.games, table.points), (vec![0, 1], vec![1.0, 0.0]));
        assert_eq!(table.scores, [1, -1]);

        let least = read(b"result,x\n-1,2\n0,3\n1,4\n").unwrap();
        assert_eq!((least.points, least.games), (vec![0.0, 0.5, 1.0], vec![0, 1, 2]));
    }

    #[test]
    fn faults_name_line_and_column() {
        for (text, words) in [
            ("", "line 1: it is empty"),
            ("a,b\n1,2\n", "called points or result"),
            ("result,a\n", "no row"),
            ("result,a\n1,x\n", "no column holds a feature"),
            ("result,a\n1,2\n2,3\n", "line 3: \"2\" in column \"result\""),
            ("result,a\n1,2\n1,x\n", "line 3: \"x\" in column \"a\""),
            ("result,a\n1,2\n1\n", "line 3: 1 cells under 2 names"),
            ("points,a\n2,2\n", "points lie between"),
            ("result,a\n1,inf\n", "features are finite"),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(words), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn nothing_read_panics(
            bytes: Vec<u8>, like in "result,(a|game|stage)(,b)?\n([01\",-]{0,6}\n?){0,5}"
        ) {
            let _ = read(&bytes);
            let _ = read(like.as_bytes());
        }
    }
}
