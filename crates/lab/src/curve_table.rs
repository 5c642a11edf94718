//! Curves of a table: values, results and properties from anywhere, read once: in
//! constant memory for one drawing, or [kept](KeptTable) for several.

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
    /// The game a row belongs to; by default the column `game` where there is one, and
    /// else every row is a game.
    pub game: Option<String>,
    /// Who is to move, where values are the mover's; without it they are the first
    /// player's.
    pub side: Option<String>,
    /// The word for the first player in the columns of results and sides.
    pub first: Option<String>,
}

impl TableSource {
    /// Opens the table, to be read once.
    pub(crate) fn open(&self) -> Result<OpenTable, LabError> {
        let sheet = Sheet::open(&self.path)?;
        let usual = || sheet.names().iter().find(|name| *name == "game").cloned();
        let source = Self { game: self.game.clone().or_else(usual), ..self.clone() };
        Ok(OpenTable { sheet, source })
    }

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

/// A table that is open, with the column of games found.
pub(crate) struct OpenTable {
    pub(crate) sheet: Sheet,
    pub(crate) source: TableSource,
}

impl OpenTable {
    /// Reads the rows and calls `push` for every one with the first player's value, the
    /// half points, the game and what the expressions give.
    pub(crate) fn read_rows(
        self,
        expressions: &[Expression],
        progress: &dyn Progress,
        mut push: impl FnMut(f64, u8, u64, &[f64]),
    ) -> Result<Faults, LabError> {
        let Self { sheet, source } = self;
        let columns = source.columns(&names_of(expressions));
        read_batches(sheet, &columns, progress, |batch| {
            push_rows(&source, &columns, expressions, &batch, &mut push);
            Ok(())
        })
    }

    /// Reads the rows with the columns of these names and keeps them.
    pub(crate) fn keep(
        self,
        names: &[String],
        progress: &dyn Progress,
    ) -> Result<KeptTable, LabError> {
        let Self { sheet, source } = self;
        let columns = source.columns(names);
        let mut batches = Vec::new();
        let faults = read_batches(sheet, &columns, progress, |batch| {
            batches.push(batch);
            Ok(())
        })?;
        Ok(KeptTable { source, columns, batches, faults })
    }
}

/// The columns of a table that are wanted, read once and held in memory.
pub(crate) struct KeptTable {
    pub(crate) source: TableSource,
    columns: SheetColumns,
    batches: Vec<SheetBatch>,
    faults: Faults,
}

impl KeptTable {
    /// Calls `push` for every row, as [`OpenTable::read_rows`] does, and says what could not
    /// be read of what it takes.
    pub(crate) fn rows(
        &self,
        expressions: &[Expression],
        mut push: impl FnMut(f64, u8, u64, &[f64]),
    ) -> Faults {
        for batch in &self.batches {
            push_rows(&self.source, &self.columns, expressions, batch, &mut push);
        }
        self.faults.among(&self.source.columns(&names_of(expressions)).numbers)
    }

    /// Draws the curves of a value of the kept columns.
    pub(crate) fn draw(
        &self,
        value: &Expression,
        plan: &TablePlan,
    ) -> Result<TableCurves, LabError> {
        let source = TableSource { value: value.clone(), ..self.source.clone() };
        let mut counting = Counting::new(&source, &self.columns, plan);
        for batch in &self.batches {
            counting.add(batch.clone())?;
        }
        let wanted = source.columns(&names_of(&plan.conditions));
        counting.curves(&self.faults.among(&wanted.numbers))
    }
}

/// Reads a table batch by batch, until somebody asks to stop.
fn read_batches(
    sheet: Sheet,
    columns: &SheetColumns,
    progress: &dyn Progress,
    mut visit: impl FnMut(SheetBatch) -> Result<(), LabError>,
) -> Result<Faults, LabError> {
    progress.begin("reading", 0, "rows");
    let faults = sheet.read(columns, |batch| {
        if progress.stopped() {
            return Err(LabError::Abandoned);
        }
        progress.advance(batch.len() as u64);
        visit(batch)
    })?;
    progress.end();
    Ok(faults)
}

fn push_rows(
    source: &TableSource,
    columns: &SheetColumns,
    expressions: &[Expression],
    batch: &SheetBatch,
    push: &mut impl FnMut(f64, u8, u64, &[f64]),
) {
    let values = source.values(columns, batch);
    let inputs: Vec<_> = expressions.iter().map(|e| evaluate(e, columns, batch)).collect();
    let mut row = vec![0.0; expressions.len()];
    for (at, value) in values.into_iter().enumerate() {
        row.iter_mut().zip(&inputs).for_each(|(cell, input)| *cell = input[at]);
        push(value, batch.half_points[at], batch.games[at], &row);
    }
}

/// The columns that expressions ask for, each once.
pub(crate) fn names_of<'e>(expressions: impl IntoIterator<Item = &'e Expression>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in expressions.into_iter().flat_map(Expression::names) {
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
    let OpenTable { sheet, source } = source.open()?;
    let columns = source.columns(&names_of(&plan.conditions));
    let mut counting = Counting::new(&source, &columns, plan);
    let faults = read_batches(sheet, &columns, progress, |batch| counting.add(batch))?;
    counting.curves(&faults)
}

struct Piece {
    values: Vec<f64>,
    batch: SheetBatch,
    properties: Vec<Vec<f64>>,
}

/// Counts; the first rows wait until the width of bins is known.
struct Counting<'p> {
    source: &'p TableSource,
    columns: &'p SheetColumns,
    plan: &'p TablePlan,
    /// Of the columns that conditions ask for.
    places: Vec<usize>,
    counter: Option<CurveCounter>,
    first: Vec<Piece>,
    rows: usize,
}

impl<'p> Counting<'p> {
    fn new(source: &'p TableSource, columns: &'p SheetColumns, plan: &'p TablePlan) -> Self {
        let wanted = names_of(&plan.conditions);
        let place = |name: &String| columns.numbers.iter().position(|n| n == name);
        let places = wanted.iter().filter_map(place).collect();
        Self { source, columns, plan, places, counter: None, first: Vec::new(), rows: 0 }
    }

    fn add(&mut self, mut batch: SheetBatch) -> Result<(), LabError> {
        let values = self.source.values(self.columns, &batch);
        let properties =
            self.places.iter().map(|&at| std::mem::take(&mut batch.numbers[at])).collect();
        let piece = Piece { values, batch, properties };
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

    fn finish(&mut self) -> Result<Counted, LabError> {
        if self.counter.is_none() {
            self.begin()?;
        }
        let counter = self.counter.take().expect("counting has begun");
        Ok(counter.finish()?)
    }

    /// The curves of all rows, of which some cells could not be read.
    fn curves(mut self, faults: &Faults) -> Result<TableCurves, LabError> {
        let notes: Vec<String> =
            Some(faults.to_text()).filter(|text| !text.is_empty()).into_iter().collect();
        let counted = self.finish().map_err(|error| match &notes[..] {
            [dropped] => {
                let reason = format!("{error} ({dropped})");
                LabError::Unreadable { path: self.source.path.clone(), reason }
            }
            _ => error,
        })?;
        Ok(told(self.source.facts(faults.rows), counted, notes))
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
