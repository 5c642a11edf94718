//! Rows in memory: columns as Arrow holds them, rows as the code reads them.
//!
//! Invariant: a [`Batch`] holds only what its columns can mean (checked when it
//! is read), so that walking its rows cannot fail.

use crate::DataError;
use arrow_array::builder::{Float32Builder, Int16Builder};
use arrow_array::{
    Array, BinaryArray, Float32Array, Int8Array, Int16Array, RecordBatch, StringArray, UInt8Array,
    UInt16Array, UInt32Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Schema};
use evalsmith_core::{Outcome, Side, Stage};
use std::path::Path;

/// What a label column's name begins with.
pub(crate) const LABEL: &str = "label.";

/// The columns every part has: name, type, and whether cells may be null.
const COLUMNS: [(&str, DataType, bool); 8] = [
    ("game", DataType::UInt32, false),
    ("ply", DataType::UInt16, false),
    ("stage", DataType::UInt8, false),
    ("side", DataType::UInt8, false),
    ("position", DataType::Binary, false),
    ("move", DataType::Utf8, true),
    ("result", DataType::Int8, true),
    ("score", DataType::Int16, true),
];

/// One position of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// Index of the game within the dataset.
    pub game: u32,
    /// Half-moves played before the position.
    pub ply: u16,
    /// The position's stage.
    pub stage: Stage,
    /// The side to move.
    pub side: Side,
    /// The packed position.
    pub position: &'a [u8],
    /// The move played, unless the game was ended here.
    pub mv: Option<&'a str>,
    /// How the game ended, for the side to move; none where nobody told.
    pub outcome: Option<Outcome>,
}

/// Some rows of a dataset, by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    pub(crate) game: UInt32Array,
    pub(crate) ply: UInt16Array,
    pub(crate) stage: UInt8Array,
    pub(crate) side: UInt8Array,
    pub(crate) position: BinaryArray,
    pub(crate) mv: StringArray,
    pub(crate) score: Int16Array,
    pub(crate) labels: Vec<(String, Float32Array)>,
}

impl Batch {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.game.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row `i`.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Batch::len).
    pub fn row(&self, i: usize) -> Row<'_> {
        Row {
            game: self.game.value(i),
            ply: self.ply.value(i),
            stage: Stage(self.stage.value(i)),
            side: if self.side.value(i) == 0 { Side::First } else { Side::Second },
            position: self.position.value(i),
            mv: self.mv.is_valid(i).then(|| self.mv.value(i)),
            outcome: self.score.is_valid(i).then(|| Outcome::by(self.score.value(i))),
        }
    }

    /// All rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.len()).map(|i| self.row(i))
    }

    /// The names of the labels, without the prefix `label.`.
    pub fn label_names(&self) -> impl Iterator<Item = &str> {
        self.labels.iter().map(|(name, _)| name.as_str())
    }

    /// One label of every row, or `None` when the dataset has no such label.
    pub fn label(&self, name: &str) -> Option<impl ExactSizeIterator<Item = Option<f32>>> {
        let (_, values) = self.labels.iter().find(|(known, _)| known == name)?;
        Some(values.iter())
    }

    /// The labels of row `i`, in the order of the given names; null where the
    /// dataset has no such label.
    ///
    /// # Panics
    /// When `i` is not below [`len`](Batch::len).
    pub fn labels_of<'a>(
        &self,
        i: usize,
        names: impl IntoIterator<Item = &'a str>,
        values: &mut Vec<Option<f32>>,
    ) {
        values.clear();
        values.extend(names.into_iter().map(|name| {
            let (_, column) = self.labels.iter().find(|(known, _)| known == name)?;
            column.is_valid(i).then(|| column.value(i))
        }));
    }

    /// The same rows with one label more.
    ///
    /// # Panics
    /// When there is not one value per row.
    pub(crate) fn with_label(mut self, name: &str, values: Vec<f32>) -> Self {
        assert_eq!(values.len(), self.len(), "one value per row");
        self.labels.push((name.to_owned(), Float32Array::from(values)));
        self
    }

    /// So many rows from `at` on.
    pub(crate) fn slice(&self, at: usize, rows: usize) -> Self {
        let label =
            |(name, values): &(String, Float32Array)| (name.clone(), values.slice(at, rows));
        Self {
            game: self.game.slice(at, rows),
            ply: self.ply.slice(at, rows),
            stage: self.stage.slice(at, rows),
            side: self.side.slice(at, rows),
            position: self.position.slice(at, rows),
            mv: self.mv.slice(at, rows),
            score: self.score.slice(at, rows),
            labels: self.labels.iter().map(label).collect(),
        }
    }

    /// The columns as Parquet's readers give them back.
    #[cfg(test)]
    pub(crate) fn to_record(&self) -> RecordBatch {
        use std::sync::Arc;
        let result: Int8Array = self.score.unary(|score| score.signum() as i8);
        let mut columns: Vec<arrow_array::ArrayRef> = vec![
            Arc::new(self.game.clone()),
            Arc::new(self.ply.clone()),
            Arc::new(self.stage.clone()),
            Arc::new(self.side.clone()),
            Arc::new(self.position.clone()),
            Arc::new(self.mv.clone()),
            Arc::new(result),
            Arc::new(self.score.clone()),
        ];
        columns.extend(
            self.labels.iter().map(|(_, values)| Arc::new(values.clone()) as arrow_array::ArrayRef),
        );
        let schema = Arc::new(schema(self.label_names()));
        RecordBatch::try_new(schema, columns).expect("columns of one length in the schema's order")
    }

    /// Checks what a Parquet file held; `first` is its first row's place in the file.
    pub(crate) fn from_record(
        record: &RecordBatch,
        path: &Path,
        first: usize,
    ) -> Result<Self, DataError> {
        check_schema(record.schema_ref(), std::iter::empty(), path)?;
        let schema = record.schema();
        let labels = schema
            .fields()
            .iter()
            .filter_map(|field| Some((field, field.name().strip_prefix(LABEL)?)))
            .map(|(field, name)| (name.to_owned(), column(record, field.name())))
            .collect();
        let batch = Self {
            game: column(record, "game"),
            ply: column(record, "ply"),
            stage: column(record, "stage"),
            side: column(record, "side"),
            position: column(record, "position"),
            mv: column(record, "move"),
            score: column(record, "score"),
            labels,
        };
        let result: Int8Array = column(record, "result");
        batch.check_cells(record, &result).map_err(|(column, row, found, remedy)| {
            let (path, column) = (path.to_owned(), column.to_owned());
            DataError::Value { path, column, row: first + row, found, remedy }
        })?;
        Ok(batch)
    }

    fn check_cells(
        &self,
        record: &RecordBatch,
        result: &Int8Array,
    ) -> Result<(), (&'static str, usize, String, &'static str)> {
        for (name, _, nullable) in COLUMNS {
            let cells = record.column_by_name(name).expect("the schema was checked");
            if !nullable && let Some(row) = (0..cells.len()).find(|&row| cells.is_null(row)) {
                return Err((
                    name,
                    row,
                    "null".to_owned(),
                    "only moves and results may be missing",
                ));
            }
        }
        for row in 0..self.len() {
            let side = self.side.value(row);
            if side > 1 {
                return Err(("side", row, side.to_string(), "0 is the first player, 1 the second"));
            }
            match (result.is_valid(row), self.score.is_valid(row)) {
                (true, true) => {}
                (false, false) => continue,
                _ => {
                    let found = "one of result and score".to_owned();
                    return Err(("result", row, found, "both are known, or neither"));
                }
            }
            let (result, score) = (result.value(row), self.score.value(row));
            if i16::from(result) != score.signum() {
                let found = format!("{result} beside a score of {score}");
                return Err(("result", row, found, "the result is the sign of the score"));
            }
            // Its negative would not fit, and outcomes are negated between players.
            if score == i16::MIN {
                return Err(("score", row, score.to_string(), "scores lie within ±32767"));
            }
        }
        Ok(())
    }
}

/// A column whose type [`check_schema`] has established.
fn column<A: Array + Clone + 'static>(record: &RecordBatch, name: &str) -> A {
    record
        .column_by_name(name)
        .and_then(|column| column.as_any().downcast_ref::<A>())
        .expect("the schema was checked")
        .clone()
}

/// The schema of a part with these labels.
pub(crate) fn schema<'a>(labels: impl Iterator<Item = &'a str>) -> Schema {
    let fixed = COLUMNS.into_iter().map(|(name, kind, null)| Field::new(name, kind, null));
    let labels = labels.map(|name| Field::new(format!("{LABEL}{name}"), DataType::Float32, true));
    Schema::new(fixed.chain(labels).collect::<Vec<_>>())
}

/// Checks that a file has the fixed columns and these labels, with their types.
pub(crate) fn check_schema<'a>(
    found: &Schema,
    labels: impl Iterator<Item = &'a str>,
    path: &Path,
) -> Result<(), DataError> {
    for wanted in schema(labels).fields() {
        if found.field_with_name(wanted.name()).is_err() {
            let (path, column) = (path.to_owned(), wanted.name().clone());
            return Err(DataError::MissingColumn { path, column });
        }
    }
    for field in found.fields() {
        let name = field.name();
        let known =
            COLUMNS.iter().find(|(known, ..)| known == name).map(|(_, kind, _)| kind.clone());
        let wanted = known.or_else(|| name.starts_with(LABEL).then_some(DataType::Float32));
        if let Some(wanted) = wanted
            && *field.data_type() != wanted
        {
            return Err(DataError::WrongType {
                path: path.to_owned(),
                column: name.clone(),
                found: field.data_type().to_string(),
                wanted: wanted.to_string(),
            });
        }
    }
    Ok(())
}

/// Collects rows into a [`Batch`].
#[derive(Debug, Default)]
pub struct BatchBuilder {
    game: Vec<u32>,
    ply: Vec<u16>,
    stage: Vec<u8>,
    side: Vec<u8>,
    /// The positions one behind another, and where each of them ends.
    position: Vec<u8>,
    position_ends: Vec<i32>,
    mv: String,
    mv_ends: Vec<i32>,
    has_move: Vec<bool>,
    score: Int16Builder,
    labels: Vec<(String, Float32Builder)>,
}

/// The cells of a row that are numbers, as in [`Row`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cells {
    pub(crate) game: u32,
    pub(crate) ply: u16,
    pub(crate) stage: Stage,
    pub(crate) side: Side,
    pub(crate) outcome: Option<Outcome>,
}

impl BatchBuilder {
    /// No rows yet, and these labels.
    pub fn new<'a>(labels: impl IntoIterator<Item = &'a str>) -> Self {
        let labels = labels.into_iter().map(|l| (l.to_owned(), Float32Builder::new())).collect();
        Self { labels, ..Self::default() }
    }

    /// As [`new`](BatchBuilder::new), with room for so many rows of `bytes` bytes
    /// to a position.
    pub(crate) fn with_room<'a>(
        labels: impl IntoIterator<Item = &'a str>,
        rows: usize,
        bytes: usize,
    ) -> Self {
        let label = |name: &str| (name.to_owned(), Float32Builder::with_capacity(rows));
        Self {
            game: Vec::with_capacity(rows),
            ply: Vec::with_capacity(rows),
            stage: Vec::with_capacity(rows),
            side: Vec::with_capacity(rows),
            position: Vec::with_capacity(rows * bytes),
            position_ends: Vec::with_capacity(rows),
            mv: String::with_capacity(rows * 4),
            mv_ends: Vec::with_capacity(rows),
            has_move: Vec::with_capacity(rows),
            score: Int16Builder::with_capacity(rows),
            labels: labels.into_iter().map(label).collect(),
        }
    }

    /// Appends a row with its labels, in the order given to [`new`](BatchBuilder::new).
    ///
    /// # Panics
    /// When there is not one value per label, or all rows have more than 2 GiB.
    pub fn push(&mut self, row: &Row<'_>, labels: &[Option<f32>]) {
        let Row { game, ply, stage, side, outcome, .. } = *row;
        let write = |position: &mut Vec<u8>, text: &mut String| {
            position.extend_from_slice(row.position);
            text.push_str(row.mv.unwrap_or_default());
            row.mv.is_some()
        };
        self.push_with(Cells { game, ply, stage, side, outcome }, labels, write);
    }

    /// Appends a row whose position and move are written where they stay; `write`
    /// appends to both and tells whether there is a move.
    pub(crate) fn push_with(
        &mut self,
        cells: Cells,
        labels: &[Option<f32>],
        write: impl FnOnce(&mut Vec<u8>, &mut String) -> bool,
    ) {
        assert_eq!(labels.len(), self.labels.len(), "one value per label");
        let place = |length: usize| i32::try_from(length).expect("a batch has less than 2 GiB");
        self.game.push(cells.game);
        self.ply.push(cells.ply);
        self.stage.push(cells.stage.0);
        self.side.push(cells.side.index() as u8);
        self.has_move.push(write(&mut self.position, &mut self.mv));
        self.position_ends.push(place(self.position.len()));
        self.mv_ends.push(place(self.mv.len()));
        self.score.append_option(cells.outcome.map(Outcome::margin));
        for ((_, column), &value) in self.labels.iter_mut().zip(labels) {
            column.append_option(value);
        }
    }

    /// The number of rows pushed.
    pub fn len(&self) -> usize {
        self.game.len()
    }

    /// Whether no row was pushed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows pushed.
    #[must_use]
    pub fn finish(mut self) -> Batch {
        let all_move = self.has_move.iter().all(|&has| has);
        let moves = (!all_move).then(|| NullBuffer::from(self.has_move));
        Batch {
            game: self.game.into(),
            ply: self.ply.into(),
            stage: self.stage.into(),
            side: self.side.into(),
            position: BinaryArray::new(offsets(&self.position_ends), self.position.into(), None),
            mv: StringArray::new(offsets(&self.mv_ends), self.mv.into_bytes().into(), moves),
            score: self.score.finish(),
            labels: self.labels.into_iter().map(|(n, mut values)| (n, values.finish())).collect(),
        }
    }
}

/// Where values begin and end that end here.
fn offsets(ends: &[i32]) -> OffsetBuffer<i32> {
    OffsetBuffer::new(std::iter::once(0).chain(ends.iter().copied()).collect())
}
