//! A user's own table: features and results from a CSV file, no game needed.
//!
//! The first line names the columns; values are numbers, fields may be quoted.
//! Every fault is told with its file, line and column.

use crate::LabError;
use evalsmith_core::{Side, Stage};
use evalsmith_data::{FeatureTable, Hasher};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Which column is what; all others are features unless some are named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CsvColumns {
    /// The result for the side to move: 1, 0.5 or 0.
    pub label: String,
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
pub struct CsvTable {
    /// Its rows.
    pub table: FeatureTable,
    /// One more than the largest stage.
    pub stages: usize,
    /// A digest of all its lines.
    pub digest: String,
}

/// Reads a table.
///
/// # Errors
/// When the file cannot be read, a column is missing, or a value is not a number
/// in its range.
pub fn read_csv(path: &Path, columns: &CsvColumns) -> Result<CsvTable, LabError> {
    let file = File::open(path).map_err(LabError::io(path))?;
    read(BufReader::new(file), path, columns)
}

fn read(lines: impl BufRead, path: &Path, columns: &CsvColumns) -> Result<CsvTable, LabError> {
    let fault = |line: usize, reason: String| LabError::Unreadable {
        path: path.to_owned(),
        reason: format!("line {line}: {reason}"),
    };
    let mut hasher = Hasher::new();
    let mut lines = lines.lines().enumerate().map(|(i, line)| (i + 1, line));
    let header = match lines.next() {
        Some((_, line)) => line.map_err(LabError::io(path))?,
        None => {
            return Err(fault(1, "the file is empty; its first line must name the columns".into()));
        }
    };
    hasher.write(header.as_bytes());
    let names = fields(header.trim_start_matches('\u{feff}'));
    let places = Places::find(&names, columns).map_err(|reason| fault(1, reason))?;

    let mut table = FeatureTable::new(places.features.iter().map(|&i| names[i].clone()).collect());
    let mut games: HashMap<String, u32> = HashMap::new();
    let mut stages = 1;
    let mut row = Vec::with_capacity(places.features.len());
    for (line, text) in lines {
        let text = text.map_err(LabError::io(path))?;
        if text.trim().is_empty() {
            continue;
        }
        hasher.write(text.as_bytes());
        let values = fields(&text);
        if values.len() != names.len() {
            let (found, expected) = (values.len(), names.len());
            let reason =
                format!("it has {found} fields, but the first line names {expected} columns");
            return Err(fault(line, reason));
        }
        let number = |i: usize, what: &str| {
            let wrong = || {
                fault(line, format!("column {:?} holds {:?}; write {what}", names[i], values[i]))
            };
            values[i].trim().parse::<f32>().ok().filter(|x| x.is_finite()).ok_or_else(wrong)
        };
        let whole = |i: usize, low: f32, high: f32| {
            let what = format!("a whole number from {low} to {high}");
            let x = number(i, &what)?;
            if x.fract() == 0.0 && (low..=high).contains(&x) {
                return Ok(x);
            }
            Err(fault(line, format!("column {:?} holds {x}; write {what}", names[i])))
        };
        row.clear();
        for &i in &places.features {
            row.push(number(i, "a finite number, or leave the row out")?);
        }
        let points = number(places.label, "1 (win), 0.5 (draw) or 0 (loss)")?;
        if !(0.0..=1.0).contains(&points) {
            let reason = format!(
                "column {:?} holds {points}; results are 1 (win), 0.5 (draw) and 0 (loss)",
                names[places.label]
            );
            return Err(fault(line, reason));
        }
        let stage = places.stage.map_or(Ok(0.0), |i| whole(i, 0.0, 255.0))?;
        let score = places.score.map_or(Ok(0.0), |i| whole(i, -32768.0, 32767.0))?;
        let known = u32::try_from(games.len()).unwrap_or(u32::MAX);
        let game = match places.game {
            Some(i) => *games.entry(values[i].trim().to_owned()).or_insert(known),
            None => u32::try_from(table.len()).unwrap_or(u32::MAX),
        };
        table.columns.push(&row);
        table.stages.push(Stage(stage as u8));
        table.points.push(points);
        table.scores.push(score as i16);
        table.searched.push(None);
        table.sides.push(Side::First);
        table.games.push(game);
        stages = stages.max(stage as usize + 1);
    }
    if table.is_empty() {
        return Err(fault(2, "there are no rows below the names of the columns".into()));
    }
    Ok(CsvTable { table, stages, digest: hasher.finish().to_string() })
}

/// Where the columns stand.
struct Places {
    label: usize,
    game: Option<usize>,
    stage: Option<usize>,
    score: Option<usize>,
    features: Vec<usize>,
}

impl Places {
    fn find(names: &[String], columns: &CsvColumns) -> Result<Self, String> {
        if let Some(twice) = names.iter().enumerate().find(|(i, n)| names[..*i].contains(n)) {
            return Err(format!("two columns are called {:?}; rename one", twice.1));
        }
        let place = |name: &String| {
            names.iter().position(|n| n == name).ok_or_else(|| {
                format!("there is no column {name:?}; the columns are {}", names.join(", "))
            })
        };
        let optional = |name: &Option<String>| name.as_ref().map(place).transpose();
        let (label, game) = (place(&columns.label)?, optional(&columns.game)?);
        let (stage, score) = (optional(&columns.stage)?, optional(&columns.score)?);
        let taken = [Some(label), game, stage, score];
        let features: Vec<usize> = if columns.features.is_empty() {
            (0..names.len()).filter(|i| !taken.contains(&Some(*i))).collect()
        } else {
            columns.features.iter().map(place).collect::<Result<_, _>>()?
        };
        if features.is_empty() {
            return Err("no column is left for a feature; add some".into());
        }
        Ok(Self { label, game, stage, score, features })
    }
}

/// The fields of a line; a quoted one may hold commas, and `""` for a quote.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.trim_end_matches('\r').chars().peekable();
    while let Some(letter) = letters.next() {
        let field = fields.last_mut().expect("there is always one");
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                field.push('"');
                letters.next();
            }
            '"' if quoted || field.trim().is_empty() => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => field.push(other),
        }
    }
    fields.into_iter().map(|f| f.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> CsvColumns {
        CsvColumns {
            label: "result".into(),
            game: Some("game".into()),
            stage: Some("move".into()),
            score: None,
            features: Vec::new(),
        }
    }

    fn parse(text: &str) -> Result<CsvTable, String> {
        read(text.as_bytes(), Path::new("my.csv"), &columns()).map_err(|e| e.to_string())
    }

    #[test]
    fn a_table_is_read_with_quotes_and_line_ends_of_any_kind() {
        let text = "\u{feff}game,move,\"king, safety\",result,x\r\nA,3,1.5,1,2\r\nB,4,-1,0.5,1e2\r\n\r\nA,0,0,0,0\r\n";
        let found = parse(text).expect("a table");
        assert_eq!(found.table.columns.names(), ["king, safety", "x"]);
        assert_eq!(found.table.columns.column(1), [2.0, 100.0, 0.0]);
        assert_eq!(found.table.games, [0, 1, 0]);
        assert_eq!((found.stages, found.table.points), (5, vec![1.0, 0.5, 0.0]));
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
            (
                "game,move,result,x\n1,1,1,NaN\n",
                "column \"x\" holds \"NaN\"; write a finite number",
            ),
            ("game,move,result,x\n1,1,1,inf\n", "column \"x\" holds \"inf\""),
            ("game,move,result,x\n1,999,1,0\n", "column \"move\" holds 999; write a whole number"),
            ("game,move,result,x\n", "there are no rows"),
        ];
        for (text, expected) in faults {
            let message = parse(text).expect_err(expected);
            assert!(message.contains(expected), "{message:?} does not say {expected:?}");
        }
    }
}
