//! Curves of a table: values, results and properties from anywhere, read once and
//! in constant memory.

use crate::LabError;
use crate::fit::bulk;
use evalsmith_core::Progress;
use evalsmith_curves::{
    Counted, Curve, CurveCounter, CurveParams, Drawn, Draws, Expression, Split, TableRows, split,
};
use evalsmith_data::{Faults, Sheet, SheetBatch, SheetColumns};
use serde::Serialize;
use std::path::PathBuf;

/// Rows looked at to choose the width of bins.
const FIRST_ROWS: usize = 1 << 18;

/// A table and what its columns mean.
#[derive(Clone, Debug)]
pub struct TableSource {
    /// The file.
    pub path: PathBuf,
    /// The value: a column or a formula of columns.
    pub value: Expression,
    /// How the game ended.
    pub result: String,
    /// The game a row belongs to; without it every row is a game.
    pub game: Option<String>,
    /// Who is to move, where values are the mover's; without it they are the first
    /// player's.
    pub side: Option<String>,
    /// The word for the first player in the columns of results and sides.
    pub first: Option<String>,
}

impl TableSource {
    pub(crate) fn columns(&self, more: &[String]) -> SheetColumns {
        let mut numbers = self.value.names().to_vec();
        numbers.extend(more.iter().filter(|name| !self.value.names().contains(name)).cloned());
        SheetColumns {
            numbers,
            result: self.result.clone(),
            game: self.game.clone(),
            side: self.side.clone(),
            first: self.first.clone(),
        }
    }

    /// The first player's values of a batch.
    fn values(&self, columns: &SheetColumns, batch: &SheetBatch) -> Vec<f64> {
        let mut values = evaluate(&self.value, columns, batch);
        for (value, second) in values.iter_mut().zip(&batch.second_to_move) {
            if *second {
                *value = -*value;
            }
        }
        values
    }

    /// What a report says of the source.
    pub(crate) fn facts(&self, rows: u64) -> Vec<(String, String)> {
        let view = match &self.side {
            Some(side) => format!("{}, the mover's by column {side:?}", self.value),
            None => format!("{}, the first player's", self.value),
        };
        let games = match &self.game {
            Some(game) => format!("told by column {game:?}"),
            None => "every row is a game of its own".to_owned(),
        };
        [
            ("table", self.path.display().to_string()),
            ("rows", rows.to_string()),
            ("values", view),
            ("results", format!("column {:?}", self.result)),
            ("games", games),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }
}

/// The values of an expression over a batch whose numbers are those of `columns`.
fn evaluate(expression: &Expression, columns: &SheetColumns, batch: &SheetBatch) -> Vec<f64> {
    let inputs = inputs(expression.names(), columns, batch);
    let mut values = vec![0.0; batch.len()];
    expression.values(&inputs, &mut values);
    values
}

fn inputs<'b>(names: &[String], columns: &SheetColumns, batch: &'b SheetBatch) -> Vec<&'b [f64]> {
    let place = |name| columns.numbers.iter().position(|n| n == name).expect("a wanted column");
    names.iter().map(|name| &batch.numbers[place(name)][..]).collect()
}

/// Reads a table and calls `push` for every row with the first player's value, the
/// half points, the game and what the expressions give.
pub(crate) fn read_rows(
    sheet: &Sheet,
    source: &TableSource,
    expressions: &[Expression],
    progress: &dyn Progress,
    mut push: impl FnMut(f64, u8, u64, &[f64]),
) -> Result<Faults, LabError> {
    let columns = source.columns(&names_of(expressions));
    let mut row = vec![0.0; expressions.len()];
    progress.begin("reading", 0, "rows");
    let faults = sheet.read(&columns, |batch| {
        if progress.stopped() {
            return Err(LabError::Abandoned);
        }
        progress.advance(batch.len() as u64);
        let values = source.values(&columns, &batch);
        let inputs: Vec<_> = expressions.iter().map(|e| evaluate(e, &columns, &batch)).collect();
        for (at, value) in values.into_iter().enumerate() {
            row.iter_mut().zip(&inputs).for_each(|(cell, input)| *cell = input[at]);
            push(value, batch.half_points[at], batch.games[at], &row);
        }
        Ok(())
    })?;
    progress.end();
    Ok(faults)
}

/// The columns that expressions ask for, each once.
fn names_of(expressions: &[Expression]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in expressions.iter().flat_map(Expression::names) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// How the curves of a table are drawn.
#[derive(Clone, Debug)]
pub struct TablePlan {
    /// The width of a bin; without one, about forty bins over nearly all values.
    pub bin_width: Option<f64>,
    /// Bins with fewer positions are left out; by default, fewer than
    /// [`CurveParams::usual_min_count`].
    pub min_count: Option<u64>,
    /// What becomes of drawn games.
    pub draws: Draws,
    /// The conditions, one curve each beside the total one.
    pub conditions: Vec<Expression>,
}

impl TablePlan {
    /// The width of its bins, by values that stand for all.
    pub(crate) fn bin_width(&self, values: &[f64]) -> Result<f64, LabError> {
        if let Some(width) = self.bin_width {
            return Ok(width);
        }
        let (low, high) = bulk(values);
        Ok(CurveParams::auto(low, high)?.bin_width)
    }

    /// The settings of its curves, by the number of positions.
    pub(crate) fn params(&self, bin_width: f64, positions: usize) -> CurveParams {
        let usual = || CurveParams::usual_min_count(positions as u64);
        CurveParams {
            bin_width,
            min_count: self.min_count.unwrap_or_else(usual),
            draws: self.draws,
        }
    }
}

/// The curves of a table.
#[derive(Clone, Debug, Serialize)]
pub struct TableCurves {
    /// Where they come from, name and value.
    pub provenance: Vec<(String, String)>,
    /// Over all rows.
    pub total: Curve,
    /// Over the rows where each condition holds.
    pub conditions: Vec<ConditionedCurve>,
    /// What was dropped or cannot be drawn, in words.
    pub notes: Vec<String>,
}

/// The curve of a condition beside the total one.
#[derive(Clone, Debug, Serialize)]
pub struct ConditionedCurve {
    /// The condition.
    pub condition: String,
    /// The curve.
    pub curve: Curve,
    /// How far it lies from the total one; none where that cannot be told.
    pub split: Option<Split>,
}

/// Draws the total curve and the conditioned ones.
///
/// # Errors
/// When the table cannot be read, a column is missing, or no bin of the total curve
/// holds enough positions.
pub fn draw_table(
    source: &TableSource,
    plan: &TablePlan,
    progress: &dyn Progress,
) -> Result<TableCurves, LabError> {
    let sheet = Sheet::open(&source.path)?;
    let wanted = names_of(&plan.conditions);
    let columns = source.columns(&wanted);
    progress.begin("counting", 0, "rows");
    let mut counting = Counting { plan, counter: None, first: Vec::new(), rows: 0 };
    let places: Vec<usize> =
        wanted.iter().filter_map(|name| columns.numbers.iter().position(|n| n == name)).collect();
    let faults = sheet.read(&columns, |mut batch| {
        if progress.stopped() {
            return Err(LabError::Abandoned);
        }
        progress.advance(batch.len() as u64);
        let values = source.values(&columns, &batch);
        let properties = places.iter().map(|&at| std::mem::take(&mut batch.numbers[at])).collect();
        counting.add(Piece { values, batch, properties })
    })?;
    progress.end();
    let notes: Vec<String> =
        Some(faults.to_text()).filter(|text| !text.is_empty()).into_iter().collect();
    let counted = counting.finish().map_err(|error| match &notes[..] {
        [dropped] => {
            let reason = format!("{error} ({dropped})");
            LabError::Unreadable { path: source.path.clone(), reason }
        }
        _ => error,
    })?;
    Ok(told(source.facts(faults.rows), counted, notes))
}

struct Piece {
    values: Vec<f64>,
    batch: SheetBatch,
    properties: Vec<Vec<f64>>,
}

/// Counts; the first rows wait until the width of bins is known.
struct Counting<'p> {
    plan: &'p TablePlan,
    counter: Option<CurveCounter>,
    first: Vec<Piece>,
    rows: usize,
}

impl Counting<'_> {
    fn add(&mut self, piece: Piece) -> Result<(), LabError> {
        if let Some(counter) = &mut self.counter {
            return count(counter, &piece);
        }
        self.rows += piece.values.len();
        self.first.push(piece);
        if self.rows >= FIRST_ROWS { self.begin() } else { Ok(()) }
    }

    fn begin(&mut self) -> Result<(), LabError> {
        let values: Vec<f64> = self.first.iter().flat_map(|piece| &piece.values).copied().collect();
        let params = self.plan.params(self.plan.bin_width(&values)?, self.rows);
        let mut counter = CurveCounter::new(&params, &self.plan.conditions)?;
        for piece in self.first.drain(..) {
            count(&mut counter, &piece)?;
        }
        self.counter = Some(counter);
        Ok(())
    }

    fn finish(mut self) -> Result<Counted, LabError> {
        if self.counter.is_none() {
            self.begin()?;
        }
        let counter = self.counter.expect("counting has begun");
        Ok(counter.finish()?)
    }
}

fn count(counter: &mut CurveCounter, piece: &Piece) -> Result<(), LabError> {
    Ok(counter.add(&TableRows {
        values: &piece.values,
        half_points: &piece.batch.half_points,
        games: &piece.batch.games,
        columns: &piece.properties,
    })?)
}

/// The curves that were counted, with how far each lies from the total one.
pub(crate) fn told(
    provenance: Vec<(String, String)>,
    counted: Counted,
    mut notes: Vec<String>,
) -> TableCurves {
    let splits = split(&counted);
    let conditioned = |(drawn, split): (Drawn, Option<Split>)| {
        let condition = drawn.condition.map_or_else(String::new, |c| c.to_string());
        ConditionedCurve { condition, curve: drawn.curve, split }
    };
    let conditions: Vec<_> = counted.conditioned.into_iter().zip(splits).map(conditioned).collect();
    for ConditionedCurve { condition, curve, .. } in &conditions {
        if curve.positions == 0 {
            notes.push(format!("{condition} never holds"));
        } else if curve.drawn().next().is_none() {
            let largest = curve.bins.iter().map(|bin| bin.count).max().unwrap_or(0);
            notes.push(format!(
                "{condition}: every bin holds fewer than {} positions, the fullest {largest}",
                curve.params.min_count
            ));
        }
    }
    TableCurves { provenance, total: counted.total.curve, conditions, notes }
}
