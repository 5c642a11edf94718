//! The rows as a table, positions in the game's own text.
//!
//! The columns are those of a dataset: `game`, `ply`, `stage`, `side`, `position`,
//! `move`, `result`, `score`, and every `label.<name>`.

use super::{Exported, Refusal, tick, unpack};
use crate::{DataError, Dataset, part};
use arrow_array::{
    ArrayRef, Float32Array, Int8Array, Int16Array, RecordBatch, StringArray, UInt8Array,
    UInt16Array, UInt32Array,
};
use evalsmith_core::{Game, Outcome, Progress};
use evalsmith_rules::DynGame;
use parquet::arrow::ArrowWriter;
use std::fmt::Display;
use std::io::Write;
use std::sync::Arc;

pub(super) fn text(
    game: &DynGame,
    dataset: &Dataset,
    comma: char,
    out: &mut impl Write,
    progress: &dyn Progress,
) -> Result<Exported, Refusal> {
    let names: Vec<&str> = dataset.manifest().label_names().collect();
    let mut header = vec!["game", "ply", "stage", "side", "position", "move", "result", "score"];
    let labels: Vec<String> = names.iter().map(|name| format!("label.{name}")).collect();
    header.extend(labels.iter().map(String::as_str));
    writeln!(out, "{}", header.join(&comma.to_string()))?;
    let (mut written, mut values) = (0, Vec::new());
    for batch in dataset.rows() {
        let batch = batch?;
        for (i, row) in batch.rows().enumerate() {
            let (position, side) = unpack(game, dataset, &row)?;
            let position = quoted(&game.format(&position, side), comma);
            let mv = quoted(row.mv.unwrap_or_default(), comma);
            let result = cell(row.outcome.map(|outcome| outcome.margin().signum()));
            let score = cell(row.outcome.map(Outcome::margin));
            let (stage, mover) = (row.stage.0, row.side.index());
            write!(out, "{}{comma}{}{comma}{stage}{comma}{mover}", row.game, row.ply)?;
            write!(out, "{comma}{position}{comma}{mv}{comma}{result}{comma}{score}")?;
            batch.labels_of(i, names.iter().copied(), &mut values);
            for value in &values {
                write!(out, "{comma}{}", cell(*value))?;
            }
            writeln!(out)?;
            written += 1;
        }
        tick(dataset, written, batch.len(), progress)?;
    }
    Ok(Exported { written, ..Exported::default() })
}

fn cell(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A cell that holds the comma or a quotation mark is quoted.
fn quoted(text: &str, comma: char) -> String {
    if text.contains([comma, '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

pub(super) fn parquet(
    game: &DynGame,
    dataset: &Dataset,
    out: &mut (impl Write + Send),
    progress: &dyn Progress,
) -> Result<Exported, Refusal> {
    let refuse = |reason: String| {
        Refusal::Data(DataError::Parquet { path: dataset.dir().to_owned(), reason })
    };
    let empty = columns(game, dataset, None)?;
    let mut writer = ArrowWriter::try_new(out, empty.schema(), Some(part::properties().build()))
        .map_err(|e| refuse(e.to_string()))?;
    let mut written = 0;
    for batch in dataset.rows() {
        let batch = batch?;
        let record = columns(game, dataset, Some(&batch))?;
        writer.write(&record).map_err(|e| refuse(e.to_string()))?;
        written += batch.len() as u64;
        tick(dataset, written, batch.len(), progress)?;
    }
    writer.close().map_err(|e| refuse(e.to_string()))?;
    Ok(Exported { written, ..Exported::default() })
}

fn columns(
    game: &DynGame,
    dataset: &Dataset,
    batch: Option<&crate::Batch>,
) -> Result<RecordBatch, DataError> {
    let rows: Vec<_> = batch.into_iter().flat_map(crate::Batch::rows).collect();
    let mut positions = Vec::with_capacity(rows.len());
    for row in &rows {
        let (position, side) = unpack(game, dataset, row)?;
        positions.push(game.format(&position, side));
    }
    let sides = rows.iter().map(|row| row.side.index() as u8);
    let scores = || rows.iter().map(|row| row.outcome.map(Outcome::margin));
    let results = scores().map(|score| score.map(|score| score.signum() as i8));
    let mut columns: Vec<(String, ArrayRef, bool)> = Vec::new();
    let mut column = |name: &str, values: ArrayRef, nullable: bool| {
        columns.push((name.to_owned(), values, nullable));
    };
    column("game", Arc::new(UInt32Array::from_iter_values(rows.iter().map(|r| r.game))), false);
    column("ply", Arc::new(UInt16Array::from_iter_values(rows.iter().map(|r| r.ply))), false);
    column("stage", Arc::new(UInt8Array::from_iter_values(rows.iter().map(|r| r.stage.0))), false);
    column("side", Arc::new(UInt8Array::from_iter_values(sides)), false);
    column("position", Arc::new(StringArray::from_iter_values(&positions)), false);
    column("move", Arc::new(rows.iter().map(|row| row.mv).collect::<StringArray>()), true);
    column("result", Arc::new(results.collect::<Int8Array>()), true);
    column("score", Arc::new(scores().collect::<Int16Array>()), true);
    for name in dataset.manifest().label_names() {
        let values: Vec<Option<f32>> =
            batch.and_then(|b| b.label(name)).into_iter().flatten().collect();
        column(&format!("label.{name}"), Arc::new(Float32Array::from(values)), true);
    }
    RecordBatch::try_from_iter_with_nullable(columns)
        .map_err(|e| DataError::Parquet { path: dataset.dir().to_owned(), reason: e.to_string() })
}
